// SPDX-License-Identifier: Apache-2.0
//
// Time a key (per_key) of the filter hash, and of building and probing filters;
// of range filters too, where a key is a range when they are probed:
//   tamis_micro_bench --benchmark_filter=Filter
// The argument is the number of keys, with 10 bits each. Probes cycle through
// many keys in random order, so that large filters are read from memory.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "filter/binary_fuse.h"
#include "filter/bumped_ribbon.h"
#include "filter/fast_local_bloom.h"
#include "filter/fast_local_bloom_probe.h"
#include "filter/fence_filter.h"
#include "filter/grafite.h"
#include "filter/homogeneous_ribbon.h"
#include "filter/ribbon.h"
#include "filter/surf_filter.h"
#include "filter/xor_filter.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr double kBitsPerKey = 10;

// Sixteen bytes, as "user1234567890ab". Even numbers are in the filters, odd
// ones are not.
std::string KeyOf(uint64_t number) {
  std::string key = "user000000000000";
  for (size_t i = key.size(); number > 0; number /= 10) {
    key[--i] = static_cast<char>('0' + number % 10);
  }
  return key;
}

std::vector<std::string> KeysFrom(uint64_t first, size_t count, size_t step) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (size_t i = 0; i < count; ++i) keys.push_back(KeyOf(first + i * step));
  return keys;
}

