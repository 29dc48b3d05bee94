// SPDX-License-Identifier: Apache-2.0
//
// A column family is an ordered map of the database, with its own memtables,
// tables and options. All families share the log and the sequence numbers.
//
//   memtable  ──switch──▶  immutable memtables  ──flush──▶  Version
//
// A reader uses all three together, as a ReadState (RocksDB: SuperVersion).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/family/job_stats.h"
#include "db/memtable/memtable.h"
#include "db/version/compaction_cursors.h"
#include "db/version/version.h"
#include "table/merge_operands.h"
#include "util/base/striped_ptr.h"
#include "util/cache/epoch.h"
#include "util/cache/retire_scope.h"

namespace tamis {

using FamilyOptionsPtr = std::shared_ptr<const ColumnFamilyOptions>;

// The data that a reader of a family searches, newest first, and the options in
// use. These members do not change, but the active memtable grows. The last one
// belongs to ColumnFamily.
struct ReadState : std::enable_shared_from_this<ReadState> {
  std::shared_ptr<MemTable> memtable;
  std::vector<std::shared_ptr<const MemTable>> immutables;  // newest first
  VersionPtr version;
  FamilyOptionsPtr options;
  // Reads of the state see no later writes, although the memtable has some: a
  // secondary instance replaces the states of all families at once.
  SequenceNumber readable_to = kMaxSequenceNumber;

  // For retiring the state once it is replaced. Point reads have no reference.
  RetireScope::Room retire_room;
};
using ReadStatePtr = std::shared_ptr<const ReadState>;

class ColumnFamily {
 public:
  // `context` must outlive the family. A new family has an empty Version and
  // no memtable: SwitchMemTable must be called before reads and writes.
  ColumnFamily(const DBContext& context, FamilyId id, std::string name,
               const ColumnFamilyOptions& options);
  // Releases the current state and the replaced ones. Waits for no reader of
  // another family that uses the same epochs(). REQUIRES: no call uses the
  // family.
  ~ColumnFamily() = default;
  ColumnFamily(const ColumnFamily&) = delete;
  ColumnFamily& operator=(const ColumnFamily&) = delete;

  FamilyId id() const { return id_; }
  const std::string& name() const { return name_; }
  // Returns the options that the family was opened with. SetOptions replaces
  // only those that are `live` in db/options/family_option_fields.cc, and
  // min_write_buffer_number_to_merge, which one of those limits; the others may
  // be read here by any thread.
  const ColumnFamilyOptions& fixed_options() const { return *fixed_options_; }
  const KeyOrder& order() const { return order_; }
  // The family's merge operator, if any, and the database's logger.
  MergeWith merge_with() const {
    return {fixed_options_->merge_operator.get(), logger_};
  }
  const TableCache& tables() const { return tables_; }

  // Returns the domain whose Guards keep ReadStates and resident blocks from
  // being freed (util/cache/epoch.h).
  EpochDomain* epochs() const { return tables_.epochs(); }
  // Returns the current state, which remains valid until the caller's Guard
  // ends. A reader must load the state first and the last sequence number
  // second. In the other order, flushes and compactions in between may drop
  // versions that a reader at that number needs. Any thread, without the
  // database's mutex. REQUIRES: the caller is within a Guard of epochs().
  const ReadState& CurrentReadState() const {
    return *state_.load(std::memory_order_seq_cst);
  }
  // Returns a reference to the current state, for reads that outlast a Guard:
  // those of iterators. The same order applies. Any thread. May throw
  // std::bad_alloc, as a Guard may.
  ReadStatePtr AcquireReadState() const {
    const EpochDomain::Guard guard(epochs());
    return state_owner_shown_.load(std::memory_order_seq_cst)->Share();
  }

  // Returns the write_buffer_size in use. Any thread.
  size_t write_buffer_size() const {
    return write_buffer_size_.load(std::memory_order_relaxed);
  }

