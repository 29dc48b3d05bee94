// SPDX-License-Identifier: Apache-2.0
//
// A database as a script speaks of it, in a world of its own: a file system in
// memory, a clock that stands still, background jobs in the order of a seed.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "tamis/db.h"

#include "tests/crash/script.h"
#include "tests/model/model.h"
#include "util/file_system_memory.h"

namespace tamis::crash {

class Database {
 public:
  // `script` outlives the object.
  Database(const Script& script, uint64_t seed);

  MemoryFileSystem* fs() { return fs_.get(); }
  bool is_open() const { return db_ != nullptr; }
  // A background error keeps writes away.
  bool Stopped();

  Status Open(bool create_if_missing);
  Status Close();
  void Drop();  // by the destructor
  Status Resume() { return db_->Resume(); }

  Status Write(const model::Changes& changes, bool sync);
  Status Flush(bool wait);
  Status Compact(bool force);
  Status SyncLog() { return db_->FlushWAL(/*sync=*/true); }
  void RunJobs(uint64_t count);
  void RunAllJobs() { runner_->RunUntilIdle(); }

  // What it holds, by a walk forward that one backward and a point read of
  // each of `keys` agree with. Empty, or how they differ. *status: the error
  // that ended it.
  std::string Read(const std::set<std::string>& keys, model::State* state,
                   Status* status);
  // Its tables are those on disk, in the sizes that it says, in order. Empty,
  // or what is wrong.
  std::string CheckTables();

 private:
  Options MakeOptions() const;

  const Script& script_;
  const std::shared_ptr<MemoryFileSystem> fs_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<DeterministicJobRunner> runner_;
  std::shared_ptr<TableFactory> tables_;
  std::shared_ptr<MergeOperator> merge_;
  std::unique_ptr<DB> db_;
};

}  // namespace tamis::crash
