// SPDX-License-Identifier: Apache-2.0
#include "db/base/snapshot_list.h"

#include "util/base/check.h"

namespace tamis {

SnapshotImpl::~SnapshotImpl() = default;

const SnapshotImpl* SnapshotList::New(SequenceNumber sequence,
                                      SnapshotImpl::KeptStates states,
                                      int64_t unix_time) {
  // Both allocations come before any change.
  decltype(held_) held = {{sequence, unix_time}};
  const auto* const snapshot =
      new SnapshotImpl(sequence, std::move(states), unix_time);
  held_.merge(held);
  return snapshot;
}

SnapshotImpl::KeptStates SnapshotList::Delete(const Snapshot* snapshot) {
  const auto* const impl = static_cast<const SnapshotImpl*>(snapshot);
  SnapshotImpl::KeptStates states = impl->states_;  // before any change
  const auto held = held_.find({impl->sequence_, impl->unix_time_});
  TAMIS_CHECK(held != held_.end());
  held_.erase(held);
  delete impl;
  return states;
}

std::vector<SequenceNumber> SnapshotList::All() const {
  std::vector<SequenceNumber> all;
  all.reserve(held_.size());
  for (const auto& [sequence, time] : held_) {
    if (all.empty() || all.back() != sequence) all.push_back(sequence);
  }
  return all;
}

}  // namespace tamis