void CountKeys(benchmark::State& state, size_t keys_per_iteration) {
  state.counters["per_key"] =
      benchmark::Counter(static_cast<double>(keys_per_iteration),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void Hash64Bench(benchmark::State& state) {
  const std::string bytes(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(Hash64(bytes));
}
BENCHMARK(Hash64Bench)->Arg(8)->Arg(16)->Arg(32)->Arg(100)->Arg(1024);

// Hashing included, as in a table's build.
void FilterBuild(benchmark::State& state, const FilterCodec* codec) {
  const auto count = static_cast<size_t>(state.range(0));
  const std::vector<std::string> keys = KeysFrom(0, count, 2);
  const auto builder = codec->NewBuilder(kBitsPerKey);
  for (auto _ : state) {
    for (const std::string& key : keys) builder->Add(FilterKey(key));
    benchmark::DoNotOptimize(*builder->Finish());
  }
  CountKeys(state, count);
}

// Keys are hashed before the clock runs: only the probe is measured.
void ProbeAll(benchmark::State& state, const FilterView& view, bool hits) {
  const auto count = static_cast<size_t>(state.range(0));
  constexpr size_t kAsked = 1 << 16;
  Random random(301);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kAsked; ++i) {
    keys.push_back(KeyOf(random.Uniform(count) * 2 + (hits ? 0 : 1)));
  }
  // FilterKey stays where it is made.
  std::allocator<FilterKey> allocator;
  FilterKey* const hashed = allocator.allocate(kAsked);
  for (size_t i = 0; i < kAsked; ++i) {
    std::construct_at(hashed + i, keys[i]);
    benchmark::DoNotOptimize(hashed[i].Hash64());
  }
  for (auto _ : state) {
    size_t matches = 0;
    for (size_t i = 0; i < kAsked; ++i) {
      if (view.MayMatch(hashed[i])) ++matches;
    }
    benchmark::DoNotOptimize(matches);
  }
  std::destroy_n(hashed, kAsked);
  allocator.deallocate(hashed, kAsked);
  CountKeys(state, kAsked);
}

std::string FilterOf(const FilterCodec& codec, size_t count) {
  const auto builder = codec.NewBuilder(kBitsPerKey);
  for (size_t i = 0; i < count; ++i) builder->Add(FilterKey(KeyOf(2 * i)));
  return *builder->Finish();
}

void FilterProbe(benchmark::State& state, const FilterCodec* codec, bool hits) {
  const std::string filter =
      FilterOf(*codec, static_cast<size_t>(state.range(0)));
  ProbeAll(state, codec->Open(filter), hits);
}

// The portable and the vectorized probe of FastLocalBloom.
void FilterProbeTwin(benchmark::State& state, FilterView::Probe probe,
                     bool hits) {
  if (probe == nullptr) {
    state.SkipWithError("this processor has no AVX2");
    return;
  }
  const std::string filter =
      FilterOf(*FastLocalBloomCodec(), static_cast<size_t>(state.range(0)));
  const FilterView view = FastLocalBloomCodec()->Open(filter);
  ProbeAll(state,
           FilterView(probe, view.bytes(), view.state<FastLocalBloomState>()),
           hits);
}

// Random numbers, sorted, in 8 bytes or as "user" and 20 digits.
std::vector<std::string> RangeKeys(size_t count, bool digits, uint64_t seed) {
  Random random(seed);
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = random.Next();
    if (digits) {
      const std::string text = std::to_string(number);
      keys.push_back("user" + std::string(20 - text.size(), '0') + text);
    } else {
      std::string bytes(sizeof(number), '\0');
      for (size_t b = 0; b < bytes.size(); ++b) {
        bytes[b] = static_cast<char>(number >> (56 - 8 * b));
      }
      keys.push_back(std::move(bytes));
    }
  }
  std::ranges::sort(keys);
  return keys;
}

std::string RangeFilterOf(const RangeFilterCodec& codec,
                          const std::vector<std::string>& keys) {
  const auto builder = codec.NewBuilder(12);
  for (const std::string& key : keys) builder->Add(key);
  return builder->Finish();
}

void RangeFilterBuild(benchmark::State& state, const RangeFilterCodec* codec,
                      bool digits) {
  const auto count = static_cast<size_t>(state.range(0));
  const std::vector<std::string> keys = RangeKeys(count, digits, 301);
  for (auto _ : state) benchmark::DoNotOptimize(RangeFilterOf(*codec, keys));
  CountKeys(state, count);
}

// Short ranges, in random order, almost all of them without keys.
void RangeFilterProbe(benchmark::State& state, const RangeFilterCodec* codec,
                      bool digits) {
  const auto count = static_cast<size_t>(state.range(0));
  const std::string filter =
      RangeFilterOf(*codec, RangeKeys(count, digits, 301));
  const RangeFilterView view = codec->Open(filter);
  constexpr size_t kAsked = 1 << 14;
  std::vector<std::pair<std::string, std::string>> ranges;
  for (std::string& begin : RangeKeys(kAsked, digits, 302)) {
    std::string end = begin + "~";
    ranges.emplace_back(std::move(begin), std::move(end));
  }
  Random random(303);
  for (size_t i = kAsked - 1; i > 0; --i) {
    std::swap(ranges[i], ranges[random.Uniform(i + 1)]);
  }
  for (auto _ : state) {
    size_t matches = 0;
    for (const auto& [begin, end] : ranges) {
      if (view.MayMatch(begin, end)) ++matches;
    }
    benchmark::DoNotOptimize(matches);
  }
  CountKeys(state, kAsked);
}

#define TAMIS_SIZES Arg(1000)->Arg(100000)->Arg(1000000)->Arg(10000000)
#define TAMIS_SIZES_BUILD Arg(1000)->Arg(100000)->Arg(1000000)

BENCHMARK_CAPTURE(FilterBuild, FastLocalBloom, FastLocalBloomCodec())
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(FilterBuild, Ribbon, RibbonCodec())->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(FilterBuild, BinaryFuse, BinaryFuseCodec())
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(FilterBuild, Xor, XorCodec())->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(FilterBuild, BumpedRibbon, BumpedRibbonCodec())
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(FilterBuild, HomogeneousRibbon, HomogeneousRibbonCodec())
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(FilterProbe, FastLocalBloom_hit, FastLocalBloomCodec(), true)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, FastLocalBloom_miss, FastLocalBloomCodec(),
                  false)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, Ribbon_hit, RibbonCodec(), true)->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, Ribbon_miss, RibbonCodec(), false)->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, BinaryFuse_hit, BinaryFuseCodec(), true)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, BinaryFuse_miss, BinaryFuseCodec(), false)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, Xor_hit, XorCodec(), true)->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, Xor_miss, XorCodec(), false)->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, BumpedRibbon_hit, BumpedRibbonCodec(), true)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, BumpedRibbon_miss, BumpedRibbonCodec(), false)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, HomogeneousRibbon_hit, HomogeneousRibbonCodec(),
                  true)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbe, HomogeneousRibbon_miss, HomogeneousRibbonCodec(),
                  false)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbeTwin, Portable_hit, FastLocalBloomProbePortable,
                  true)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbeTwin, Portable_miss, FastLocalBloomProbePortable,
                  false)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbeTwin, Vector_hit, FastLocalBloomProbeVector(),
                  true)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(FilterProbeTwin, Vector_miss, FastLocalBloomProbeVector(),
                  false)
    ->TAMIS_SIZES;
BENCHMARK_CAPTURE(RangeFilterBuild, Grafite_integers, GrafiteCodec(), false)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterBuild, Fence_integers, FenceCodec(), false)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterBuild, Fence_digits, FenceCodec(), true)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterBuild, SuRF_integers, SurfCodec(), false)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterBuild, SuRF_digits, SurfCodec(), true)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterProbe, Grafite_integers, GrafiteCodec(), false)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterProbe, Fence_integers, FenceCodec(), false)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterProbe, Fence_digits, FenceCodec(), true)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterProbe, SuRF_integers, SurfCodec(), false)
    ->TAMIS_SIZES_BUILD;
BENCHMARK_CAPTURE(RangeFilterProbe, SuRF_digits, SurfCodec(), true)
    ->TAMIS_SIZES_BUILD;

}  // namespace
}  // namespace tamis
