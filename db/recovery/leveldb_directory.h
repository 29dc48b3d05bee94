// SPDX-License-Identifier: Apache-2.0
//
// What a directory of LevelDB lacks and RocksDB's has. LevelDB's MANIFEST says
// of a table which keys it spans, and not which sequence numbers: these stand
// in its entries alone, and whoever asks which table of level 0 is newer, or
// writes a MANIFEST, must have read them all.
#pragma once

#include "db/base/db_context.h"
#include "db/manifest/version_edit.h"
#include "db/version/table_cache.h"

namespace tamis {

// Reads the whole table, .sst or .ldb, checksums and all, and fills in the
// sequence bounds of `meta`; range tombstones count like entries. `meta` is
// unchanged on an error. Corruption: the table is empty or out of order, or its
// first and last key are not those that `meta` gives.
// REQUIRES: `tables` is of the family that compares by `order`
Status ScanSequenceBounds(const DBContext& context, const KeyOrder& order,
                          const TableCache& tables, FileMetaData* meta);

}  // namespace tamis
