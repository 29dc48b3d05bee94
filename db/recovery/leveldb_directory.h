// SPDX-License-Identifier: Apache-2.0
//
// ScanSequenceBounds finds the sequence bounds of a table. A MANIFEST of
// LevelDB lacks them, but the age order of level 0 and every new MANIFEST need
// them. They can only be found by reading all entries of the table.
#pragma once

#include "db/base/db_context.h"
#include "db/manifest/version_edit.h"
#include "db/version/table_cache.h"

namespace tamis {

// Reads the whole table, .sst or .ldb, verifies its checksums, and sets the
// sequence bounds of `meta`; range tombstones count as entries. Returns the
// errors of reading, and Corruption if the table is empty or out of order, or
// if its first or last key differs from that in `meta`. After an error, `meta`
// is unchanged.
// REQUIRES: `tables` belongs to the family whose comparator is `order`.
Status ScanSequenceBounds(const DBContext& context, const KeyOrder& order,
                          const TableCache& tables, FileMetaData* meta);

}  // namespace tamis
