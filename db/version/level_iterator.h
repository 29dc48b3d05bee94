// SPDX-License-Identifier: Apache-2.0
//
// Iterates over files that are sorted and disjoint, as if they were one table.
// Opens a file when it reaches it. One thread.
#pragma once

#include <memory>
#include <span>

#include "db/version/range_del_aggregator.h"
#include "db/version/version.h"

namespace tamis {

// `tables`, `files` and `tombstones` must outlive the iterator, which adds the
// range tombstones of its files to `tombstones`; nullptr: they are not needed.
// REQUIRES: !files.empty().
std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const ReadContext& context,
    RangeDelAggregator* tombstones = nullptr);

}  // namespace tamis
