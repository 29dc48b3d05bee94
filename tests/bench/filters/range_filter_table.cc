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
//   probe     of such a range, in random order
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
#include "util/base/random.h"

namespace tamis {
namespace {

using Keys = std::vector<std::string>;

constexpr size_t kProbes = 1 << 16;

volatile size_t sink;

double Now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

template <typename Run>
double Least(int rounds, size_t per, Run run) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const double begin = Now();
    run();
    least = std::min(least, Now() - begin);
  }
  return least / static_cast<double>(per);
}

// Printed as by printf.
template <typename... Values>
std::string Print(const char* format, Values... values) {
  char buffer[100];
  const int n = std::snprintf(buffer, sizeof(buffer), format, values...);
  return std::string(buffer, static_cast<size_t>(n));
}

std::string Integer(Random* random) {
  const uint64_t number = random->Next();
  std::string key(sizeof(number), '\0');
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<char>(number >> (56 - 8 * i));
  }
  return key;
}

// As YCSB makes them.
std::string YcsbKey(Random* random) {
  return Print("user%019llu", static_cast<unsigned long long>(
                                  random->Next() % 10000000000000000000u));
}

// A tenant, one of 1000, a time within a month in milliseconds, and a number.
std::string TenantKey(Random* random) {
  return Print("tenant/%03u/%013llu/%07x",
               static_cast<unsigned>(random->Uniform(1000)),
               static_cast<unsigned long long>(1700000000000 +
                                               random->Uniform(2592000000)),
               static_cast<unsigned>(random->Uniform(1 << 28)));
}

// Files of packages, as a Debian system has them.
std::string Path(Random* random) {
  static constexpr const char* kSyllables[] = {
      "lib",  "dev",  "net", "gnu",  "py",   "thon", "perl", "xml",  "gtk",
      "core", "data", "con", "util", "tool", "ker",  "nel",  "font", "java",
      "ruby", "doc",  "min", "max",  "base", "test", "gui",  "cpp"};
  static constexpr const char* kFolders[] = {
      "usr/share/doc/", "usr/lib/x86_64-linux-gnu/", "usr/share/locale/",
      "usr/include/", "var/lib/dpkg/info/"};
  static constexpr const char* kEnds[] = {".h",  ".so", ".html",
                                          ".mo", ".py", ".gz"};
  const auto any = [random](const auto& of) {
    return of[random->Uniform(std::size(of))];
  };
  const auto word = [](Random* from) {
    std::string s;
    for (uint64_t n = from->Uniform(3) + 1; n > 0; --n) {
      s += kSyllables[from->Uniform(std::size(kSyllables))];
    }
    return s;
  };
  // Few packages and folders, more files.
  Random package(random->Uniform(1000) + 1);
  std::string path = std::string(any(kFolders)) + word(&package) + "/";
  for (uint64_t n = random->Uniform(3); n > 0; --n)
    path += word(&package) + "/";
  return path + word(random) + any(kEnds);
}

struct KeyKind {
  std::string_view name;
  std::string (*make)(Random*);
  double less_bits;  // per key
  double more_bits;
};
constexpr KeyKind kKeyKinds[] = {{"numbers", Integer, 12, 16},
                                 {"YCSB", YcsbKey, 12, 20},
                                 {"tenants", TenantKey, 12, 20},
                                 {"paths", Path, 16, 32}};

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
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
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
      Least(5, database.table.size(), [&] { sink = build().size(); });
  std::printf("| %s | %s | %.0f |", std::string(keys).c_str(),
              std::string(name).c_str(), bits);
  if (filter.empty()) {
    std::printf(" none | | | %.0f | |\n", build_time);
    return;
  }
  const RangeFilterView view = new_builder(bits)->codec().Open(filter);
  const size_t probes = std::min(kProbes, database.ranges.size());
  const double probe_time = Least(10, probes, [&] {
    size_t matches = 0;
    for (size_t i = 0; i < probes; ++i) {
      const Range& range = database.ranges[i];
      if (view.MayMatch(range.begin, range.end)) ++matches;
    }
    sink = matches;
  });
  std::printf(" %.1f | %.2f %% | %.2f %% | %.0f | %.0f |\n",
              8.0 * static_cast<double>(filter.size()) /
                  static_cast<double>(database.table.size()),
              100 * Rate(view, database.points),
              100 * Rate(view, database.ranges), build_time, probe_time);
  std::fflush(stdout);
}

void PrintTable(size_t n) {
  std::printf(
      "| keys | filter | asked | bits a key | points | ranges | build | probe "
      "|\n|---|---|---|---|---|---|---|---|\n");
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
