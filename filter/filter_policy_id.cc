// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_policy_id.h"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "util/coding/printable.h"

namespace tamis {

namespace {

struct FormatName {
  std::string_view name;
  FilterFormat format;
};

constexpr FormatName kFormats[] = {
    {"kBloom", FilterFormat::kBloom},
    {"kRibbon", FilterFormat::kRibbon},
    {"kHomogeneousRibbon", FilterFormat::kHomogeneousRibbon},
    {"kBumpedRibbon", FilterFormat::kBumpedRibbon},
    {"kBinaryFuse", FilterFormat::kBinaryFuse},
    {"kXor", FilterFormat::kXor},
    {"kByLevel", FilterFormat::kByLevel},
};

template <typename Number>
bool ParseNumber(std::string_view text, Number* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return !text.empty() && stop == end && error == std::errc();
}

// A positive, finite number.
bool ParsePositive(std::string_view text, double* value) {
  return ParseNumber(text, value) && std::isfinite(*value) && *value > 0;
}

bool ParseBits(std::string_view text, double* value) {
  return ParseNumber(text, value) && std::isfinite(*value) && *value >= 0;
}

bool ParseFormat(std::string_view text, FilterFormat* value) {
  for (const FormatName& known : kFormats) {
    if (known.name == text) {
      *value = known.format;
      return true;
    }
  }
  return false;
}

// An id's parameters. The second may be missing.
struct Parameters {
  std::string_view first;
  std::string_view second;
};

const FilterPolicy* NewBloom(const Parameters& given) {
  double bits = 0;
  if (!ParseBits(given.first, &bits)) return nullptr;
  const bool block_based = given.second == "true";
  if (!block_based && !given.second.empty() && given.second != "false") {
    return nullptr;
  }
  return NewBloomFilterPolicy(bits, block_based);
}

const FilterPolicy* NewRibbon(const Parameters& given) {
  double bits = 0;
  int level = 0;
  if (!ParseBits(given.first, &bits)) return nullptr;
  if (!given.second.empty() && !ParseNumber(given.second, &level)) {
    return nullptr;
  }
  return NewRibbonFilterPolicy(bits, level);
}

const FilterPolicy* NewRate(const Parameters& given) {
  FilterPolicyOptions options;
  if (!ParsePositive(given.first, &options.fpr)) return nullptr;
  if (!given.second.empty() && !ParseFormat(given.second, &options.format)) {
    return nullptr;
  }
  return NewFilterPolicy(options);
}

const FilterPolicy* NewBudget(const Parameters& given) {
  uint64_t bytes = 0;
  FilterFormat format = FilterFormat::kByLevel;
  if (!ParseNumber(given.first, &bytes)) return nullptr;
  if (!given.second.empty() && !ParseFormat(given.second, &format)) {
    return nullptr;
  }
  return NewBudgetFilterPolicy(bytes, format);
}

struct PolicyKind {
  std::string_view name;
  const FilterPolicy* (*make)(const Parameters& given);
  const char* form;
};

constexpr PolicyKind kKinds[] = {
    {"bloomfilter", NewBloom, "bloomfilter:10:false"},
    {"ribbonfilter", NewRibbon, "ribbonfilter:10:0"},
    {"tamis.RateFilterPolicy", NewRate, "tamis.RateFilterPolicy:0.01:kByLevel"},
    {"tamis.BudgetFilterPolicy", NewBudget,
     "tamis.BudgetFilterPolicy:1048576:kByLevel"},
};

}  // namespace

std::string_view FilterFormatName(FilterFormat format) {
  for (const FormatName& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "kByLevel";
}

Status NewFilterPolicyFromId(std::string_view id,
                             std::shared_ptr<const FilterPolicy>* policy) {
  const std::string quoted = "\"" + Printable({id.data(), id.size()}) + "\"";
  const size_t colon = id.find(':');
  for (const PolicyKind& kind : kKinds) {
    if (id.substr(0, colon) != kind.name) continue;
    Parameters given;
    if (colon != std::string_view::npos) given.first = id.substr(colon + 1);
    const size_t next = given.first.find(':');
    if (next != std::string_view::npos) {
      given.second = given.first.substr(next + 1);
      given.first = given.first.substr(0, next);
    }
    std::shared_ptr<const FilterPolicy> made(kind.make(given));
    if (made != nullptr) {
      *policy = std::move(made);
      return Status::OK();
    }
    return Status::InvalidArgument(quoted + " is malformed; an example is " +
                                   kind.form);
  }
  return Status::NotSupported(quoted + " is not a built-in filter policy");
}

}  // namespace tamis
