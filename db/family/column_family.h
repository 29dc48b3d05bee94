// SPDX-License-Identifier: Apache-2.0
//
// A column family is an ordered map of the database, with its own memtables,
// tables and options. All families share the log and the sequence numbers.
//
//   memtable  ──switch──▶  immutable memtables  ──flush──▶  Version
//
// A reader pins all three together, as a ReadState.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "db/memtable/memtable.h"
#include "db/version/compaction_cursors.h"
#include "db/version/version.h"
#include "util/cache/epoch.h"

namespace tamis {

// The data that a reader of a family searches, newest first. Immutable, except
// that the active memtable grows.
struct ReadState : std::enable_shared_from_this<ReadState> {
  std::shared_ptr<MemTable> memtable;
  std::vector<std::shared_ptr<const MemTable>> immutables;  // newest first
  VersionPtr version;

  // Set in a replaced state until no point read uses it: a reference to itself.
  std::shared_ptr<ReadState> retired;
  std::atomic<size_t>* retired_count = nullptr;
  // The list of states whose retirement failed for lack of memory.
  ReadState* next_unretired = nullptr;
};
using ReadStatePtr = std::shared_ptr<const ReadState>;

class ColumnFamily {
 public:
  // `context` must outlive the family. A new family has no memtable.
  ColumnFamily(const DBContext& context, uint32_t id, std::string name,
               const ColumnFamilyOptions& options);
  // Waits for readers that still use a replaced state. REQUIRES: not within a
  // Guard of epochs().
  ~ColumnFamily();
  ColumnFamily(const ColumnFamily&) = delete;
  ColumnFamily& operator=(const ColumnFamily&) = delete;

  uint32_t id() const { return id_; }
  const std::string& name() const { return name_; }
  const ColumnFamilyOptions& options() const { return options_; }
  const KeyOrder& order() const { return order_; }
  const TableCache& tables() const { return tables_; }

  // Protects ReadStates and resident blocks from being freed.
  EpochDomain* epochs() const { return tables_.epochs(); }
  // The current state, valid until the caller's Guard ends. Any thread, without
  // the database's mutex. A reader must load it BEFORE the last sequence
  // number: in between, flushes and compactions may drop versions that the
  // number needs. REQUIRES: within a Guard of epochs().
  const ReadState& CurrentReadState() const {
    return *state_.load(std::memory_order_seq_cst);
  }
  // The same, with a reference count.
  ReadStatePtr AcquireReadState() const {
    const EpochDomain::Guard guard(epochs());
    return CurrentReadState().shared_from_this();
  }

  // A dropped family gets no more writes or background work.
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  void set_dropped() { dropped_.store(true, std::memory_order_release); }

  // REQUIRES, for all below: the database's mutex is held.

  const std::shared_ptr<MemTable>& memtable() const { return memtable_; }
  const std::deque<std::shared_ptr<const MemTable>>& immutables() const {
    return immutables_;  // oldest first
  }
  const VersionPtr& version() const { return version_; }

  // Creates a memtable according to the options.
  std::shared_ptr<MemTable> NewMemTable(SequenceNumber earliest,
                                        uint64_t log_number) const;
  // A change of the state that readers see, in two steps: a Prepare... call may
  // throw and changes nothing; Take does not throw. REQUIRES: no other change
  // of the family in between.
  struct Change {
    std::shared_ptr<MemTable> memtable;
    std::deque<std::shared_ptr<const MemTable>> immutables;
    VersionPtr version;
    std::shared_ptr<ReadState> state;
  };
  // Replaces the active memtable, which becomes immutable if it has entries.
  Change PrepareMemTable(std::shared_ptr<MemTable> fresh) const;
  // The version contains the oldest `flushed` immutable memtables.
  Change PrepareVersion(VersionPtr version, size_t flushed);
  // By reference, because moving a std::deque may allocate.
  void Take(Change&& change) noexcept;

  void SwitchMemTable(std::shared_ptr<MemTable> fresh) {
    Take(PrepareMemTable(std::move(fresh)));
  }
  void InstallVersion(VersionPtr version, size_t flushed = 0) {
    Take(PrepareVersion(std::move(version), flushed));
  }

  // From the MANIFEST: the family needs no log below this number.
  uint64_t log_number() const { return log_number_; }
  void set_log_number(uint64_t number) { log_number_ = number; }
  // The same according to the memtables; may be higher.
  uint64_t OldestLogToKeep() const;
  // Called after a new log was started: an empty memtable needs none before it.
  void LogWasBegun(uint64_t number, SequenceNumber earliest);

  // Epoch numbers; each flush gets the next. See FORMAT.md, "order in level 0".
  uint64_t NewEpoch() { return next_epoch_++; }
  void RaiseEpochAbove(uint64_t epoch) {
    if (epoch >= next_epoch_) next_epoch_ = epoch + 1;
  }

  CompactionCursors& compaction_cursors() { return compaction_cursors_; }

  // Versions with references, including the current one.
  std::vector<VersionPtr> LiveVersions();

 private:
  // Frees a replaced state as soon as no reader can use it.
  void Retire(ReadState* state) noexcept;
  // Retries those whose retirement failed for lack of memory.
  void RetireAgain() noexcept;
  // Leaks those, if memory is still lacking.
  void KeepUnretired() noexcept;

  static std::shared_ptr<ReadState> NewReadState(const Change& change);

  const uint32_t id_;
  const std::string name_;
  const ColumnFamilyOptions options_;
  const KeyOrder order_;
  const TableCache tables_;

  std::shared_ptr<MemTable> memtable_;
  std::deque<std::shared_ptr<const MemTable>> immutables_;
  VersionPtr version_;
  std::vector<std::weak_ptr<const Version>> all_versions_;
  uint64_t log_number_ = 0;
  uint64_t next_epoch_ = 1;
  CompactionCursors compaction_cursors_;
  std::atomic<bool> dropped_{false};

  std::shared_ptr<ReadState> state_owner_;  // owns *state_
  std::atomic<const ReadState*> state_{nullptr};
  std::atomic<size_t> waiting_states_{0};  // replaced, not released yet
  // Those whose retirement failed for lack of memory; retried at each change.
  ReadState* unretired_ = nullptr;
};
using ColumnFamilyPtr = std::shared_ptr<ColumnFamily>;

}  // namespace tamis
