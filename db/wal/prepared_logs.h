// SPDX-License-Identifier: Apache-2.0
//
// The prepared sections that an open database has in its logs, and which logs
// must be kept for them: the log of a section until what became of its
// transaction is durable, by a sync, or because the log that says so is closed,
// which syncs it.
//
// A log that failed may end with a commit or a rollback that was reported as
// failed. MoveTo copies the sections to its successor, so that it can go.
//
// Any thread.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tamis/write_batch.h"

#include "db/base/numbers.h"
#include "util/base/mutex.h"

namespace tamis {

class PreparedLogs {
 public:
  // `log` has the section. May throw. REQUIRES: the log is the open one, and
  // the caller leads the write queue.
  void Add(const std::string& id, const WriteBatch& changes, FileNumber log)
      EXCLUDES(mutex_);
  // The section is ended by a record of the log `by`, which is durable already
  // or not. REQUIRES: IsOpen(id).
  void End(const std::string& id, FileNumber by, bool durable) noexcept
      EXCLUDES(mutex_);
  // Returns whether there is a section of that id that has not ended.
  bool IsOpen(const std::string& id) const EXCLUDES(mutex_);
  // Returns the oldest log that is still needed, or kFileNumberMax. All logs
  // below `open_log` are closed.
  FileNumber Oldest(FileNumber open_log) noexcept EXCLUDES(mutex_);
  // Calls copy(id, changes) for each section that has not ended, which is then
  // in `log`. Stops at the first error, and returns it. REQUIRES: as Add.
  using Copy = std::function<Status(const std::string&, const WriteBatch&)>;
  Status MoveTo(FileNumber log, const Copy& copy) EXCLUDES(mutex_);

 private:
  struct Section {
    WriteBatch changes;  // empty once it has ended
    FileNumber log;
    FileNumber ended_by = kNoFile;
  };
  using Sections = std::multimap<std::string, Section>;

  mutable Mutex mutex_;
  // By id. Of those with the same id, at most one has not ended.
  Sections sections_ GUARDED_BY(mutex_);
};

}  // namespace tamis
