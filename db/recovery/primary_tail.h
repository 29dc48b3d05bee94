// SPDX-License-Identifier: Apache-2.0
//
// A PrimaryTail reads what a writer, the primary, has added to a directory
// since the last look, and shows it to the readers of a secondary instance:
//
//   CURRENT, MANIFEST ──if they changed──▶ a Version for each family
//   logs ──the records not read yet─────▶ memtables, one for each log and
//   family
//
//   both ──▶ new ReadStates of all families at once
//
// A family's memtables of logs below its LogNumber go with the Version that has
// that number: the tables have their entries. A log is read beside its writer:
// a record that is not complete yet is read at the next look (fault_recheck.h).
//
// Entries are added to the memtables that readers have, and hidden from them by
// ReadState::readable_to. So a look that fails changes nothing that readers
// see; the next look continues where it ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/family/version_set.h"
#include "db/manifest/manifest_state.h"
#include "db/recovery/directory_listing.h"
#include "db/recovery/directory_probe.h"
#include "db/recovery/one_moment.h"
#include "db/wal/fault_recheck.h"
#include "db/wal/log_reader.h"
#include "db/wal/prepared_sections.h"
#include "util/base/mutex.h"
#include "util/base/result.h"

namespace tamis {

class PrimaryTail {
 public:
  // `versions` has the families that InstallManifest opened, without memtables.
  // All arguments must outlive *this. No other object may change the families.
  PrimaryTail(const DBContext& context, VersionSet* versions, Mutex* db_mutex);

  // Shows all that the primary logged, and all tables that it installed, before
  // the call. Returns
  //   TryAgain      the primary removed files faster than they could be read
  //   Corruption    a log is damaged, and DBOptions::wal_recovery_mode does not
  //                 tolerate it, or the MANIFEST or a table is
  //   NotSupported  the primary uses a feature that this release lacks
  // and errors of the file system. Any thread.
  Status CatchUp() EXCLUDES(mutex_, db_mutex_);
  // When the last call of CatchUp that succeeded began, by the clock's
  // NowNanos: all that the primary had logged by then is shown.
  uint64_t caught_up_at() const {
    return caught_up_at_.load(std::memory_order_relaxed);
  }

 private:
  struct Family {
    explicit Family(ColumnFamilyPtr one) : family(std::move(one)) {}
    ColumnFamilyPtr family;
    // The newest memtable, and those that readers do not have yet, for entries
    // of later logs; ascending.
    MemTable* newest = nullptr;
    std::deque<std::shared_ptr<MemTable>> fresh;
    // What the MANIFEST last read says.
    VersionPtr version;
    SequenceNumber largest = 0;  // in a table of the version
    FileNumber log_number;
    bool dropped = false;
  };
  struct Log {
    FileNumber number;
    std::unique_ptr<LogReader> reader;
    FaultRecheck recheck;
    bool at_end = false;  // the next read is of the same place
  };

  // Reads the logs, and returns whether nothing else has changed since the last
  // Look began.
  bool LookAtLogs() REQUIRES(mutex_);
  // Reads all that has changed. Returns whether the oldest log that the
  // MANIFEST needs was there.
  Result<bool> Look(const DirectoryMoment& moment) REQUIRES(mutex_);
  // Reads it unless that was done in this state.
  Status ReadNewManifest(const DirectoryMoment& moment) REQUIRES(mutex_);
  Status OpenLogs(const DirectoryListing& listing) REQUIRES(mutex_);
  Status ReadLogs() REQUIRES(mutex_);
  // Applies all records from here on.
  Status ReadLog(Log* log) REQUIRES(mutex_);
  // Returns false if there is no complete record yet.
  Result<bool> ReadRecord(Log* log, std::string* record) REQUIRES(mutex_);
  Status Apply(const Log& log, std::string record) REQUIRES(mutex_);
  MemTable* MemTableOf(Family* family, FileNumber log) REQUIRES(mutex_);
  // Returns the oldest log that must be there.
  FileNumber FirstLog() const REQUIRES(mutex_);
  bool HasNews(SequenceNumber last) const REQUIRES(mutex_, db_mutex_);
  void Install() REQUIRES(mutex_) EXCLUDES(db_mutex_);

  const DBContext& context_;
  VersionSet& versions_;
  Mutex& db_mutex_;

  std::atomic<uint64_t> caught_up_at_{0};

  Mutex mutex_;  // acquired before the database's
  std::map<FamilyId, Family> families_ GUARDED_BY(mutex_);
  DirectoryProbe probe_ GUARDED_BY(mutex_);  // since the last Look
  // At which the MANIFEST was last read; nullopt: never.
  std::optional<DirectoryMoment> manifest_moment_ GUARDED_BY(mutex_);
  UnloggedHistory history_ GUARDED_BY(mutex_);  // of that
  std::deque<Log> logs_ GUARDED_BY(mutex_);     // ascending; the last grows
  FileNumber read_
      GUARDED_BY(mutex_);  // the newest log that was read to its end
  SequenceNumber last_sequence_ GUARDED_BY(mutex_) = 0;  // of the logs
  PreparedSections sections_ GUARDED_BY(mutex_);
  // Older logs have neither entries that tables lack nor prepared transactions.
  FileNumber min_log_ GUARDED_BY(mutex_);
  bool installed_ GUARDED_BY(mutex_) = false;
  // Not OK if memtables may have a part of a batch: no look can go on.
  Status broken_ GUARDED_BY(mutex_);
};

}  // namespace tamis
