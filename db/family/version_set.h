// SPDX-License-Identifier: Apache-2.0
//
// The VersionSet owns the column families, the counters of the database (file
// numbers, last sequence) and the MANIFEST. Only it changes the set of live
// tables and of families: an edit is durable before it is visible.
//
// REQUIRES, for every call but last_sequence(): the database's mutex is held.
// Calls that write the MANIFEST give it up meanwhile, and run one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/family/column_family_set.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_writer.h"
#include "util/base/mutex.h"
#include "util/base/result.h"

namespace tamis {

// An edit of one family. The tables that it adds hold the oldest `flushed` of
// the family's immutable memtables.
struct FamilyEdit {
  ColumnFamilyPtr family;
  VersionEdit* edit = nullptr;
  size_t flushed = 0;
};

class VersionSet {
 public:
  // Both outlive the set.
  VersionSet(const DBContext& context, Mutex* db_mutex)
      : context_(context), mutex_(*db_mutex) {}

  ColumnFamilySet& families() { return families_; }
  const ColumnFamilySet& families() const { return families_; }

  // Numbers for files of every kind; each is given once.
  uint64_t NewFileNumber() { return next_file_number_++; }
  uint64_t next_file_number() const { return next_file_number_; }
  void RaiseFileNumberAbove(uint64_t number) {
    if (number >= next_file_number_) next_file_number_ = number + 1;
  }

  // The last write that readers may see: stored by the writer after the
  // memtable holds it, loaded by any thread without the mutex.
  SequenceNumber last_sequence() const {
    return last_sequence_.load(std::memory_order_acquire);
  }
  void PublishSequence(SequenceNumber sequence) {
    last_sequence_.store(sequence, std::memory_order_release);
  }

  uint64_t min_log_number_to_keep() const { return min_log_number_to_keep_; }
  void set_min_log_number_to_keep(uint64_t number) {
    if (number > min_log_number_to_keep_) min_log_number_to_keep_ = number;
  }
  uint64_t manifest_number() const { return manifest_number_; }
  // MANIFESTs that a newer one has replaced; they leave the set.
  std::vector<uint64_t> TakeObsoleteManifests();
  // Carried over when an older MANIFEST had one.
  void set_manifest_db_id(std::string id) { manifest_db_id_ = std::move(id); }

  // Makes the edits durable, all or none, then their Versions the current ones.
  // They leave with LogNumber, NextFile, LastSequence and, where a LogNumber
  // rises, MinLogNumberToKeep as they are at that moment. Nothing is written
  // if a Version that would come out breaks an invariant.
  // A family that was dropped meanwhile is left out, which its dropped() tells
  // the caller; ColumnFamilyDropped: all were.
  // On an I/O error it is not known whether the edits took effect on disk:
  // files they name must stay, and the next call begins a new MANIFEST.
  Status LogAndApply(std::span<const FamilyEdit> edits);
  Status LogAndApply(ColumnFamilyPtr family, VersionEdit* edit,
                     size_t flushed = 0) {
    const FamilyEdit one{std::move(family), edit, flushed};
    return LogAndApply({&one, 1});
  }
  // A new family, with its memtable, joins; or one leaves. Errors as above.
  // REQUIRES: the caller leads the write queue, or is the only thread.
  Status AddFamily(const ColumnFamilyPtr& family);
  Status DropFamily(const ColumnFamilyPtr& family);

  // At the end: an edit that says nothing, behind which damage of the last one
  // that says something is told from what a power cut leaves.
  Status CloseManifest();

  // The next write of an edit begins a new MANIFEST.
  void AbandonManifest() { manifest_.reset(); }

  // What a MANIFEST of everything as it is now begins with. Without the
  // database's id: the copy takes one of its own.
  std::vector<std::string> SnapshotForCopy() const;

 private:
  // A family as it will be when what is being written is in force.
  struct FamilyState {
    const ColumnFamily* family;
    const Version* version;
    uint64_t log_number;
  };
  std::vector<FamilyState> CurrentState() const REQUIRES(mutex_);
  std::vector<std::string> EncodeSnapshot(std::span<const FamilyState> states,
                                          uint64_t min_log_to_keep,
                                          const std::string& db_id) const
      REQUIRES(mutex_);
  // When the edits are in force, which lead to these versions.
  std::vector<FamilyState> StateAfter(
      std::span<const FamilyEdit> edits,
      std::span<const VersionPtr> versions) const REQUIRES(mutex_);
  // In the MANIFEST, or in a new one that begins with the states that `after`
  // returns. After an error the next write begins a new one.
  template <typename After>
  Status WriteRecords(std::span<const std::string> records, const After& after,
                      uint64_t min_log_to_keep) REQUIRES(mutex_);
  Status AppendToManifest(std::span<const std::string> records)
      REQUIRES(mutex_);
  Status BeginManifest(std::span<const FamilyState> states,
                       uint64_t min_log_to_keep) REQUIRES(mutex_);
  Status LogAndApplyLocked(std::span<const FamilyEdit> edits) REQUIRES(mutex_);
  uint64_t MinLogToKeep(std::span<const FamilyEdit> edits) const
      REQUIRES(mutex_);
  bool ManifestIsFull() const REQUIRES(mutex_);
  void StampCounters(VersionEdit* edit) const REQUIRES(mutex_);
  // The turn to write the MANIFEST, for the length of a scope.
  class ManifestTurn;
  // Calls `take`, which changes what is in memory to what was written. If it
  // throws, and so did nothing, the MANIFEST is given up: the next write begins
  // one with what is in memory.
  template <typename Take>
  Status TakeEffect(const Take& take);

  const DBContext& context_;
  Mutex& mutex_;
  ColumnFamilySet families_;

  uint64_t next_file_number_ = 2;
  std::atomic<SequenceNumber> last_sequence_{0};
  uint64_t min_log_number_to_keep_ = 0;

  std::unique_ptr<LogWriter> manifest_;  // nullptr: the next write begins one
  uint64_t manifest_number_ = 0;
  uint64_t manifest_began_with_ = 0;  // bytes
  std::vector<uint64_t> old_manifests_;
  std::string manifest_db_id_;
  bool writing_ = false;
  CondVar writing_done_;
};

}  // namespace tamis
