// SPDX-License-Identifier: Apache-2.0
//
// A column family is one ordered map of the database: memtables, tables and
// options of its own. The log and the sequence numbers are shared by all.
//
//   memtable  ──freeze──▶  immutable memtables  ──flush──▶  Version
//
// What a reader needs of that at one moment is a ReadState, pinned as a whole.
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

// Everything that a reader of one family looks at, newest first. Immutable;
// the memtable in it still grows.
struct ReadState : std::enable_shared_from_this<ReadState> {
  std::shared_ptr<MemTable> memtable;
  std::vector<std::shared_ptr<const MemTable>> immutables;  // newest first
  VersionPtr version;

  // Set when it was replaced and waits for point reads; it keeps itself then.
  std::shared_ptr<ReadState> retired;
  std::atomic<size_t>* retired_count = nullptr;
  // Among those that there was no memory to retire.
  ReadState* next_unretired = nullptr;
};
using ReadStatePtr = std::shared_ptr<const ReadState>;

class ColumnFamily {
 public:
  // `context` outlives the family. The family has no memtable yet.
  ColumnFamily(const DBContext& context, uint32_t id, std::string name,
               const ColumnFamilyOptions& options);
  // REQUIRES: not within a Guard of epochs(). Waits for readers that still
  // look at a state that was replaced.
  ~ColumnFamily();
  ColumnFamily(const ColumnFamily&) = delete;
  ColumnFamily& operator=(const ColumnFamily&) = delete;

  uint32_t id() const { return id_; }
  const std::string& name() const { return name_; }
  const ColumnFamilyOptions& options() const { return options_; }
  const KeyOrder& order() const { return order_; }
  const TableCache& tables() const { return tables_; }

  // What protects states and resident blocks from being taken away.
  EpochDomain* epochs() const { return tables_.epochs(); }
  // The state as of now, until the caller's Guard ends. Any thread, without the
  // database's mutex. A reader takes it BEFORE it reads the last sequence: the
  // other way round, a write could move into a table that the older state does
  // not know.
  // REQUIRES: within a Guard of epochs().
  const ReadState& CurrentReadState() const {
    return *state_.load(std::memory_order_seq_cst);
  }
  // The same, counted.
  ReadStatePtr AcquireReadState() const {
    const EpochDomain::Guard guard(epochs());
    return CurrentReadState().shared_from_this();
  }

  // Everything in it is given up: no write, no background work any more.
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  void set_dropped() { dropped_.store(true, std::memory_order_release); }

  // All below: under the database's mutex.

  const std::shared_ptr<MemTable>& memtable() const { return memtable_; }
  const std::deque<std::shared_ptr<const MemTable>>& immutables() const {
    return immutables_;  // oldest first
  }
  const VersionPtr& version() const { return version_; }

  // As the options ask for it.
  std::shared_ptr<MemTable> NewMemTable(SequenceNumber earliest,
                                        uint64_t log_number) const;
  // A change of what readers see, in two steps: to prepare it may throw and
  // changes nothing, to take it does not throw. No other change of the family
  // comes in between.
  struct Change {
    std::shared_ptr<MemTable> memtable;
    std::deque<std::shared_ptr<const MemTable>> immutables;
    VersionPtr version;
    std::shared_ptr<ReadState> state;
  };
  // Freezes the memtable, if there is one with entries, and puts a new one in
  // its place.
  Change PrepareMemTable(std::shared_ptr<MemTable> fresh) const;
  // The oldest `flushed` immutables stand in the version now.
  Change PrepareVersion(VersionPtr version, size_t flushed);
  // By reference: to move a std::deque may allocate.
  void Take(Change&& change) noexcept;

  void SwitchMemTable(std::shared_ptr<MemTable> fresh) {
    Take(PrepareMemTable(std::move(fresh)));
  }
  void InstallVersion(VersionPtr version, size_t flushed = 0) {
    Take(PrepareVersion(std::move(version), flushed));
  }

  // What the MANIFEST says: logs below this number hold nothing that the family
  // still needs.
  uint64_t log_number() const { return log_number_; }
  void set_log_number(uint64_t number) { log_number_ = number; }
  // The same by what is in memory, which may be more.
  uint64_t OldestLogToKeep() const;
  // A log was begun: an empty memtable is in need of none before it.
  void LogWasBegun(uint64_t number, SequenceNumber earliest);

  // Epochs: each flush gets the next; see FORMAT.md, "order in level 0".
  uint64_t NewEpoch() { return next_epoch_++; }
  void RaiseEpochAbove(uint64_t epoch) {
    if (epoch >= next_epoch_) next_epoch_ = epoch + 1;
  }

  CompactionCursors& compaction_cursors() { return compaction_cursors_; }

  // Versions that somebody still holds, the current one included.
  std::vector<VersionPtr> LiveVersions();

 private:
  // Has a replaced state freed when no reader can use it any more.
  void Retire(ReadState* state) noexcept;
  // Those that there was no memory to retire.
  void RetireAgain() noexcept;
  // They stay as long as the process: there is still no memory.
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

  std::shared_ptr<ReadState> state_owner_;  // of what state_ points to
  std::atomic<const ReadState*> state_{nullptr};
  std::atomic<size_t> waiting_states_{0};  // replaced, and not let go of yet
  // Of those, the ones that there was no memory to retire: tried again at each
  // change.
  ReadState* unretired_ = nullptr;
};
using ColumnFamilyPtr = std::shared_ptr<ColumnFamily>;

}  // namespace tamis
