// SPDX-License-Identifier: Apache-2.0
//
// Range tombstones on their way through a flush or a compaction: which of them
// have to be written again.
#pragma once

#include <functional>
#include <vector>

#include "db/base/snapshot_stripes.h"
#include "table/range_tombstones.h"

namespace tamis {

// Whether something below the output may hold a key in [begin, end).
using MayOverlapBelow =
    std::function<bool(const Slice& begin, const Slice& end)>;

// By begin. Over each stretch of keys the newest tombstone of each stripe; the
// one that everybody sees only where something is left to hide, for what it
// hides in the input is not written. may_overlap_below: empty means always.
std::vector<RangeTombstone> TombstonesToKeep(
    const KeyOrder& order, const RangeTombstoneFragments& tombstones,
    const SnapshotStripes& stripes, const MayOverlapBelow& may_overlap_below);

}  // namespace tamis
