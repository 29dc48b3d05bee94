// SPDX-License-Identifier: Apache-2.0
//
// The long mode of the filter tests: builds filters of random sets with every
// codec, and checks that each key matches, and each range with a key. Prints
// counts. Exit 1 after a false negative or a failed build, with the seed that
// repeats it.
//
//   tamis_filter_proof [seconds] [seed]     60, 1
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "filter/filter_registry.h"
#include "filter/surf_builder.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

struct Counts {
  uint64_t builds = 0;
  uint64_t probes = 0;
  uint64_t in_own_format = 0;  // not replaced by Bloom
  uint64_t range_filters = 0;
  uint64_t ranges = 0;
  uint64_t excluded = 0;
};

using Keys = std::vector<std::string>;

// 1 to `most`, small ones as often as large ones.
size_t RandomSize(size_t most, Random* random) {
  const double bits = std::log2(static_cast<double>(most));
  const double share =
      static_cast<double>(random->Uniform(1 << 20)) / (1 << 20);
  return static_cast<size_t>(std::exp2(bits * share));
}

std::string RandomBytes(size_t n, uint64_t alphabet, Random* random) {
  std::string bytes(n, '\0');
  for (char& c : bytes) {
    const uint64_t digit = random->Uniform(alphabet);
    c = static_cast<char>(alphabet == 256 ? digit
                          : digit == 0    ? 0xff
                          : digit == 1    ? 0
                                          : 'a' + digit);
  }
  return bytes;
}

// Sorted and distinct.
Keys RandomKeys(size_t n, Random* random) {
  static constexpr uint64_t kAlphabets[] = {2, 3, 10, 26, 256};
  const uint64_t alphabet = kAlphabets[random->Uniform(5)];
  const size_t length = 1 + random->Uniform(24);
  const bool fixed = random->OneIn(2);
  const std::string prefix = RandomBytes(random->Uniform(12), alphabet, random);
  Keys keys;
  for (size_t i = 0; i < n; ++i) {
    const size_t bytes = fixed ? length : random->Uniform(length + 1);
    keys.push_back(prefix + RandomBytes(bytes, alphabet, random));
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// Returns false after a false negative.
bool CheckPointFilter(const FilterCodec& codec, double bits_per_key, size_t n,
                      uint64_t seed, Counts* counts) {
  const auto builder = codec.NewBuilder(bits_per_key);
  const auto key_of = [seed](uint64_t i) {
    std::string key;
    PutFixed64(&key, (i + seed) * 0x9e3779b97f4a7c15u);
    return key;
  };
  for (uint64_t i = 0; i < n; ++i) builder->Add(FilterKey(key_of(i)));
  const Result<std::string> filter = builder->Finish();
  if (!filter.ok()) return false;
  ++counts->builds;
  if (codec.Parameters(*filter).find("probes") == std::string::npos) {
    ++counts->in_own_format;
  }
  const FilterView view = codec.Open(*filter);
  for (uint64_t i = 0; i < n; ++i) {
    if (!view.MayMatch(FilterKey(key_of(i)))) return false;
  }
  counts->probes += n;
  return true;
}

bool HoldsAny(const Keys& keys, const std::string& begin,
              const std::string& end) {
  const auto at = std::ranges::lower_bound(keys, begin);
  return at != keys.end() && *at < end;
}

bool CheckRangeFilter(std::unique_ptr<RangeFilterBuilder> builder,
                      const Keys& keys, Random* random, Counts* counts) {
  for (const std::string& key : keys) builder->Add(key);
  const std::string filter = builder->Finish();
  if (filter.empty()) return true;
  ++counts->range_filters;
  const RangeFilterView view = builder->codec().Open(filter);
  for (int i = 0; i < 300; ++i) {
    const std::string& key = keys[random->Uniform(keys.size())];
    std::string begin = key.substr(0, random->Uniform(key.size() + 1)) +
                        RandomBytes(random->Uniform(4), 256, random);
    std::string end = random->OneIn(2) ? begin + RandomBytes(1, 256, random)
                                       : keys[random->Uniform(keys.size())];
    if (end < begin) std::swap(begin, end);
    if (begin == end) continue;
    ++counts->ranges;
    if (view.MayMatch(begin, end)) continue;
    ++counts->excluded;
    if (HoldsAny(keys, begin, end)) return false;
  }
  return true;
}

int Fail(std::string_view codec, double bits_per_key, uint64_t seed) {
  std::printf("%s lost a key, or failed: %.3f bits per key; seed %llu\n",
              std::string(codec).c_str(), bits_per_key,
              static_cast<unsigned long long>(seed));
  return 1;
}

int Run(double seconds, uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Counts counts;
  for (; Clock::now() < end; ++seed) {
    Random random(seed);
    const double bits_per_key =
        1 + static_cast<double>(random.Uniform(300)) / 10;
    const size_t n = RandomSize(random.OneIn(100) ? 300000 : 3000, &random);
    for (const FilterCodec* codec : BuiltinCodecs()) {
      if (!CheckPointFilter(*codec, bits_per_key, n, seed, &counts)) {
        return Fail(codec->name(), bits_per_key, seed);
      }
    }
    const size_t num_keys =
        RandomSize(random.OneIn(50) ? 100000 : 3000, &random);
    const Keys keys = RandomKeys(num_keys, &random);
    for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
      if (!CheckRangeFilter(codec->NewBuilder(bits_per_key + 3), keys, &random,
                            &counts)) {
        return Fail(codec->name(), bits_per_key + 3, seed);
      }
    }
    if (!CheckRangeFilter(NewSurfBuilder(bits_per_key + 3, SurfSuffix::kHash),
                          keys, &random, &counts)) {
      return Fail("SuRF with hash bits", bits_per_key + 3, seed);
    }
  }
  const auto number = [](uint64_t n) {
    return static_cast<unsigned long long>(n);
  };
  std::printf(
      "%llu point filters, %llu of them in a format of their own; %llu keys "
      "probed\n%llu range filters; %llu ranges, %llu excluded\nno false "
      "negative; next seed %llu\n",
      number(counts.builds), number(counts.in_own_format),
      number(counts.probes), number(counts.range_filters),
      number(counts.ranges), number(counts.excluded), number(seed));
  return 0;
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (!(seconds > 0)) {
    std::fprintf(stderr, "tamis_filter_proof: seconds must be above 0\n");
    return 2;
  }
  return tamis::Run(seconds, seed);
}
