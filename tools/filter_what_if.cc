// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_what_if.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "filter/filter_registry.h"
#include "tools/decimal.h"
#include "tools/truncated_bound.h"
#include "util/base/random.h"

namespace tamis {

namespace {

constexpr size_t kKeysMin = 200;
constexpr size_t kRangesMax = 100000;  // of a kind
// Bloom bits per key, whose rate the formats of point filters are built for.
constexpr double kPointBits = 10;

using Keys = std::vector<std::string>;

struct LookupRange {
  std::string begin;
  std::string end;
};
using Ranges = std::vector<LookupRange>;

// The keys that the filters hold, and empty ranges of each kind.
struct Question {
  Keys stored;
  Ranges one_key;
  Ranges to_the_next;
  Ranges behind;
};

bool IsEmpty(const Keys& stored, const LookupRange& range) {
  const auto at = std::lower_bound(stored.begin(), stored.end(), range.begin);
  return at == stored.end() || *at >= range.end;
}

// Keeps a random part of the ranges if there are more than kRangesMax.
void Thin(Ranges* ranges, Random* random) {
  for (size_t i = 0; i < std::min(kRangesMax, ranges->size()); ++i) {
    std::swap((*ranges)[i], (*ranges)[i + random->Uniform(ranges->size() - i)]);
  }
  ranges->resize(std::min(kRangesMax, ranges->size()));
}

Question Ask(const Keys& keys, int stored_percent) {
  Random random(301);
  Question asked;
  std::vector<bool> is_stored(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    is_stored[i] = random.Uniform(100) < static_cast<uint64_t>(stored_percent);
    if (is_stored[i]) asked.stored.push_back(keys[i]);
  }
  for (size_t i = 0; i + 1 < keys.size(); ++i) {
    const std::string after = keys[i] + '\0';
    if (is_stored[i]) {
      LookupRange behind{after, keys[i] + std::string("\0\xff", 2)};
      if (IsEmpty(asked.stored, behind)) asked.behind.push_back(behind);
      continue;
    }
    asked.one_key.push_back({keys[i], after});
    if (!is_stored[i + 1]) {
      asked.to_the_next.push_back({keys[i], keys[i + 1] + '\0'});
    }
  }
  Thin(&asked.one_key, &random);
  Thin(&asked.to_the_next, &random);
  Thin(&asked.behind, &random);
  return asked;
}

// Returns the CPU time of a call in nanoseconds: the least of three.
template <typename Call>
double LeastTime(Call call) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec);
  };
  double least = 0;
  for (int i = 0; i < 3; ++i) {
    const double start = now();
    call();
    const double time = now() - start;
    least = i == 0 ? time : std::min(least, time);
  }
  return least;
}

// Returns the share of ranges that do not match.
template <typename MayMatch>
double Excluded(const Ranges& ranges, MayMatch may_match) {
  size_t excluded = 0;
  for (const LookupRange& range : ranges) {
    if (!may_match(range)) ++excluded;
  }
  return ranges.empty() ? 0
                        : static_cast<double>(excluded) /
                              static_cast<double>(ranges.size());
}

std::string Percent(double share) { return Decimal(100 * share, 2, " %"); }
std::string PercentOf(const Ranges& ranges, double share) {
  return ranges.empty() ? "-" : Percent(share);
}

class Printer {
 public:
  Printer(const Question& asked,
          const std::function<void(std::string_view)>& sink)
      : asked_(asked), sink_(sink) {}

  void Row(const std::string& name, const std::string& bits,
           const std::string& build, const std::string& probe,
           const std::string& one, const std::string& next,
           const std::string& behind) const {
    char line[200];
    std::snprintf(line, sizeof(line),
                  "  %-26s  %9s  %9s  %9s  %9s  %11s  %9s\n", name.c_str(),
                  bits.c_str(), build.c_str(), probe.c_str(), one.c_str(),
                  next.c_str(), behind.c_str());
    std::string text = line;
    text.erase(text.find_last_not_of(" \n") + 1);
    sink_(text + "\n");
  }

  void PointRow(const FilterCodec& codec) const;
  void RangeRow(const RangeFilterCodec& codec, double bits) const;
  void BoundRow(size_t extra) const;

 private:
  std::string BitsPerKey(size_t bytes) const {
    return Decimal(8 * static_cast<double>(bytes) /
                       static_cast<double>(asked_.stored.size()),
                   2);
  }
  std::string PerKey(double nanoseconds) const {
    return Decimal(nanoseconds / static_cast<double>(asked_.stored.size()), 0,
                   " ns");
  }
  std::string PerRange(double nanoseconds) const {
    return Decimal(nanoseconds / static_cast<double>(std::max<size_t>(
                                     asked_.one_key.size(), 1)),
                   0, " ns");
  }

