// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_objects.h"

#include <algorithm>
#include <cctype>

#include "tamis/table.h"
#include "tamis/utilities/merge_operators.h"

#include "db/options/option_text.h"
#include "filter/bloom_filter_policy.h"
#include "filter/filter_policy_id.h"
#include "util/base/result.h"
#include "util/coding/printable.h"
#include "util/extensions/builtin_prefixes.h"
#include "util/extensions/string_append.h"

namespace tamis {

namespace {

constexpr std::string_view kNone = "nullptr";

std::string Quoted(std::string_view text) {
  return "\"" + Printable({text.data(), text.size()}) + "\"";
}

// Returns the name of an object, with what a text around it would take for its
// own as %XX: "a;b" becomes "a%3Bb".
std::string NameText(std::string_view name) {
  constexpr std::string_view kSpecial = "{};#\\%";
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_outer = i == 0 || i + 1 == name.size();
    const bool is_plain = static_cast<unsigned char>(c) > ' ' && c != '\x7f' &&
                          kSpecial.find(c) == std::string_view::npos;
    if (is_plain || (c == ' ' && !is_outer)) {
      text += c;
    } else {
      text += "%" + PrintableHex({&c, 1});
    }
  }
  return text;
}

// Parses what holds for every object: none, and the present one, by its text or
// its name.
template <typename Object>
bool IsNoneOrPresent(std::string_view text, std::shared_ptr<Object>* object) {
  if (text.empty() || text == kNone) {
    object->reset();
    return true;
  }
  if (*object == nullptr) return false;
  const std::string present = PrintOptionText(*object);
  return text == present || NameText(text) == present;
}

// RocksDB's parser takes each of these for a part of the text around it.
bool FitsText(const std::string& delimiter) {
  constexpr std::string_view kSpecial = "{}=;:#\\\"";
  return std::all_of(delimiter.begin(), delimiter.end(), [&](char c) {
    return c > ' ' && c <= '~' && kSpecial.find(c) == std::string_view::npos;
  });
}

bool ParseHex(std::string_view hex, std::string* bytes) {
  bytes->clear();
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    int byte = 0;
    const auto [stop, error] =
        std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (stop != hex.data() + i + 2 || error != std::errc()) return false;
    *bytes += static_cast<char>(byte);
  }
  return hex.size() % 2 == 0;
}

// Parses "id=StringAppendOperator;delimiter=,".
Status ParseOperatorWithOptions(std::string_view text,
                                MergeOperatorPtr* merge_operator) {
  OptionPairs pairs;
  TAMIS_RETURN_IF_ERROR(SplitOptions(text, &pairs));
  std::string id;
  std::string delimiter = ",";
  for (const auto& [name, value] : pairs) {
    if (name == "id") {
      id = value;
    } else if (name == "delimiter") {
      delimiter = value;
    } else if (name != "delimiter_hex" || !ParseHex(value, &delimiter)) {
      return Status::InvalidArgument(Quoted(name + "=" + value) +
                                     " is not an option of a merge operator");
    }
  }
  MergeOperatorPtr made = MergeOperators::CreateFromName(id);
  if (made == nullptr) {
    return Status::NotSupported(Quoted(id) +
                                " is not a built-in merge operator");
  }
  *merge_operator = StringAppendDelimiter(*made) != nullptr
                        ? MergeOperators::CreateStringAppendOperator(delimiter)
                        : made;
  return Status::OK();
}

// A rule for prefixes of a length, under its two names.
struct PrefixRule {
  std::string_view short_name;
  std::string_view id;
};

constexpr PrefixRule kPrefixRules[] = {
    {"fixed:", "rocksdb.FixedPrefix."},
    {"capped:", "rocksdb.CappedPrefix."},
};

}  // namespace

std::string PrintOptionText(const Comparator* comparator) {
  return comparator != nullptr ? NameText(comparator->Name())
                               : std::string(kNone);
}

std::string PrintOptionText(const MergeOperatorPtr& merge_operator) {
  if (merge_operator == nullptr) return std::string(kNone);
  const std::string* const delimiter = StringAppendDelimiter(*merge_operator);
  if (delimiter == nullptr) return NameText(merge_operator->Name());
  return std::string("{id=") + merge_operator->Name() +
         (FitsText(*delimiter)
              ? ";delimiter=" + *delimiter
              : ";delimiter_hex=" + Slice(*delimiter).ToString(true)) +
         ";}";
}

std::string PrintOptionText(const PrefixExtractorPtr& extractor) {
  return extractor != nullptr ? NameText(extractor->GetId())
                              : std::string(kNone);
}

std::string PrintOptionText(const FilterPolicyPtr& policy) {
  if (policy == nullptr) return std::string(kNone);
  return IsDefaultFilterPolicy(policy.get())
             ? std::string(kDefaultFilterPolicyText)
             : NameText(policy->GetId());
}

