// SPDX-License-Identifier: Apache-2.0
//
// The held snapshots divide the sequence numbers into stripes. Every reader
// sees either all sequence numbers of a stripe or none.
//
//   snapshots 5 and 9:   stripe 0: 0..5   stripe 1: 6..9   stripe 2: 10..
//
// All readers see stripe 0. Immutable; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "table/internal_key.h"

namespace tamis {

class SnapshotStripes {
 public:
  // REQUIRES: the snapshots are ascending.
  explicit SnapshotStripes(std::vector<SequenceNumber> snapshots)
      : snapshots_(std::move(snapshots)) {
    TAMIS_CHECK(std::is_sorted(snapshots_.begin(), snapshots_.end()));
  }

  // Returns the stripe of a sequence number.
  size_t StripeOf(SequenceNumber sequence) const {
    const auto oldest_reader =
        std::lower_bound(snapshots_.begin(), snapshots_.end(), sequence);
    return static_cast<size_t>(oldest_reader - snapshots_.begin());
  }
  // Returns the stripe's last sequence number, at which its readers read.
  SequenceNumber LastOf(size_t stripe) const {
    TAMIS_DCHECK(stripe <= snapshots_.size());
    return stripe < snapshots_.size() ? snapshots_[stripe] : kMaxSequenceNumber;
  }

 private:
  const std::vector<SequenceNumber> snapshots_;
};

}  // namespace tamis
