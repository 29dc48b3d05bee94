// SPDX-License-Identifier: Apache-2.0
//
// The snapshots that are held, oldest first.
//
// The database's mutex guards the list. A SnapshotImpl itself is immutable.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include "tamis/snapshot.h"
#include "tamis/types.h"

namespace tamis {

class SnapshotImpl : public Snapshot {
 public:
  SequenceNumber GetSequenceNumber() const override { return sequence_; }

 private:
  friend class SnapshotList;
  explicit SnapshotImpl(SequenceNumber sequence) : sequence_(sequence) {}
  ~SnapshotImpl() override;

  const SequenceNumber sequence_;
};

class SnapshotList {
 public:
  SnapshotList() = default;
  SnapshotList(const SnapshotList&) = delete;
  SnapshotList& operator=(const SnapshotList&) = delete;

  // Returns a new snapshot, valid until Delete. May throw std::bad_alloc, which
  // leaves the list unchanged.
  const SnapshotImpl* New(SequenceNumber sequence);
  // Removes and destroys the snapshot. REQUIRES: New of this list returned it.
  void Delete(const Snapshot* snapshot);

  size_t count() const { return sequences_.size(); }
  // Returns the sequence numbers, ascending and without duplicates.
  std::vector<SequenceNumber> All() const;

 private:
  std::multiset<SequenceNumber> sequences_;
};

}  // namespace tamis
