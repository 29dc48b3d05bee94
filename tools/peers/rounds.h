// SPDX-License-Identifier: Apache-2.0
//
// Runs planned tables on all engines, interleaved: A B C A B C ... Each round
// fills new databases and starts with a different engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/preset.h"
#include "tools/peers/report.h"

namespace tamis::peers {

// One thread.
class Rounds {
 public:
  // `folder` is an existing directory for the databases. wait_until_idle()
  // returns when no engine works in the background.
  Rounds(std::vector<std::unique_ptr<Engine>> engines, std::string folder,
         std::vector<PlannedTable> tables, const EngineConfig& config,
         std::function<void()> wait_until_idle);

  // Runs one round. `round` counts from 0, and determines the seeds and the
  // order of the engines.
  void Run(int round);
  // Returns the tables with the figures of all rounds so far.
  std::vector<FigureTable> Figures() const;
  std::vector<ReportedEngine> Engines() const;

 private:
  // Returns the costs of a row of a table, by engine and round.
  std::vector<std::vector<Cost>>& CostsOf(size_t table, const Workload& row);
  bool Wanted(Stage stage) const;
  bool Wanted(const Workload& row) const;
  bool Wanted(Levels levels) const;
  void FillAndForget(size_t e);
  // Fills a database of each engine, and runs all workloads that share it.
  void FillOnce();
  void FillRandomly(size_t e);
  void ReadTable(size_t table);
  void ChangeTable(size_t table);
  void ChangeAndForget(size_t e);
  void OpenAll(size_t cache_bytes);
  // Runs the row with other keys, to fill the cache as the row does. Does
  // nothing for scans, nor if the table is not cold. A row that changes the
  // database is replaced by point reads.
  void Warm(const PlannedTable& table, const Workload& row, Engine& engine);
  // Runs the row on the engine if that is possible, and adds its cost to each
  // table with this row.
  void Record(const Workload& row, size_t e);
  Cost Measure(const Workload& row, size_t e, const WorkloadConfig& work) const;
  void Add(size_t table, const Workload& row, size_t e, const Cost& cost);
  WorkloadConfig WorkOf(const PlannedTable& table) const;
  void Open(size_t e, size_t cache_bytes);
  void Remove(size_t e);
  std::string Folder(size_t e) const;
  template <typename Visit>
  void ForEach(Visit&& visit);

  const std::vector<std::unique_ptr<Engine>> engines_;
  const std::string folder_;
  const std::vector<PlannedTable> tables_;
  const EngineConfig config_;
  const std::function<void()> wait_until_idle_;
  int round_ = 0;
  // By table, row, engine, round.
  std::vector<std::vector<std::vector<std::vector<Cost>>>> costs_;
};

}  // namespace tamis::peers
