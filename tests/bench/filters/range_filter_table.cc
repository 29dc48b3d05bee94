// SPDX-License-Identifier: Apache-2.0
//
// Measures every codec of range filters on four kinds of keys, and prints a
// table of docs/filters.md. The filter has a tenth of the keys of a database.
// Times are CPU time of the thread, the least of several rounds, in ns.
//
//   tamis_range_filter_table [keys]     1000000, of the database
//
// Columns:
//   asked     bits per key that the builder was asked for
//   bits      of the filter, per key; "none": the builder refused
//   points    share of the ranges of one absent key that match
//   ranges    share of the ranges between neighbours of the database, the ends
//             included, that match though the filter has no key of them
//   build     per key
//   point, range   probe of such a range, in random order. The ranges' keys lie
//             in the order of the probes, since those of a lookup are in a
//             cache, too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filter/filter_registry.h"
#include "filter/surf_builder.h"
#include "tests/support/printed_keys.h"
#include "tests/support/sorted_keys.h"
#include "tools/cpu_time.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr size_t kProbes = 1 << 16;

volatile size_t sink;

std::string Integer(Random* random) {
  const uint64_t number = random->Next();
  std::string key(sizeof(number), '\0');
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<char>(number >> (56 - 8 * i));
  }
  return key;
}

struct KeyKind {
  std::string_view name;
  std::string (*make)(Random*);
  double less_bits;  // per key
  double more_bits;
};
constexpr KeyKind kKeyKinds[] = {{"numbers", Integer, 12, 16},
                                 {"YCSB", UserKey, 12, 20},
                                 {"tenants", TenantKey, 12, 20},
                                 {"paths", FileKey, 16, 32}};

struct Range {
  std::string begin;
  std::string end;
};

// The keys of a filter, and ranges without any of them.
struct Database {
  Database(size_t n, const KeyKind& kind) {
    Random random(301);
    Keys all;
    for (size_t i = 0; i < n; ++i) all.push_back(kind.make(&random));
    all = SortedKeys(std::move(all));
    std::vector<bool> present;
    for (const std::string& key : all) {
      present.push_back(random.OneIn(10));
      if (present.back()) table.push_back(key);
    }
    for (size_t i = 1; i < all.size(); ++i) {
      if (present[i]) continue;
      points.push_back({all[i], all[i] + '\0'});
      if (!present[i - 1]) ranges.push_back({all[i - 1], all[i] + '\0'});
    }
    const auto shuffle = [&random](std::vector<Range>* of) {
      for (size_t i = of->size() - 1; i > 0; --i) {
        std::swap((*of)[i], (*of)[random.Uniform(i + 1)]);
      }
    };
    shuffle(&points);
    shuffle(&ranges);
  }
  Keys table;
  std::vector<Range> points;
  std::vector<Range> ranges;
};

double Rate(const RangeFilterView& view, const std::vector<Range>& ranges) {
  size_t matches = 0;
  for (const Range& range : ranges) {
    if (view.MayMatch(range.begin, range.end)) ++matches;
  }
  return static_cast<double>(matches) / static_cast<double>(ranges.size());
}

double ProbeTime(const RangeFilterView& view,
                 const std::vector<Range>& ranges) {
  // Copies, so that their keys lie one after the other.
  const std::vector<Range> probes(
      ranges.begin(), ranges.begin() + static_cast<ptrdiff_t>(
                                           std::min(kProbes, ranges.size())));
  return LeastCpuTime(10, probes.size(), [&] {
    size_t matches = 0;
    for (const Range& range : probes) {
      if (view.MayMatch(range.begin, range.end)) ++matches;
    }
    sink = matches;
  });
}

template <typename NewBuilder>
void PrintRow(std::string_view keys, std::string_view name,
              const Database& database, double bits, NewBuilder new_builder) {
  const auto build = [&] {
    const std::unique_ptr<RangeFilterBuilder> builder = new_builder(bits);
    for (const std::string& key : database.table) builder->Add(key);
    return builder->Finish();
  };
  const std::string filter = build();
  const double build_time =
      LeastCpuTime(5, database.table.size(), [&] { sink = build().size(); });
  std::printf("| %s | %s | %.0f |", std::string(keys).c_str(),
              std::string(name).c_str(), bits);
  if (filter.empty()) {
    std::printf(" none | | | %.0f | | |\n", build_time);
    return;
  }
  const RangeFilterView view = new_builder(bits)->codec().Open(filter);
  const double point_time = ProbeTime(view, database.points);
  const double range_time = ProbeTime(view, database.ranges);
  std::printf(" %.1f | %.2f %% | %.2f %% | %.0f | %.0f | %.0f |\n",
              8.0 * static_cast<double>(filter.size()) /
                  static_cast<double>(database.table.size()),
              100 * Rate(view, database.points),
              100 * Rate(view, database.ranges), build_time, point_time,
              range_time);
  std::fflush(stdout);
}

void PrintTable(size_t n) {
  std::printf(
      "| keys | filter | asked | bits a key | points | ranges | build | point "
      "| range |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const KeyKind& kind : kKeyKinds) {
    const Database database(n, kind);
    for (const double bits : {kind.less_bits, kind.more_bits}) {
      for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
        PrintRow(kind.name, codec->name(), database, bits,
                 [codec](double b) { return codec->NewBuilder(b); });
      }
    }
    PrintRow(kind.name, "SuRF, hash bits", database, kind.more_bits,
             [](double b) { return NewSurfBuilder(b, SurfSuffix::kHash); });
  }
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  const size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  if (n < 1000) {
    std::fprintf(stderr, "tamis_range_filter_table: at least 1000 keys\n");
    return 2;
  }
  tamis::PrintTable(n);
  return 0;
}
