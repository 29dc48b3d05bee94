// SPDX-License-Identifier: Apache-2.0
#include "tools/ycsb_filters/figures.h"

#include <sstream>

#include "tools/decimal.h"
#include "tools/repeated_runs.h"

namespace tamis::ycsb_filters {

namespace {

template <typename Sample>
struct Column {
  const char* title;
  double Sample::*value;
  int digits;
};

constexpr Column<StoreSample> kStoreColumns[] = {
    {"load, s", &StoreSample::load_seconds, 2},
    {"write amplification", &StoreSample::write_amplification, 2},
    {"full compaction, s", &StoreSample::compaction_seconds, 2},
    {"filters, KB", &StoreSample::filter_kilobytes, 1},
    {"filter bits per key", &StoreSample::filter_bits_per_key, 2},
};

constexpr Column<RunSample> kRunColumns[] = {
    {"operations per s", &RunSample::operations_per_second, 0},
    {"p99, us", &RunSample::p99_micros, 1},
    {"cache hits, %", &RunSample::cache_hit_percent, 1},
    {"wasted reads per 1000", &RunSample::wasted_per_1000, 2},
};

template <typename Sample>
std::string Spread(const std::vector<Sample>& samples,
                   const Column<Sample>& column) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*column.value);
  const Summary s = Summarize(values);
  return Decimal(s.median, column.digits) + " [" +
         Decimal(s.least, column.digits) + " .. " +
         Decimal(s.most, column.digits) + "]";
}

template <typename Sample, size_t kColumns>
std::string Head(const std::string& first,
                 const Column<Sample> (&columns)[kColumns]) {
  std::string head = "| " + first + " |";
  for (const auto& column : columns)
    head += " " + std::string(column.title) + " |";
  head += "\n|";
  for (size_t i = 0; i < kColumns + 1; ++i) head += "---|";
  // One more for each column in `first`.
  for (const char c : first) {
    if (c == '|') head += "---|";
  }
  return head + "\n";
}

template <typename Sample, size_t kColumns>
std::string Row(const std::string& first, const std::vector<Sample>& samples,
                const Column<Sample> (&columns)[kColumns]) {
  std::string row = "| " + first + " |";
  for (const auto& column : columns)
    row += " " + Spread(samples, column) + " |";
  return row + "\n";
}

template <typename Sample, size_t kColumns>
std::string CsvLines(const std::string& what, const std::string& store,
                     const std::vector<Sample>& samples,
                     const Column<Sample> (&columns)[kColumns]) {
  std::string lines;
  for (size_t round = 0; round < samples.size(); ++round) {
    for (const auto& column : columns) {
      lines += "\"" + what + "\",\"" + store + "\"," + std::to_string(round) +
               ",\"" + column.title + "\"," +
               Decimal(samples[round].*column.value, 4) + "\n";
    }
  }
  return lines;
}

std::string PercentOf(double cache) {
  std::ostringstream text;
  text << cache << " %";
  return text.str();
}

}  // namespace

std::string ToMarkdown(const Figures& figures) {
  std::string text = Head("store", kStoreColumns);
  for (size_t i = 0; i < figures.stores.size(); ++i) {
    text += Row(figures.stores[i], figures.by_store[i], kStoreColumns);
  }
  for (const std::string& workload : figures.workloads) {
    text += "\nYCSB " + workload + ":\n\n" + Head("cache | store", kRunColumns);
    for (const auto& [key, samples] : figures.runs) {
      const auto& [of, cache, store] = key;
      if (of != workload) continue;
      text += Row(PercentOf(cache) + " | " + figures.stores[store], samples,
                  kRunColumns);
    }
  }
  return text;
}

std::string ToCsv(const Figures& figures) {
  std::string text = "what,store,round,figure,value\n";
  for (size_t i = 0; i < figures.stores.size(); ++i) {
    text += CsvLines("store", figures.stores[i], figures.by_store[i],
                     kStoreColumns);
  }
  for (const auto& [key, samples] : figures.runs) {
    const auto& [workload, cache, store] = key;
    text += CsvLines("YCSB " + workload + ", cache " + PercentOf(cache),
                     figures.stores[store], samples, kRunColumns);
  }
  return text;
}

}  // namespace tamis::ycsb_filters
