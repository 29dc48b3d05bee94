// SPDX-License-Identifier: Apache-2.0
//
// A level iterator shows the entries of sorted, disjoint files as if they were
// one table. It opens a file only when it reaches it, and skips files that hold
// nothing to show: range tombstones hide all their entries, or they are beyond
// the bounds of the scan. One thread.
#pragma once

#include <memory>

#include "db/version/range_del_aggregator.h"
#include "db/version/version.h"

namespace tamis {

// Returns an iterator over the files of the index. It adds the range tombstones
// of the files that it reads to `tombstones`, and removes those of files that
// it has passed; with nullptr, it ignores range tombstones. A file that cannot
// be read ends the iteration, with its error in status(). All arguments, but
// for the context, must outlive the iterator. REQUIRES: the index has files,
// sorted and disjoint.
std::unique_ptr<InternalIterator> NewLevelIterator(
    const LevelIndex& index, const TableCache* tables,
    const ReadContext& context, RangeDelAggregator* tombstones = nullptr);

}  // namespace tamis
