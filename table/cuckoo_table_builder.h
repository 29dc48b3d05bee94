// SPDX-License-Identifier: Apache-2.0
//
// Writes a table in RocksDB's cuckoo format (cuckoo_table_layout.h). Keeps the
// entries in memory until the end, when each gets its bucket. If the format
// cannot store them, writes them as a block-based table.
#pragma once

#include <memory>

#include "table/table_builder_rep.h"

namespace tamis {

// REQUIRES: options.cuckoo is set; `file` outlives the builder.
std::unique_ptr<TableBuilder::Rep> NewCuckooTableBuilder(
    const TableBuildOptions& options, WritableFile* file);

}  // namespace tamis
