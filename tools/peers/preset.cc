// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/preset.h"

#include <algorithm>
#include <utility>

namespace tamis::peers {

namespace {

TableSpec Cached() {
  return {.name = "cached",
          .rows = {"fillseq", "fillrandom", "compact", "readrandom",
                   "readrandom2", "readmissing", "multiget", "seekrandom",
                   "readseq", "readreverse"}};
}

TableSpec Cold(const char* name, double cache_share) {
  return {.name = name,
          .cache_share = cache_share,
          .rows = {"readrandom", "readrandom2", "multiget", "seekrandom",
                   "readseq"}};
}

TableSpec Ycsb(const char* name, double cache_share) {
  return {.name = name,
          .cache_share = cache_share,
          .rows = {"ycsba", "ycsbb", "ycsbc", "ycsbd", "ycsbe", "ycsbf"}};
}

TableSpec Levelled(const char* name, Levels levels) {
  return {.name = name,
          .levels = levels,
          .rows = {"readrandom", "readmissing", "multiget", "seekrandom",
                   "seeknew"}};
}

// Returns the presets with default sizes and compression.
std::vector<Preset> StandardPresets() {
  const TableSpec cached = Cached();
  const TableSpec cold10 = Cold("cold10", 0.1);
  const TableSpec cold3 = Cold("cold3.5", 0.035);
  return {
      {.name = "default",
       .what = "writes; reads with everything and with a part of it cached",
       .tables = {cached, cold10, cold3}},
      {.name = "cached",
       .what = "writes; reads with everything cached",
       .tables = {cached}},
      {.name = "cold",
       .what = "reads with a cache of 10 % and of 3.5 % of the data",
       .tables = {cold10, cold3}},
      {.name = "writes",
       .what = "one, two and four writers, batches, overwrites",
       .tables = {{.name = "writes",
                   .rows = {"fillseq", "fillseqbatch", "fillrandom",
                            "fillrandbatch", "fillrandom2", "fillrandom4",
                            "compact", "overwrite"}}}},
      {.name = "sync",
       .what = "synced writes of one and of eight threads",
       .tables = {{.name = "sync", .rows = {"fillsync", "fillsync8"}}}},
      {.name = "mixed",
       .what = "mixed present and absent keys, zipfian keys, reads and writes "
               "at once",
       .tables = {{.name = "cached",
                   .rows = {"readrandom", "readmixed", "readzipfian",
                            "seekrandom", "seeknext10", "overwrite",
                            "readwhilewriting", "writewhilereading",
                            "readwrite"}},
                  {.name = "cold10",
                   .cache_share = 0.1,
                   .rows = {"readrandom", "readmixed", "readzipfian",
                            "seekrandom", "seeknext10"}}}},
      {.name = "deletes",
       .what = "deletions, range deletions and merges",
       .tables = {{.name = "deletes",
                   .rows = {"mergerandom", "deleterandom", "deleterange"}}}},
      {.name = "ycsb",
       .what = "YCSB A to F with everything cached, and with a cache of 10 %",
       .tables = {Ycsb("cached", 0), Ycsb("cold10", 0.1)}},
  };
}

std::vector<Preset> OtherPresets() {
  const TableSpec cached = Cached();
  const TableSpec cold10 = Cold("cold10", 0.1);
  return {
      {.name = "values1k",
       .what = "values of 1 KiB",
       .num = 300'000,
       .reads = 300'000,
       .value_size = 1 << 10,
       .tables = {cached, cold10}},
      {.name = "values64k",
       .what = "values of 64 KiB",
       .num = 6'000,
       .reads = 30'000,
       .value_size = 64 << 10,
       .tables = {cached, cold10}},
      {.name = "none",
       .what = "blocks that are not compressed",
       .compression = "none",
       .tables = {cached, cold10}},
      {.name = "lz4",
       .what = "blocks compressed with lz4",
       .compression = "lz4",
       .tables = {cached, cold10}},
      {.name = "zstd",
       .what = "blocks compressed with zstd",
       .compression = "zstd",
       .tables = {cached, cold10}},
      {.name = "levels",
       .what = "10 million keys, cache 64 MiB: several levels as the fill left "
               "them, and one",
       .num = 10'000'000,
       .cache_size = 64 << 20,
       .tables = {Levelled("as_filled", Levels::kAsFilled),
                  Levelled("compacted", Levels::kCompacted)}},
  };
}

std::vector<Preset> AllPresets() {
  std::vector<Preset> presets = StandardPresets();
  for (Preset& preset : OtherPresets()) presets.push_back(std::move(preset));
  return presets;
}

}  // namespace

const std::vector<Preset>& Presets() {
  static const std::vector<Preset> presets = AllPresets();
  return presets;
}

const Preset* FindPreset(std::string_view name) {
  for (const Preset& preset : Presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

uint64_t DataBytes(const WorkloadConfig& work) {
  return work.num * static_cast<uint64_t>(work.key_size + work.value_size);
}

std::vector<PlannedTable> PlanTables(const Preset& preset,
                                     const std::vector<std::string>& rows,
                                     const WorkloadConfig& work,
                                     const EngineConfig& engine,
                                     uint64_t cold_reads) {
  std::vector<PlannedTable> tables;
  for (const TableSpec& spec : preset.tables) {
    PlannedTable table{.name = spec.name,
                       .levels = spec.levels,
                       .cold = false,
                       .cache_bytes = engine.cache_bytes,
                       .work = work,
                       .rows = {}};
    if (spec.cache_share > 0) {
      table.cache_bytes = static_cast<size_t>(
          static_cast<double>(DataBytes(work)) * spec.cache_share);
    }
    table.cold = table.cache_bytes < DataBytes(work);
    if (table.cold) table.work.reads = std::min(work.reads, cold_reads);
    for (const Workload& workload : Workloads()) {
      const auto is_row = [&workload](const auto& name) {
        return name == workload.name;
      };
      if (std::none_of(spec.rows.begin(), spec.rows.end(), is_row)) continue;
      if (!rows.empty() && std::none_of(rows.begin(), rows.end(), is_row)) {
        continue;
      }
      table.rows.push_back(&workload);
    }
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace tamis::peers
