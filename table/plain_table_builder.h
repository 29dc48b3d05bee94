// SPDX-License-Identifier: Apache-2.0
//
// Writes a table in RocksDB's plain format (table_format.h): the record of each
// entry (plain_table_records.h) and, if asked for, an index of them
// (plain_table_index.h), which is kept in memory until the end.
#pragma once

#include <memory>

#include "table/table_builder_rep.h"

namespace tamis {

// REQUIRES: options.plain is set; `file` outlives the builder.
std::unique_ptr<TableBuilder::Rep> NewPlainTableBuilder(
    const TableBuildOptions& options, WritableFile* file);

}  // namespace tamis
