// SPDX-License-Identifier: Apache-2.0
//
// Calls of a database that few programs need.
#pragma once

#include <cstddef>

#include "tamis/db.h"
#include "tamis/range.h"

namespace tamis {

// Drops the tables whose keys all lie in one of the ranges, to free their space
// at once. [start, limit], or [start, limit) without include_end; nullptr means
// unbounded. Keys of other tables, of level 0 and of memtables stay: to delete
// all keys of the range, call DB::DeleteRange, too. Durable on return; so are
// then all logged writes that returned before.
//
// Keeps tables that a compaction reads and, unlike RocksDB, those without which
// a read could go back in time: tables that a snapshot may see, and tables
// above older ones that stay, whose deleted or overwritten entries would
// reappear.
//
// Return an IOError of the MANIFEST, which stops writes until Resume.
Status DeleteFilesInRange(DB* db, ColumnFamilyHandle* family,
                          const Slice* begin, const Slice* end,
                          bool include_end = true);
Status DeleteFilesInRanges(DB* db, ColumnFamilyHandle* family,
                           const RangePtr* ranges, size_t n,
                           bool include_end = true);

}  // namespace tamis
