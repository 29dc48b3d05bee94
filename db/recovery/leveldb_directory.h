// SPDX-License-Identifier: Apache-2.0
//
// Fills in what LevelDB's MANIFEST lacks: it records each table's key range but
// not its sequence numbers. Those are only in the table's entries. Both
// ordering level 0 files by age and writing a MANIFEST require reading them
// all.
#pragma once

#include "db/base/db_context.h"
#include "db/manifest/version_edit.h"
#include "db/version/table_cache.h"

namespace tamis {

// Reads the whole table, .sst or .ldb, verifies checksums, and sets the
// sequence bounds of `meta`; range tombstones count as entries. On an error
// `meta` is unchanged. Corruption: the table is empty or out of order, or its
// first or last key differs from those in `meta`.
// REQUIRES: `tables` belongs to the family whose comparator is `order`.
Status ScanSequenceBounds(const DBContext& context, const KeyOrder& order,
                          const TableCache& tables, FileMetaData* meta);

}  // namespace tamis
