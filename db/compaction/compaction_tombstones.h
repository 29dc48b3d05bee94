// SPDX-License-Identifier: Apache-2.0
//
// Selects the range tombstones of its input that a flush or a compaction must
// write again.
#pragma once

#include <functional>
#include <vector>

#include "db/base/snapshot_stripes.h"
#include "table/range_tombstones.h"

namespace tamis {

// Returns whether a level below the output may hold a key in [begin, end).
using MayOverlapBelow =
    std::function<bool(const Slice& begin, const Slice& end)>;

// Returns the tombstones to write, sorted by begin: for each fragment, the
// newest tombstone of each stripe. In stripe 0, which every reader sees, a
// tombstone is needed only if a level below may hold keys in it, because hidden
// versions of the input are not written. An empty may_overlap_below means
// always true.
std::vector<RangeTombstone> TombstonesToKeep(
    const KeyOrder& order, const RangeTombstoneFragments& tombstones,
    const SnapshotStripes& stripes, const MayOverlapBelow& may_overlap_below);

}  // namespace tamis
