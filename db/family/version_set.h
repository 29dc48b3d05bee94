// SPDX-License-Identifier: Apache-2.0
//
// The VersionSet owns the column families, the counters of the database (file
// numbers, last sequence) and the MANIFEST. Only it changes the set of live
// tables and of families: an edit is durable before it is visible.
//
// REQUIRES: the database's mutex is held. Calls that write the MANIFEST release
// it meanwhile, and run one at a time. Exceptions: any thread may call
// last_sequence(), and the leader of the write queue calls PublishSequence()
// and families() without the mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/family/column_family_set.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_writer.h"
#include "db/wal/prepared_logs.h"
#include "util/base/mutex.h"
#include "util/base/result.h"

namespace tamis {

// An edit of one family. The tables that it adds hold the entries of the oldest
// `flushed` immutable memtables of the family, which are then removed.
struct FamilyEdit {
  ColumnFamilyPtr family;
  VersionEdit* edit = nullptr;
  size_t flushed = 0;
};

class VersionSet {
 public:
  // Both arguments must outlive the set.
  VersionSet(const DBContext& context, Mutex* db_mutex)
      : context_(context), mutex_(*db_mutex) {}

  ColumnFamilySet& families() { return families_; }
  const ColumnFamilySet& families() const { return families_; }

  // Returns a file number, for any kind of file. None is returned twice.
  FileNumber NewFileNumber() { return next_file_number_++; }
  FileNumber next_file_number() const { return next_file_number_; }
  void RaiseFileNumberAbove(FileNumber number) {
    if (number >= next_file_number_) next_file_number_ = number.Next();
  }

  // Returns the sequence number of the last write that readers may see. The
  // writer stores it after the memtable has the write. Any thread may load it,
  // without the mutex.
  SequenceNumber last_sequence() const {
    return last_sequence_.load(std::memory_order_acquire);
  }
  void PublishSequence(SequenceNumber sequence) {
    TAMIS_DCHECK(sequence >= last_sequence());
    TAMIS_DCHECK(sequence <= kMaxSequenceNumber);
    last_sequence_.store(sequence, std::memory_order_release);
  }

  FileNumber min_log_number_to_keep() const { return min_log_number_to_keep_; }
  // These logs are kept, too.
  PreparedLogs* prepared_logs() const { return &prepared_logs_; }
  void set_min_log_number_to_keep(FileNumber number) {
    if (number > min_log_number_to_keep_) min_log_number_to_keep_ = number;
  }
  FileNumber manifest_number() const { return manifest_number_; }
  // Returns the MANIFESTs that a newer one replaced, and forgets them.
  std::vector<FileNumber> TakeObsoleteManifests();
  // Sets the id in the previous MANIFEST, which new ones repeat.
  void set_manifest_db_id(std::string id) { manifest_db_id_ = std::move(id); }

  // Makes the edits durable, all or none, then makes their Versions current.
  // Stamps the edits with NextFile, LastSequence (at least that of each edit)
  // and, if one has a LogNumber, MinLogNumberToKeep. Writes nothing if a
  // Version would break an invariant. Skips families that were dropped
  // meanwhile (see dropped()), and returns ColumnFamilyDropped if all were.
  // After another error it may be unknown whether the edits took effect on
  // disk: the files that they name must be kept, and the next call starts a new
  // MANIFEST. Throws nothing.
  Status LogAndApply(std::span<const FamilyEdit> edits);
  Status LogAndApply(ColumnFamilyPtr family, VersionEdit* edit,
                     size_t flushed = 0) {
    const FamilyEdit one{std::move(family), edit, flushed};
    return LogAndApply({&one, 1});
  }
  // Adds a new family, which has its memtable and perhaps tables, or removes
  // one and marks it as dropped. All entries of its tables have sequence
  // numbers of at most `last_sequence`. Errors are those of LogAndApply; may
  // throw std::bad_alloc before anything is written. A new family's id counts
  // as used even on an error. REQUIRES: the caller leads the write queue, or is
  // the only thread.
  Status AddFamily(const ColumnFamilyPtr& family,
                   SequenceNumber last_sequence = 0);
  Status DropFamily(const ColumnFamilyPtr& family);

