// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/rounds.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tools/peers/folder_bytes.h"
#include "tools/peers/read_workloads.h"
#include "tools/peers/stop_watch.h"
#include "tools/peers/write_workloads.h"

namespace tamis::peers {

namespace {

bool IsScan(const Workload& row) {
  return row.run == ReadSequential || row.run == ReadReverse;
}

std::string Conditions(const PlannedTable& table) {
  std::string text =
      "cache " + std::to_string(table.cache_bytes >> 10) + " KiB";
  if (table.cold) text += ", warmed by reads, files in the page cache";
  text += table.levels == Levels::kAsFilled
              ? ", levels as fillrandom left them, reopened"
              : ", reads after a full compaction";
  return text + ", " + std::to_string(table.work.reads) + " random reads";
}

}  // namespace

Rounds::Rounds(std::vector<std::unique_ptr<Engine>> engines, std::string folder,
               std::vector<PlannedTable> tables, const EngineConfig& config,
               std::function<void()> wait_until_idle)
    : engines_(std::move(engines)),
      folder_(std::move(folder)),
      tables_(std::move(tables)),
      config_(config),
      wait_until_idle_(std::move(wait_until_idle)) {
  for (const PlannedTable& table : tables_) {
    costs_.emplace_back(table.rows.size(),
                        std::vector<std::vector<Cost>>(engines_.size()));
  }
}

void Rounds::Run(int round) {
  round_ = round;
  ForEach([this](size_t e) { FillAndForget(e); });
  FillOnce();
  ForEach([this](size_t e) { ChangeAndForget(e); });
}

void Rounds::FillOnce() {
  const bool compacted = Wanted(Stage::kCompact) || Wanted(Levels::kCompacted);
  const bool as_filled = Wanted(Levels::kAsFilled);
  if (!Wanted(Stage::kFill) && !compacted && !as_filled) return;
  // Without reads in between, the compaction is measured right after the fill.
  ForEach([&](size_t e) {
    FillRandomly(e);
    if (compacted && !as_filled) Record(*FindWorkload("compact"), e);
  });
  for (size_t t = 0; as_filled && t < tables_.size(); ++t) {
    if (tables_[t].levels == Levels::kAsFilled) ReadTable(t);
  }
  if (compacted && as_filled) {
    ForEach([this](size_t e) { Record(*FindWorkload("compact"), e); });
  }
  for (size_t t = 0; t < tables_.size(); ++t) {
    if (tables_[t].levels == Levels::kCompacted) ReadTable(t);
  }
  for (size_t t = 0; t < tables_.size(); ++t) ChangeTable(t);
  for (size_t e = 0; e < engines_.size(); ++e) Remove(e);
}

void Rounds::FillAndForget(size_t e) {
  for (const Workload& row : Workloads()) {
    if (row.stage != Stage::kFillAndForget) continue;
    if (!Wanted(row)) continue;
    Remove(e);
    Open(e, config_.cache_bytes);
    Record(row, e);
    Remove(e);
  }
}

void Rounds::FillRandomly(size_t e) {
  Remove(e);
  Open(e, config_.cache_bytes);
  Record(*FindWorkload("fillrandom"), e);
}

void Rounds::ReadTable(size_t table) {
  const PlannedTable& planned = tables_[table];
  const auto reads = [](const Workload* row) {
    return row->stage == Stage::kRead;
  };
  if (std::none_of(planned.rows.begin(), planned.rows.end(), reads)) return;
  if (planned.levels == Levels::kAsFilled) wait_until_idle_();
  OpenAll(planned.cache_bytes);
  // An open may flush what the log has, and so start a compaction.
  wait_until_idle_();
  if (!planned.cold) {
    ForEach([&](size_t e) { ReadSequential(*engines_[e], WorkOf(planned)); });
  }
  for (const Workload* row : planned.rows) {
    if (!reads(row)) continue;
    ForEach([&](size_t e) {
      Warm(planned, *row, *engines_[e]);
      Add(table, *row, e, Measure(*row, e, WorkOf(planned)));
    });
  }
}

void Rounds::ChangeTable(size_t table) {
  const PlannedTable& planned = tables_[table];
  bool opened = false;
  for (const Workload* row : planned.rows) {
    if (row->stage != Stage::kChange) continue;
    if (!opened) OpenAll(planned.cache_bytes);
    opened = true;
    ForEach([&](size_t e) {
      Warm(planned, *row, *engines_[e]);
      wait_until_idle_();
      Add(table, *row, e, Measure(*row, e, WorkOf(planned)));
    });
  }
}

void Rounds::ChangeAndForget(size_t e) {
  for (const Workload& row : Workloads()) {
    if (row.stage != Stage::kChangeAndForget || !Wanted(row)) continue;
    Open(e, config_.cache_bytes);
    FillRandom(*engines_[e], WorkOf(tables_.front()));
    wait_until_idle_();
    Record(row, e);
    Remove(e);
  }
}

// Does four reads for each block that fits the cache. A cache of a tenth of the
// data is full of recently read blocks after 1.05 random reads for each.
void Rounds::Warm(const PlannedTable& table, const Workload& row,
                  Engine& engine) {
  constexpr size_t kBlockBytes = 4096;
  constexpr uint64_t kReadsPerBlock = 4;
  if (!table.cold || IsScan(row)) return;
  WorkloadConfig work = WorkOf(table);
  work.reads = std::max<uint64_t>(
      1, std::min(kReadsPerBlock * table.cache_bytes / kBlockBytes, work.num));
  work.seed = ~work.seed;
  (row.stage == Stage::kRead ? row.run : ReadRandom)(engine, work);
}

void Rounds::OpenAll(size_t cache_bytes) {
  ForEach([&](size_t e) {
    engines_[e]->Close();
    Open(e, cache_bytes);
  });
}

void Rounds::Record(const Workload& row, size_t e) {
  if (row.possible != nullptr && !row.possible(*engines_[e])) return;
  const Cost cost = Measure(row, e, WorkOf(tables_.front()));
  for (size_t t = 0; t < tables_.size(); ++t) {
    const auto& rows = tables_[t].rows;
    if (std::find(rows.begin(), rows.end(), &row) != rows.end()) {
      Add(t, row, e, cost);
    }
  }
}

Cost Rounds::Measure(const Workload& row, size_t e,
                     const WorkloadConfig& work) const {
  const StopWatch watch;
  const uint64_t operations = row.run(*engines_[e], work);
  Cost cost = watch.PerOperation(operations);
  if (row.stage != Stage::kRead) {
    cost.kept = static_cast<double>(FolderBytes(Folder(e))) /
                static_cast<double>(operations);
  }
  return cost;
}

void Rounds::Add(size_t table, const Workload& row, size_t e,
                 const Cost& cost) {
  CostsOf(table, row)[e].push_back(cost);
  std::fprintf(stderr, "%-10s %-17s %-16s %9.3f us, cpu %9.3f us\n",
               tables_[table].name.c_str(), row.name,
               engines_[e]->name().c_str(), cost.wall, cost.cpu);
}

std::vector<std::vector<Cost>>& Rounds::CostsOf(size_t table,
                                                const Workload& row) {
  const auto& rows = tables_[table].rows;
  const auto at = std::find(rows.begin(), rows.end(), &row);
  return costs_[table][static_cast<size_t>(at - rows.begin())];
}

bool Rounds::Wanted(Stage stage) const {
  for (const PlannedTable& table : tables_) {
    for (const Workload* row : table.rows) {
      if (row->stage == stage) return true;
    }
  }
  return false;
}

bool Rounds::Wanted(const Workload& row) const {
  return std::any_of(
      tables_.begin(), tables_.end(), [&row](const PlannedTable& table) {
        return std::find(table.rows.begin(), table.rows.end(), &row) !=
               table.rows.end();
      });
}

bool Rounds::Wanted(Levels levels) const {
  for (const PlannedTable& table : tables_) {
    for (const Workload* row : table.rows) {
      if (table.levels == levels &&
          (row->stage == Stage::kRead || row->stage == Stage::kChange)) {
        return true;
      }
    }
  }
  return false;
}

WorkloadConfig Rounds::WorkOf(const PlannedTable& table) const {
  WorkloadConfig work = table.work;
  work.seed += static_cast<uint64_t>(round_);
  return work;
}

void Rounds::Open(size_t e, size_t cache_bytes) {
  EngineConfig config = config_;
  config.cache_bytes = cache_bytes;
  std::filesystem::create_directories(Folder(e));
  engines_[e]->Open(Folder(e), config);
}

void Rounds::Remove(size_t e) {
  engines_[e]->Close();
  std::filesystem::remove_all(Folder(e));
}

std::string Rounds::Folder(size_t e) const {
  return folder_ + "/" + std::to_string(e);
}

template <typename Visit>
void Rounds::ForEach(Visit&& visit) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    visit((i + static_cast<size_t>(round_)) % engines_.size());
  }
}

std::vector<FigureTable> Rounds::Figures() const {
  std::vector<FigureTable> figures;
  for (size_t t = 0; t < tables_.size(); ++t) {
    const PlannedTable& planned = tables_[t];
    FigureTable table{.name = planned.name,
                      .conditions = Conditions(planned),
                      .measurements = {}};
    for (size_t r = 0; r < planned.rows.size(); ++r) {
      table.measurements.push_back({.workload = planned.rows[r]->name,
                                    .threads = planned.rows[r]->threads,
                                    .engines = costs_[t][r]});
    }
    figures.push_back(std::move(table));
  }
  return figures;
}

std::vector<ReportedEngine> Rounds::Engines() const {
  std::vector<ReportedEngine> engines;
  for (const auto& engine : engines_) {
    engines.push_back({engine->name(), engine->Threads(config_)});
  }
  return engines;
}

}  // namespace tamis::peers