  const Question& asked_;
  const std::function<void(std::string_view)>& sink_;
};

void Printer::PointRow(const FilterCodec& codec) const {
  std::string filter;
  const double build = LeastTime([&] {
    const auto builder = codec.NewBuilder(kPointBits);
    for (const std::string& key : asked_.stored) builder->Add(FilterKey(key));
    filter = builder->Finish().value();  // built-in codecs never fail
  });
  const FilterView view = codec.Open(filter);
  double share = 0;
  const double probe = LeastTime([&] {
    share = Excluded(asked_.one_key, [&](const LookupRange& range) {
      return view.MayMatch(FilterKey(range.begin));
    });
  });
  Row(std::string(codec.name()), BitsPerKey(filter.size()), PerKey(build),
      PerRange(probe), Percent(share), "-", "-");
}

void Printer::RangeRow(const RangeFilterCodec& codec, double bits) const {
  const std::string name =
      std::string(codec.name()) + ", " + Decimal(bits, 0) + " bits";
  std::string filter;
  const double build = LeastTime([&] {
    const auto builder = codec.NewBuilder(bits);
    for (const std::string& key : asked_.stored) builder->Add(key);
    filter = builder->Finish();
  });
  if (filter.empty()) {
    Row(name, "none", PerKey(build), "-", "0.00 %", "0.00 %", "0.00 %");
    return;
  }
  const RangeFilterView view = codec.Open(filter);
  const auto may_match = [&](const LookupRange& range) {
    return view.MayMatch(range.begin, range.end);
  };
  double one = 0;
  const double probe =
      LeastTime([&] { one = Excluded(asked_.one_key, may_match); });
  Row(name, BitsPerKey(filter.size()), PerKey(build), PerRange(probe),
      Percent(one),
      PercentOf(asked_.to_the_next, Excluded(asked_.to_the_next, may_match)),
      PercentOf(asked_.behind, Excluded(asked_.behind, may_match)));
}

void Printer::BoundRow(size_t extra) const {
  const TruncatedKeys keys(asked_.stored, extra);
  const auto may_match = [&](const LookupRange& range) {
    return keys.MayMatch(range.begin, range.end);
  };
  Row("cut " + std::to_string(extra) + " bytes later",
      "~ " + Decimal(keys.bits_per_key(), 2), "-", "-",
      Percent(Excluded(asked_.one_key, may_match)),
      PercentOf(asked_.to_the_next, Excluded(asked_.to_the_next, may_match)),
      PercentOf(asked_.behind, Excluded(asked_.behind, may_match)));
}

}  // namespace

Status PrintWhatIf(const std::vector<std::string>& keys, int stored_percent,
                   const std::function<void(std::string_view)>& sink) {
  const Question asked = Ask(keys, stored_percent);
  if (asked.stored.size() < kKeysMin || asked.one_key.size() < kKeysMin) {
    return Status::InvalidArgument("what-if needs more keys: of " +
                                   std::to_string(keys.size()) + ", " +
                                   std::to_string(asked.stored.size()) +
                                   " are stored and the others are "
                                   "asked for, and each must be " +
                                   std::to_string(kKeysMin) + " at least");
  }
  sink("What if filters held " + std::to_string(asked.stored.size()) +
       " of these " + std::to_string(keys.size()) +
       " keys: the share that is excluded of absent keys\n(the others) and of "
       "empty ranges that begin there.\n");
  const Printer printer(asked, sink);
  printer.Row("point filter", "bits/key", "build", "probe", "one key", "", "");
  for (const FilterCodec* codec : BuiltinCodecs()) {
    // Chunks of block-based filters are much smaller.
    if (!codec->name().starts_with("LevelDB")) printer.PointRow(*codec);
  }
  printer.Row("range filter", "bits/key", "build", "probe", "one key",
              "to the next", "behind");
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    for (const double bits : {8.0, 12.0, 16.0, 24.0}) {
      printer.RangeRow(*codec, bits);
    }
  }
  sink(
      "No filter excludes more ranges if all that it knows of a key is its "
      "beginning, cut after the\nfirst byte that tells it from its neighbours, "
      "or whole bytes later. The bits are the entropy\nof these beginnings, "
      "given the byte before each byte.\n");
  for (const size_t extra : {0u, 1u, 2u, 4u, 8u}) printer.BoundRow(extra);
  return Status::OK();
}

}  // namespace tamis