  // Appends an empty edit to the MANIFEST and closes it. Later damage of the
  // edits before it, which are synced, is then not mistaken for the torn tail
  // of a power failure. Does not sync the empty edit, whose loss does no harm.
  // Does nothing if no MANIFEST is open.
  Status CloseManifest();

  // Returns the size of the MANIFEST with the current state, or 0 if none was
  // begun since the open. Waits for the MANIFEST's writer.
  uint64_t ManifestBytes();

  // Declares that MANIFEST `number` has the current state. It remains CURRENT's
  // until the first edit starts a new one.
  void KeepManifest(FileNumber number) {
    mutex_.AssertHeld();
    TAMIS_CHECK(manifest_ == nullptr);
    RaiseFileNumberAbove(number);
    old_manifests_.push_back(number);
    manifest_number_ = number;
  }
  // Makes the next write of an edit start a new MANIFEST.
  void AbandonManifest() { manifest_.reset(); }

  // Returns the records of a MANIFEST with the current state, for a copy of the
  // database that has all tables in its directory. They lack the database's id;
  // the copy gets its own.
  std::vector<std::string> SnapshotForCopy() const;

 private:
  // A family's state after the edits that are being written.
  struct FamilyState {
    const ColumnFamily* family;
    const Version* version;
    FileNumber log_number;
  };
  std::vector<FamilyState> CurrentState() const REQUIRES(mutex_);
  std::vector<std::string> EncodeSnapshot(std::span<const FamilyState> states,
                                          FileNumber min_log_to_keep,
                                          const std::string& db_id,
                                          bool is_copy) const REQUIRES(mutex_);
  // The state after the edits, which lead to these versions.
  std::vector<FamilyState> StateAfter(
      std::span<const FamilyEdit> edits,
      std::span<const VersionPtr> versions) const REQUIRES(mutex_);
  // Appends to the MANIFEST, or starts a new one with the states that `after`
  // returns. After an error the next write starts a new one.
  template <typename After>
  Status WriteRecords(std::span<const std::string> records, const After& after,
                      FileNumber min_log_to_keep) REQUIRES(mutex_);
  Status AppendToManifest(std::span<const std::string> records)
      REQUIRES(mutex_);
  Status BeginManifest(std::span<const FamilyState> states,
                       FileNumber min_log_to_keep) REQUIRES(mutex_);
  Status LogAndApplyLocked(std::span<const FamilyEdit> edits) REQUIRES(mutex_);
  FileNumber MinLogToKeep(std::span<const FamilyEdit> edits) const
      REQUIRES(mutex_);
  bool ManifestIsFull() const REQUIRES(mutex_);
  void StampCounters(VersionEdit* edit) const REQUIRES(mutex_);
  // Sets pending_sequence_ to the highest LastSequence of the edits.
  class PendingSequence;
  // Excludes other writers of the MANIFEST during its lifetime.
  class ManifestTurn;
  // Calls `take`, which applies the written edits in memory. If it throws, it
  // has changed nothing; the next write then starts a new MANIFEST with the
  // state in memory.
  template <typename Take>
  Status TakeEffect(const Take& take);

  const DBContext& context_;
  Mutex& mutex_;
  ColumnFamilySet families_;

  FileNumber next_file_number_{2};
  FileNumber min_log_number_to_keep_;
  mutable PreparedLogs prepared_logs_;

  std::unique_ptr<LogWriter> manifest_;  // nullptr: the next write starts one
  FileNumber manifest_number_;
  uint64_t manifest_began_with_ = 0;  // size of the initial snapshot
  std::vector<FileNumber> old_manifests_;
  std::string manifest_db_id_;
  // The LastSequence of the edits that are being written, if readers do not see
  // it yet.
  SequenceNumber pending_sequence_ = 0;
  bool writing_ = false;
  CondVar writing_done_;

  // Alone on its line: every write stores it, and every read loads it.
  alignas(64) std::atomic<SequenceNumber> last_sequence_{0};
};

}  // namespace tamis
