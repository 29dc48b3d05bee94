// SPDX-License-Identifier: Apache-2.0
//
// Presents a plain or cuckoo table as a block-based file. Its readers find
// blocks, an index, a filter and properties, as in any block-based table, and
// do not depend on the other format:
//
//   plain or cuckoo table    entry entry entry │ entry entry │ ...
//                                    │ encoded when they are read
//                            ┌───────▼─────────┬─────────────┬───────────────┐
//   this file                │ data block 0    │ data block 1│ ... the rest  │
//                            └─────────────────┴─────────────┴───────────────┘
//                                                             in memory
//
// When a table is opened, its entries are read once, to find where the blocks
// begin, and to build index and filter, which stay in memory. The blocks have
// no checksums.
#pragma once

#include <memory>

#include "tamis/file_system.h"

#include "table/entry_source.h"
#include "table/table_reader.h"
#include "util/base/result.h"

namespace tamis {

// Returns the entries of a table whose format is not block-based. Their order
// is not checked. `file` must outlive the source. Returns Corruption, which
// names the file, if what follows the data is malformed.
Result<std::unique_ptr<EntrySource>> OpenEntrySource(
    const RandomAccessFile* file, uint64_t file_size,
    const TableContext& context);

struct TranslatedTable {
  std::unique_ptr<RandomAccessFile> file;
  uint64_t size = 0;
  size_t memory_usage = 0;
};

// Translates a table whose format is not block-based. Builds the filter that
// context.filter_policy asks for, unless context.skip_filters. Returns
// Corruption, which names the file, if the table is malformed or its keys are
// not ascending.
Result<TranslatedTable> TranslateTable(std::unique_ptr<RandomAccessFile> file,
                                       uint64_t file_size,
                                       const TableContext& context);

}  // namespace tamis