std::string PrintOptionText(const FileChecksumsPtr& factory) {
  return factory != nullptr ? NameText(factory->Name()) : std::string(kNone);
}

Status ParseOptionText(std::string_view text, const Comparator** comparator) {
  if (*comparator != nullptr &&
      (text == (*comparator)->Name() || text == PrintOptionText(*comparator))) {
    return Status::OK();
  }
  for (const Comparator* known :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    if (text == known->Name()) {
      *comparator = known;
      return Status::OK();
    }
  }
  if (text.empty() || text == kNone) {
    return Status::InvalidArgument("a comparator is required");
  }
  return Status::NotSupported(Quoted(text) + " is not a built-in comparator");
}

Status ParseOptionText(std::string_view text,
                       MergeOperatorPtr* merge_operator) {
  if (IsNoneOrPresent(text, merge_operator)) return Status::OK();
  if (text.find('=') != std::string_view::npos) {
    return ParseOperatorWithOptions(text, merge_operator);
  }
  MergeOperatorPtr made = MergeOperators::CreateFromName(std::string(text));
  if (made == nullptr) {
    return Status::NotSupported(Quoted(text) +
                                " is not a built-in merge operator");
  }
  *merge_operator = std::move(made);
  return Status::OK();
}

Status ParseOptionText(std::string_view text, PrefixExtractorPtr* extractor) {
  if (IsNoneOrPresent(text, extractor)) return Status::OK();
  std::string id(text == "noop" ? "rocksdb.Noop" : text);
  for (const PrefixRule& rule : kPrefixRules) {
    const std::string_view name =
        text.starts_with(rule.id) ? rule.id : rule.short_name;
    if (!text.starts_with(name)) continue;
    size_t length = 0;
    TAMIS_RETURN_IF_ERROR(ParseOptionText(text.substr(name.size()), &length));
    id = std::string(rule.id) + std::to_string(length);
  }
  PrefixExtractorPtr made = BuiltinPrefixExtractor(id);
  if (made == nullptr) {
    return Status::NotSupported(Quoted(text) +
                                " is not a built-in prefix extractor");
  }
  *extractor = std::move(made);
  return Status::OK();
}

Status ParseOptionText(std::string_view text, FilterPolicyPtr* policy) {
  if (IsNoneOrPresent(text, policy)) return Status::OK();
  if (text == kDefaultFilterPolicyText) {
    *policy = BlockBasedTableOptions().filter_policy;
    return Status::OK();
  }
  return NewFilterPolicyFromId(text, policy);
}

Status ParseOptionText(std::string_view text, FileChecksumsPtr* factory) {
  if (IsNoneOrPresent(text, factory)) return Status::OK();
  FileChecksumsPtr standard = GetFileChecksumGenCrc32cFactory();
  if (text != standard->Name()) {
    return Status::NotSupported(Quoted(text) +
                                " is not a built-in file checksum factory");
  }
  *factory = std::move(standard);
  return Status::OK();
}

Status ParseOptionText(std::string_view text, std::shared_ptr<Cache>* cache) {
  if (text.empty() || text == kNone) {
    cache->reset();
    return Status::OK();
  }
  size_t capacity = 0;
  TAMIS_RETURN_IF_ERROR(ParseOptionText(text, &capacity));
  *cache = NewLRUCache(capacity);
  return Status::OK();
}

std::string PrintOptionText(const MemTableRepPtr& factory) {
  return factory == nullptr ? std::string(kNone) : NameText(factory->Name());
}

// "vector:1024", "VectorRepFactory", "{id=VectorRepFactory;count=1024}": the
// numbers are ignored, as is the factory.
Status ParseOptionText(std::string_view text, MemTableRepPtr* factory) {
  if (IsNoneOrPresent(text, factory)) return Status::OK();
  OptionPairs pairs;
  std::string name(text.substr(0, text.find(':')));
  if (text.find('=') != std::string_view::npos) {
    TAMIS_RETURN_IF_ERROR(SplitOptions(text, &pairs));
    name = pairs.front().first == "id" ? pairs.front().second : "";
  }
  if (name == "SkipListFactory" || name == "skip_list") {
    *factory = std::make_shared<SkipListFactory>();
  } else if (name == "VectorRepFactory" || name == "vector") {
    *factory = std::make_shared<VectorRepFactory>();
  } else if (name == "HashSkipListRepFactory" || name == "prefix_hash") {
    factory->reset(NewHashSkipListRepFactory());
  } else if (name == "HashLinkListRepFactory" || name == "hash_linkedlist") {
    factory->reset(NewHashLinkListRepFactory());
  } else {
    return Status::NotSupported(Quoted(text) + " is not a kind of memtable");
  }
  return Status::OK();
}

}  // namespace tamis
