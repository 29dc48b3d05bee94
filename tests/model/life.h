// SPDX-License-Identifier: Apache-2.0
//
// A Life runs a History on a file system in memory, with a clock that advances
// only on request, and background jobs in the order of the seed. Equal seeds
// give equal logs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "tests/model/faults.h"
#include "tests/model/history.h"
#include "tests/model/model.h"
#include "util/base/random.h"

namespace tamis::model {

class Life {
 public:
  explicit Life(uint64_t seed);
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // LOG does not begin anew at a size: its lines tell of lookups that were
  // sampled at random, so that lives of one seed would differ. Call before Go.
  void KeepLog();
  // Empty: the database did what the model says; otherwise what it did instead.
  std::string Go();

  const History& history() const { return history_; }
  // A line for each operation: its name, result and file system calls.
  const std::vector<std::string>& log() const { return log_; }
  // The seed, the options and the end of the log.
  std::string Tail() const;

 private:
  struct HeldSnapshot {
    const Snapshot* snapshot;
    State state;
  };
  struct HeldIterator {
    std::unique_ptr<Iterator> iterator;
    State state;
  };

  std::string Do(const Operation& operation);
  // Turns changes of single keys into puts of absent ones and single deletes of
  // the others.
  void KeepSingleKeys(Changes* changes) const;
  std::string Write(const Operation& operation);
  Status WriteAlone(const WriteOptions& options, const Change& change);
  std::string TakeSnapshot();
  void ReleaseSnapshot(uint64_t choice);
  void OpenIterator(uint64_t choice);
  void CloseIterator(uint64_t choice);
  std::string Flush(const Operation& operation);
  std::string CompactRange(const Operation& operation);
  std::string SyncLog();
  std::string Resume();
  std::string CheckAll();
  std::string CheckSome();
  std::string Finish();

  // Opens until it succeeds: retries an open that a fault failed, and, after a
  // restart, one that it cut short.
  std::string Open();
  std::string CheckDirectory();
  std::string Reopen(bool close);
  // Drops a database that is down and opens it, until it stays up.
  std::string Crash();
  // Arms a fault that happens soon.
  void ArmAccident();
  // Restores power or process, if it is down.
  void Restart();
  void ReleaseAll();

  bool Healthy();
  // Checks that the status is OK, or an error with a cause: an earlier
  // background error, a fault since `fired`, or it is down.
  std::string Judge(const char* what, const Status& status, bool was_healthy,
                    uint64_t fired);
  void Log(const std::string& line);

  History history_;
  Random random_;
  const std::shared_ptr<SimulatedFileSystem> fs_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<DeterministicJobRunner> runner_;
  Faults faults_;
  Model model_;
  std::unique_ptr<DB> db_;
  std::vector<HeldSnapshot> snapshots_;
  std::vector<HeldIterator> iterators_;
  bool created_ = false;
  size_t opens_ = 0;
  uint64_t fired_at_open_ = 0;
  std::vector<std::string> log_;
};

}  // namespace tamis::model
