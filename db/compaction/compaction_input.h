// SPDX-License-Identifier: Apache-2.0
//
// The input of a compaction: reads the files of a sorted run, in order, each
// once from front to back. It opens its own readers, reads ahead, and does not
// change the block cache or the table cache.
#pragma once

#include <memory>
#include <span>

#include "db/version/table_cache.h"
#include "table/internal_iterator.h"

namespace tamis {

// Returns an iterator over the entries with user keys before *upper, or over
// all if `upper` is nullptr. It moves only forward; calls:
//   ((SeekToFirst | Seek) Next*)*
// An error in a file ends the iteration and is in status(). `tables`, the files
// and `upper` must outlive the iterator. One thread. REQUIRES: one or more
// files, in ascending order and disjoint.
// `readahead_bytes`: DBOptions::compaction_readahead_size.
std::unique_ptr<InternalIterator> NewCompactionInput(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const Slice* upper,
    size_t readahead_bytes);

}  // namespace tamis
