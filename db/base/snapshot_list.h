// SPDX-License-Identifier: Apache-2.0
//
// The snapshots that are held, oldest first.
//
// The database's mutex guards the list. A SnapshotImpl itself is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tamis/snapshot.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamily;
struct ReadState;

class SnapshotImpl : public Snapshot {
 public:
  // A state of a family that the snapshot reads instead of later ones: a
  // compaction filter that was running when the snapshot was taken may remove
  // entries that the snapshot sees.
  struct KeptState {
    std::shared_ptr<const ColumnFamily> family;  // outlives the state
    std::shared_ptr<const ReadState> state;
  };
  using KeptStates = std::vector<KeptState>;

  SequenceNumber GetSequenceNumber() const override { return sequence_; }
  int64_t GetUnixTime() const override { return unix_time_; }

  // Returns the state that the snapshot keeps of the family, or nullptr if it
  // reads the current one.
  std::shared_ptr<const ReadState> StateOf(const ColumnFamily& family) const {
    for (const KeptState& kept : states_) {
      if (kept.family.get() == &family) return kept.state;
    }
    return nullptr;
  }

 private:
  friend class SnapshotList;
  SnapshotImpl(SequenceNumber sequence, KeptStates states, int64_t unix_time)
      : sequence_(sequence),
        unix_time_(unix_time),
        states_(std::move(states)) {}
  ~SnapshotImpl() override;

  const SequenceNumber sequence_;
  const int64_t unix_time_;
  KeptStates states_;
};

class SnapshotList {
 public:
  SnapshotList() = default;
  SnapshotList(const SnapshotList&) = delete;
  SnapshotList& operator=(const SnapshotList&) = delete;

  // Returns a new snapshot, valid until Delete. May throw std::bad_alloc, which
  // leaves the list unchanged.
  const SnapshotImpl* New(SequenceNumber sequence,
                          SnapshotImpl::KeptStates states = {},
                          int64_t unix_time = 0);
  // Removes and destroys the snapshot. Returns the states that it kept, which
  // the caller releases without the mutex. REQUIRES: New of this list returned
  // it.
  SnapshotImpl::KeptStates Delete(const Snapshot* snapshot);

  size_t count() const { return held_.size(); }
  // Returns the time of the oldest snapshot, 0 if there is none.
  int64_t oldest_unix_time() const {
    return held_.empty() ? 0 : held_.begin()->second;
  }
  // Returns the sequence numbers, ascending and without duplicates.
  std::vector<SequenceNumber> All() const;

 private:
  std::multiset<std::pair<SequenceNumber, int64_t>> held_;  // with its time
};

}  // namespace tamis
