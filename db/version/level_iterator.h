// SPDX-License-Identifier: Apache-2.0
//
// A walk over files that are sorted and disjoint, as if they were one table.
// A file is opened when the walk reaches it.
#pragma once

#include <memory>
#include <span>

#include "db/version/version.h"
#include "db/version/walk_tombstones.h"

namespace tamis {

// `tables` and the files outlive the iterator. `tombstones` learns of the range
// tombstones of the files; it lives as long as the iterator does. nullptr:
// nobody asks.
std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const ReadContext& context,
    WalkTombstones* tombstones = nullptr);

}  // namespace tamis
