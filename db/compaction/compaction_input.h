// SPDX-License-Identifier: Apache-2.0
//
// What a compaction reads: the files of a sorted run, one behind the other,
// each once from front to back. It opens them for itself, reads ahead, and
// leaves the block cache and the open tables of the database as they are.
#pragma once

#include <memory>
#include <span>

#include "db/version/table_cache.h"
#include "table/internal_iterator.h"

namespace tamis {

// Entries of user keys before `upper` (nullptr: all). Goes forward only: calls
// are (SeekToFirst | Seek Next*)*. `tables`, the files and `upper` outlive it.
// One thread. REQUIRES: at least one file, ascending, none overlapping another.
std::unique_ptr<InternalIterator> NewCompactionInput(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const Slice* upper);

}  // namespace tamis
