// SPDX-License-Identifier: Apache-2.0
//
// The database of a script, in a simulated environment: a file system that can
// fail, a clock that does not advance, and background jobs in the order of a
// seed. During its calls to the engine, allocations, callbacks and jobs are
// counted and may fail (tests/failures/failures.h).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "tests/crash/script.h"
#include "tests/failures/throwing_callbacks.h"
#include "tests/model/model.h"
#include "tests/support/simulated_file_system.h"

namespace tamis::crash {

class Database {
 public:
  // `script` must outlive the object.
  Database(const Script& script, uint64_t seed,
           std::shared_ptr<SimulatedFileSystem> fs);
  ~Database() { CloseIn(&opened_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  SimulatedFileSystem* fs() { return fs_.get(); }
  bool is_open() const { return opened_.db != nullptr; }
  // Whether a background error stops writes.
  bool Stopped();

  // If it is unknown whether a family was created or dropped, the directory
  // decides; see families() afterwards.
  Status Open(bool create_if_missing);
  Status Close();
  void Drop();  // by the destructor
  Status Resume();

  // The open database's, without "default".
  std::set<std::string> families() const;
  Status CreateFamily(const std::string& name);
  Status DropFamily(const std::string& name);

  Status Write(const model::Changes& changes, bool sync, bool nowal);
  Status Ingest(const model::Changes& changes, bool move);
  Status Flush(const std::vector<std::string>& families, bool wait);
  Status Compact(const std::string& family, bool force);
  Status RewriteFilters(const std::string& family, bool wait);
  Status SyncLog();
  Status MakeCheckpoint(const std::string& name);
  void RunJobs(uint64_t count);
  void RunAllJobs();

  // Reads the contents by a forward scan, and checks that a backward scan and
  // point reads of `keys` agree. Empty, or the difference. *status: the error
  // that ended the reads.
  std::string Read(const std::set<std::string>& keys, model::State* state,
                   Status* status);
  // The same for a checkpoint, which it opens and closes. *exists: whether the
  // checkpoint exists; if not, nothing is read.
  std::string ReadCheckpoint(const std::string& name,
                             const std::set<std::string>& keys,
                             model::State* state, bool* exists);
  // Checks that its tables are those on disk, with their sizes, and in order.
  // Empty, or what is wrong.
  std::string CheckTables();

 private:
  // An open database and its families by name, "" for "default".
  struct Opened {
    std::unique_ptr<DB> db;
    std::map<std::string, ColumnFamilyHandle*> handles;
  };

  Options MakeOptions() const;
  std::shared_ptr<CompactionService> MakeWorker(const Options& options) const;
  Status OpenIn(const std::string& directory, bool create_if_missing,
                Opened* opened);
  static void CloseIn(Opened* opened);
  static std::string ReadIn(const Opened& opened,
                            const std::set<std::string>& keys,
                            model::State* state, Status* status);

  const Script& script_;
  const std::shared_ptr<SimulatedFileSystem> fs_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<DeterministicJobRunner> runner_;
  std::shared_ptr<TableFactory> tables_;
  std::shared_ptr<MergeOperator> merge_;
  const ThrowingComparator order_;
  Opened opened_;
  uint64_t files_ = 0;  // that were made for ingestion
};

}  // namespace tamis::crash
