// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's names for calls of DB.
#pragma once

#include "tamis/db.h"
#include "tamis/export.h"

namespace tamis::experimental {

// Return what DB::SuggestCompactRange returns; InvalidArgument if db is
// nullptr.
TAMIS_EXPORT Status SuggestCompactRange(DB* db, ColumnFamilyHandle* family,
                                        const Slice* begin, const Slice* end);
TAMIS_EXPORT Status SuggestCompactRange(DB* db, const Slice* begin,
                                        const Slice* end);

// Returns what DB::PromoteL0 returns (NotSupported under kCompactionStyleFIFO);
// InvalidArgument if db is nullptr.
TAMIS_EXPORT Status PromoteL0(DB* db, ColumnFamilyHandle* family,
                              int target_level = 1);

}  // namespace tamis::experimental