  // A dropped family gets no more writes or background work.
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  void set_dropped() { dropped_.store(true, std::memory_order_release); }

  // REQUIRES, for all below: the database's mutex is held.

  // Return the options in use. The reference is valid until the mutex is
  // unlocked.
  const ColumnFamilyOptions& options() const { return *options_; }
  const FamilyOptionsPtr& options_ptr() const { return options_; }
  // Replaces them, for writes, jobs and readers that begin later. REQUIRES: the
  // options are complete, and have the values of fixed_options() where those
  // hold.
  void SetOptions(const ColumnFamilyOptions& options);

  const std::shared_ptr<MemTable>& memtable() const { return memtable_; }
  const std::deque<std::shared_ptr<const MemTable>>& immutables() const {
    return immutables_;  // oldest first
  }
  const VersionPtr& version() const { return version_; }
  // Returns the lowest sequence number that an entry of the memtables may have.
  SequenceNumber LowestUnflushed() const {
    if (!immutables_.empty()) return immutables_.front()->earliest();
    return memtable_->empty() ? kMaxSequenceNumber : memtable_->earliest();
  }

  // Returns whether the immutable memtables are to be flushed: there are
  // min_write_buffer_number_to_merge of them, or it was requested.
  bool FlushIsDue() const {
    return !immutables_.empty() &&
           (flush_requested_ ||
            immutables_.size() >=
                static_cast<size_t>(
                    options_->min_write_buffer_number_to_merge));
  }
  bool flush_requested() const { return flush_requested_; }
  // Makes the next flush of the family due as soon as it has an immutable
  // memtable.
  void RequestFlush() { flush_requested_ = true; }
  // Called when a flush takes all immutable memtables.
  void FlushBegins() { flush_requested_ = false; }

  // Returns a new memtable according to the options. `earliest`: the lowest
  // sequence number that an entry will have. `log_number`: the oldest log that
  // will have entries of the memtable.
  std::shared_ptr<MemTable> NewMemTable(SequenceNumber earliest,
                                        FileNumber log_number) const;
  // A change of the state that readers see, in two steps. A Prepare call
  // allocates, may throw std::bad_alloc, and changes nothing that readers see.
  // Take makes the change and does not throw. REQUIRES: the family has no other
  // change between the two calls.
  struct Change {
    std::shared_ptr<MemTable> memtable;
    std::deque<std::shared_ptr<const MemTable>> immutables;
    VersionPtr version;
    std::shared_ptr<StripedPtr<ReadState>> state;
  };
  // Prepares a switch to `fresh`. The active memtable becomes immutable if it
  // has entries, and is dropped otherwise.
  Change PrepareMemTable(std::shared_ptr<MemTable> fresh) const;
  // Prepares the replacement of the Version and the removal of the oldest
  // `flushed` immutable memtables, whose entries the new Version contains.
  // REQUIRES: flushed <= immutables().size()
  Change PrepareVersion(VersionPtr version, size_t flushed);
  // Makes the change visible to readers and retires the replaced state. Takes
  // a reference, because the move constructor of std::deque may allocate.
  void Take(Change&& change) noexcept;

  // Prepare and Take in one step.
  void SwitchMemTable(std::shared_ptr<MemTable> fresh) {
    Take(PrepareMemTable(std::move(fresh)));
  }
  void InstallVersion(VersionPtr version, size_t flushed = 0) {
    Take(PrepareVersion(std::move(version), flushed));
  }

  // Returns the LogNumber of the MANIFEST: the tables contain all entries of
  // the family that are in older logs.
  FileNumber log_number() const { return log_number_; }
  void set_log_number(FileNumber number) {
    TAMIS_CHECK(number >= log_number_);
    log_number_ = number;
  }
  // Returns the oldest log that can have entries of the memtables. It can be
  // newer than log_number(), which changes only with an edit.
  FileNumber OldestLogToKeep() const;
  // Tells the family that log `number` was started, and that all later entries
  // have sequence numbers from `earliest` on. An empty active memtable then
  // needs no older log. REQUIRES: there is an active memtable.
  void LogWasBegun(FileNumber number, SequenceNumber earliest);

