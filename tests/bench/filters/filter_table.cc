// SPDX-License-Identifier: Apache-2.0
//
// Measures every codec of full filters, and prints the tables of point filters
// of docs/filters.md. Times are CPU time of the thread, the least of several
// rounds, in ns.
//
//   tamis_filter_table [entries...]     10000 100000 1000000 10000000
//
// Columns:
//   bits      of the filter, per key; and what that is above log2(1 / observed)
//   rate      predicted; observed over absent keys
//   build     per key, hashes included
//   hit, miss   one filter, in the caches as far as it fits
//   cold      many filters of together 256 MiB, others in each round, one probe
//             after the other; and 32 at a time, prefetched
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "filter/filter_registry.h"
#include "tests/bench/filters/cpu_time.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

constexpr double kBloomBits = 10;  // the rate of such a Bloom filter: 0.95 %
constexpr size_t kProbes = 1 << 16;
constexpr size_t kAbsent = 4000000;
constexpr size_t kColdBytes = size_t{256} << 20;
constexpr size_t kBatch = 32;

volatile size_t sink;

std::string KeyOf(uint64_t i, size_t length) {
  std::string key;
  PutFixed64(&key, i * 0x9e3779b97f4a7c15u);
  key.resize(length, 'k');
  return key;
}

// Keys with their hashes.
class HashedKeys {
 public:
  template <typename Number>
  HashedKeys(size_t n, Number number) {
    text_.reserve(n);
    keys_.reserve(n);
    for (size_t i = 0; i < n; ++i) {
      text_.push_back(KeyOf(number(i), 16));
      keys_.push_back(std::make_unique<FilterKey>(text_.back()));
      sink = keys_.back()->Hash64();
    }
  }
  const FilterKey& operator[](size_t i) const { return *keys_[i]; }

 private:
  std::vector<std::string> text_;
  std::vector<std::unique_ptr<FilterKey>> keys_;
};

std::string Build(const FilterCodec& codec, size_t n, size_t length) {
  const auto builder = codec.NewBuilder(kBloomBits);
  for (size_t i = 0; i < n; ++i) builder->Add(FilterKey(KeyOf(2 * i, length)));
  return *builder->Finish();
}

double RateOf(const FilterView& view) {
  size_t matches = 0;
  for (size_t i = 0; i < kAbsent; ++i) {
    const std::string key = KeyOf(2 * i + 1, 16);
    if (view.MayMatch(FilterKey(key))) ++matches;
  }
  return static_cast<double>(matches) / static_cast<double>(kAbsent);
}

double ProbeAll(const FilterView& view, const HashedKeys& keys) {
  return LeastCpuTime(20, kProbes, [&] {
    size_t matches = 0;
    for (size_t i = 0; i < kProbes; ++i) {
      if (view.MayMatch(keys[i])) ++matches;
    }
    sink = matches;
  });
}

// Copies of one filter, and the one that each probe asks.
class Cold {
 public:
  Cold(const FilterCodec& codec, const std::string& filter)
      : bytes_(std::max<size_t>(2, kColdBytes / filter.size()), filter),
        which_(kProbes) {
    for (const std::string& copy : bytes_) views_.push_back(codec.Open(copy));
  }

  // Draws the filters anew for each round: what a round has read would be in
  // the last cache, in full or in part, depending on the codec.
  double Probe(const HashedKeys& keys, size_t batch) {
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 3; ++round) {
      for (size_t& which : which_) which = random_.Uniform(views_.size());
      least = std::min(least, LeastCpuTime(1, kProbes, [&] {
                         sink = Matches(keys, batch);
                       }));
    }
    return least;
  }

 private:
  size_t Matches(const HashedKeys& keys, size_t batch) const {
    size_t matches = 0;
    for (size_t i = 0; i < kProbes; i += batch) {
      if (batch > 1) {
        for (size_t k = i; k < i + batch; ++k) {
          views_[which_[k]].PrefetchFor(keys[k]);
        }
      }
      for (size_t k = i; k < i + batch; ++k) {
        if (views_[which_[k]].MayMatch(keys[k])) ++matches;
      }
    }
    return matches;
  }

  Random random_{301};
  const std::vector<std::string> bytes_;
  std::vector<FilterView> views_;
  std::vector<size_t> which_;
};

void PrintRow(const FilterCodec& codec, size_t n) {
  const std::string filter = Build(codec, n, 16);
  const FilterView view = codec.Open(filter);
  Random random(17);
  const HashedKeys present(kProbes,
                           [&](size_t) { return 2 * random.Uniform(n); });
  const HashedKeys absent(kProbes,
                          [&](size_t) { return 2 * random.Uniform(n) + 1; });
  const double bits =
      8.0 * static_cast<double>(filter.size()) / static_cast<double>(n);
  const double observed = RateOf(view);
  const double build =
      LeastCpuTime(n > 1000000 ? 2 : 5, n,
                   [&] { sink = Build(codec, n, 16).size(); }) -
      LeastCpuTime(3, n, [&] {
        for (size_t i = 0; i < n; ++i) {
          sink = KeyOf(2 * i, 16).size();
        }
      });
  const double hit = ProbeAll(view, present);
  const double miss = ProbeAll(view, absent);
  Cold cold(codec, filter);
  const double one = cold.Probe(absent, 1);
  const double batched = cold.Probe(absent, kBatch);
  std::printf(
      "| %s | %zu | %.2f | %+.1f %% | %.3f %% | %.3f %% | %.0f | %.1f | %.1f | "
      "%.0f | %.0f |\n",
      std::string(codec.name()).c_str(), n, bits,
      100 * (bits / -std::log2(observed) - 1),
      100 * codec.PredictedFalsePositiveRate(filter, n), 100 * observed, build,
      hit, miss, one, batched);
  std::fflush(stdout);
}

void PrintHashes() {
  std::printf("\n| bytes of the key |");
  constexpr size_t kLengths[] = {8, 16, 32, 64, 128, 256};
  for (const size_t length : kLengths) std::printf(" %zu |", length);
  std::printf("\n|---|---|---|---|---|---|---|\n| ns to hash it |");
  for (const size_t length : kLengths) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < 4096; ++i) keys.push_back(KeyOf(i, length));
    std::printf(" %.1f |", LeastCpuTime(50, keys.size(), [&] {
                  uint64_t all = 0;
                  for (const std::string& key : keys) {
                    all ^= FilterKey(key).Hash64();
                  }
                  sink = all;
                }));
  }
  std::printf("\n");
}

void PrintTable(const std::vector<size_t>& sizes) {
  std::printf(
      "| format | keys | bits a key | over the least | predicted | observed | "
      "build | hit | miss | cold | cold, 32 at a time |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const size_t n : sizes) {
    for (const FilterCodec* codec : BuiltinCodecs()) {
      const bool full = codec->name().find("LevelDB") == std::string::npos &&
                        codec->name() != "CacheLocalBloom";
      if (full) PrintRow(*codec, n);
    }
  }
  PrintHashes();
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) {
    sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    if (sizes.back() == 0) {
      std::fprintf(stderr, "tamis_filter_table: %s is no number of keys\n",
                   argv[i]);
      return 2;
    }
  }
  if (sizes.empty()) sizes = {10000, 100000, 1000000, 10000000};
  tamis::PrintTable(sizes);
  return 0;
}
