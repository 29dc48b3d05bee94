// SPDX-License-Identifier: Apache-2.0
#include "db/base/snapshot_list.h"

#include "util/base/check.h"

namespace tamis {

SnapshotImpl::~SnapshotImpl() = default;

const SnapshotImpl* SnapshotList::New(SequenceNumber sequence,
                                      SnapshotImpl::KeptStates states) {
  // Both allocations come before any change.
  std::multiset<SequenceNumber> held = {sequence};
  const auto* const snapshot = new SnapshotImpl(sequence, std::move(states));
  sequences_.merge(held);
  return snapshot;
}

SnapshotImpl::KeptStates SnapshotList::Delete(const Snapshot* snapshot) {
  const auto* const impl = static_cast<const SnapshotImpl*>(snapshot);
  SnapshotImpl::KeptStates states = impl->states_;  // before any change
  const auto held = sequences_.find(impl->sequence_);
  TAMIS_CHECK(held != sequences_.end());
  sequences_.erase(held);
  delete impl;
  return states;
}

std::vector<SequenceNumber> SnapshotList::All() const {
  std::vector<SequenceNumber> all;
  all.reserve(sequences_.size());
  for (const SequenceNumber sequence : sequences_) {
    if (all.empty() || all.back() != sequence) all.push_back(sequence);
  }
  return all;
}

}  // namespace tamis
