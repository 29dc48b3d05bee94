// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_bench/measurement.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "tools/cpu_time.h"
#include "tools/filter_bench/allocated_bytes.h"
#include "tools/filter_bench/placed_filters.h"
#include "util/base/random.h"

namespace tamis {

namespace {

// Of which nearly 5,000 match at a rate of 1 %: a relative deviation of 1.5 %.
constexpr size_t kRateProbes = 500000;

volatile size_t sink;

// Between two neighbours of the table are as many numbers that it lacks.
constexpr uint64_t kBetween = uint64_t{1} << 20;

std::string KeyOf(uint64_t number, size_t bytes) {
  std::string key(bytes, 'k');
  for (size_t i = 0; i < 8; ++i) {
    key[i] = static_cast<char>(number >> (8 * (7 - i)));
  }
  return key;
}

struct TableKeys {
  TableKeys(size_t n, size_t bytes) {
    text.reserve(n * bytes);
    for (size_t i = 0; i < n; ++i) text += KeyOf(i * kBetween, bytes);
    for (size_t i = 0; i < n; ++i) {
      keys.emplace_back(text.data() + i * bytes, bytes);
    }
  }
  std::string text;
  std::vector<Slice> keys;
};

// Questions of a filter, adjacent in memory, as a lookup has its key in a
// cache.
class Questions {
 public:
  Questions(size_t n, size_t key_bytes) : key_bytes_(key_bytes) {
    text_.reserve(n * key_bytes);
    positions_.reserve(n);
  }
  void Add(size_t position, const std::string& key) {
    positions_.push_back(position);
    text_ += key;
  }
  size_t size() const { return positions_.size(); }
  Slice key(size_t i) const {
    return {text_.data() + i * key_bytes_, key_bytes_};
  }
  size_t position(size_t i) const { return positions_[i]; }

 private:
  const size_t key_bytes_;
  std::string text_;
  std::vector<size_t> positions_;
};

std::string AbsentKey(size_t position, size_t bytes, Random* random) {
  return KeyOf(position * kBetween + 1 + random->Uniform(kBetween - 1), bytes);
}

Questions Draw(const FilterCase& of, size_t n, bool present, Random* random) {
  Questions drawn(n, of.key_bytes);
  for (size_t i = 0; i < n; ++i) {
    const size_t position = random->Uniform(of.keys);
    drawn.Add(position, present ? KeyOf(position * kBetween, of.key_bytes)
                                : AbsentKey(position, of.key_bytes, random));
  }
  return drawn;
}

// Batches whose keys share a filter.
Questions DrawBatches(const FilterCase& of, const FilterBytes& filters,
                      const BenchSettings& settings, Random* random) {
  Questions drawn(settings.probes, of.key_bytes);
  const size_t group = filters.keys_of_a_group;
  while (drawn.size() < settings.probes) {
    const size_t begin = random->Uniform(filters.filters.size()) * group;
    const size_t keys = std::min(group, of.keys - begin);
    for (size_t i = 0; i < settings.batch; ++i) {
      const size_t position = begin + random->Uniform(keys);
      drawn.Add(position, AbsentKey(position, of.key_bytes, random));
    }
  }
  return drawn;
}

// In caches as far as it fits: the least of several passes.
double TimeOf(const PlacedFilters& filters, const Questions& asked) {
  return LeastCpuTime(5, asked.size(), [&] {
    size_t matches = 0;
    for (size_t i = 0; i < asked.size(); ++i) {
      if (filters.MayMatch(0, asked.key(i), asked.position(i))) ++matches;
    }
    sink = matches;
  });
}

double TimeOfCold(const PlacedFilters& filters, const Questions& asked,
                  Random* random) {
  std::vector<size_t> which(asked.size());
  for (size_t& copy : which) copy = random->Uniform(filters.copies());
  return LeastCpuTime(1, asked.size(), [&] {
    size_t matches = 0;
    for (size_t i = 0; i < asked.size(); ++i) {
      if (filters.MayMatch(which[i], asked.key(i), asked.position(i))) {
        ++matches;
      }
    }
    sink = matches;
  });
}

double TimeOfBatches(const PlacedFilters& filters, const Questions& asked,
                     size_t batch, Random* random) {
  std::vector<size_t> which(asked.size() / batch);
  for (size_t& copy : which) copy = random->Uniform(filters.copies());
  std::vector<Slice> keys;
  for (size_t i = 0; i < asked.size(); ++i) keys.push_back(asked.key(i));
  const std::span<const Slice> all(keys);
  return LeastCpuTime(1, asked.size(), [&] {
    size_t matches = 0;
    for (size_t i = 0; i < which.size(); ++i) {
      matches += filters.CountMatches(which[i], all.subspan(i * batch, batch),
                                      asked.position(i * batch));
    }
    sink = matches;
  });
}

double ObservedRateOf(const FilterCase& of, const PlacedFilters& filters,
                      Random* random) {
  size_t matches = 0;
  for (size_t i = 0; i < kRateProbes; ++i) {
    const size_t position = random->Uniform(of.keys);
    const std::string key = AbsentKey(position, of.key_bytes, random);
    if (filters.MayMatch(0, key, position)) ++matches;
  }
  return static_cast<double>(matches) / static_cast<double>(kRateProbes);
}

void MeasureRound(const TableKeys& table, const BenchSettings& settings,
                  bool first, Random* random, FilterFigures* figures) {
  const FilterCase& of = figures->of;
  FilterBytes built;
  const size_t before = BeginAllocationPeak();
  figures->build.push_back(LeastCpuTime(1, of.keys, [&] {
    built =
        BuildFilters(*of.format, of.groups, table.keys, settings.value_bytes);
  }));
  const size_t peak = AllocationPeak() - before;
  const PlacedFilters one(*of.format, built, 1);
  if (first) {
    figures->bytes = built.size();
    figures->build_memory = peak;
    figures->predicted = built.PredictedRate(*of.format);
    figures->observed = ObservedRateOf(of, one, random);
  }
  const size_t probes = settings.probes;
  figures->hit.push_back(TimeOf(one, Draw(of, probes, true, random)));
  figures->miss.push_back(TimeOf(one, Draw(of, probes, false, random)));
  const PlacedFilters many(
      *of.format, built,
      std::max<size_t>(2, settings.cold_bytes / (built.size() + 1)));
  figures->cold.push_back(
      TimeOfCold(many, Draw(of, probes, false, random), random));
  figures->batched.push_back(TimeOfBatches(
      many, DrawBatches(of, built, settings, random), settings.batch, random));
}

}  // namespace

double FilterFigures::BitsPerKey() const {
  return 8.0 * static_cast<double>(bytes) / static_cast<double>(of.keys);
}

std::optional<double> FilterFigures::OverTheLeast() const {
  if (observed <= 0 || observed >= 1) return std::nullopt;
  return BitsPerKey() / -std::log2(observed) - 1;
}

std::vector<FilterFigures> Measure(const std::vector<FilterCase>& cases,
                                   int rounds, const BenchSettings& settings) {
  std::vector<FilterFigures> figures;
  for (const FilterCase& of : cases) figures.push_back({.of = of});
  if (cases.empty()) return figures;
  const TableKeys table(cases[0].keys, cases[0].key_bytes);
  Random random(settings.seed);
  for (int round = 0; round < rounds; ++round) {
    for (FilterFigures& one : figures) {
      MeasureRound(table, settings, round == 0, &random, &one);
    }
  }
  return figures;
}

}  // namespace tamis