  // Returns a new epoch number, for a flush. Epoch numbers are stored with
  // tables and order level 0: higher is newer. epochs() is unrelated.
  EpochNumber NewEpoch() { return next_epoch_++; }
  // Makes all later epoch numbers higher than `epoch`.
  void RaiseEpochAbove(EpochNumber epoch) {
    if (epoch >= next_epoch_) next_epoch_ = epoch.Next();
  }

  // Files that are to be compacted when nothing more urgent is due
  // (db/compaction/compaction_picker.h). Some may be gone.
  std::set<FileNumber>& marked_files() { return marked_files_; }
  const std::set<FileNumber>& marked_files() const { return marked_files_; }

  CompactionCursors& compaction_cursors() { return compaction_cursors_; }
  // The number of compactions of the family that were started and have not
  // ended.
  int& running_compactions() { return running_compactions_; }

  // What jobs have done, and the stalls of writes.
  FamilyStats& stats() { return stats_; }
  const FamilyStats& stats() const { return stats_; }
  Reported<FamilyStats>& reported_stats() { return reported_stats_; }
  const Reported<FamilyStats>& reported_stats() const {
    return reported_stats_;
  }
  // Why the family slows down writes now, if it does.
  std::optional<StallCause>& slowed_by() { return slowed_by_; }

  // For listeners: why the last memtable became immutable, and what they were
  // told of stalls.
  FlushReason flush_reason() const { return flush_reason_; }
  void set_flush_reason(FlushReason reason) { flush_reason_ = reason; }
  WriteStallCondition stall_condition() const { return stall_condition_; }
  void set_stall_condition(WriteStallCondition condition) {
    stall_condition_ = condition;
  }

  // Returns the Versions that have references, including the current one.
  std::vector<VersionPtr> LiveVersions();
  // Returns the memtables that were flushed and still have references.
  std::vector<std::shared_ptr<const MemTable>> FlushedMemTables();
  // Returns how many states readers have been shown.
  uint64_t state_number() const { return state_number_; }

 private:
  std::shared_ptr<StripedPtr<ReadState>> NewReadState(
      const Change& change) const;

  const FamilyId id_;
  const std::string name_;
  const FamilyOptionsPtr fixed_options_;
  FamilyOptionsPtr options_;
  std::atomic<size_t> write_buffer_size_;
  const KeyOrder order_;
  TableCache tables_;
  Logger* const logger_;
  const std::shared_ptr<WriteBufferManager> write_buffer_manager_;

  std::shared_ptr<MemTable> memtable_;
  std::deque<std::shared_ptr<const MemTable>> immutables_;
  bool flush_requested_ = false;
  VersionPtr version_;
  std::vector<std::weak_ptr<const Version>> all_versions_;
  std::vector<std::weak_ptr<const MemTable>> flushed_;
  uint64_t state_number_ = 0;
  FileNumber log_number_;
  EpochNumber next_epoch_{1};
  CompactionCursors compaction_cursors_;
  std::set<FileNumber> marked_files_;
  int running_compactions_ = 0;
  FamilyStats stats_;
  Reported<FamilyStats> reported_stats_;
  std::optional<StallCause> slowed_by_;
  FlushReason flush_reason_ = FlushReason::kOthers;
  WriteStallCondition stall_condition_ = WriteStallCondition::kNormal;
  std::atomic<bool> dropped_{false};

  RetireScope replaced_states_;
  std::shared_ptr<StripedPtr<ReadState>> state_owner_;
  // What state_owner_ points to, and what that owns.
  std::atomic<const StripedPtr<ReadState>*> state_owner_shown_{nullptr};
  std::atomic<const ReadState*> state_{nullptr};
};
using ColumnFamilyPtr = std::shared_ptr<ColumnFamily>;

}  // namespace tamis
