// SPDX-License-Identifier: Apache-2.0
//
// Iterates over files that are sorted and disjoint, as if they were one table.
// A file is opened when the iterator reaches it.
#pragma once

#include <memory>
#include <span>

#include "db/version/range_del_aggregator.h"
#include "db/version/version.h"

namespace tamis {

// `tables` and the files outlive the iterator. `tombstones` learns of the range
// tombstones of the files; it lives as long as the iterator does. nullptr:
// nobody asks.
std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const ReadContext& context,
    RangeDelAggregator* tombstones = nullptr);

}  // namespace tamis
