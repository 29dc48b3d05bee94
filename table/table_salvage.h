// SPDX-License-Identifier: Apache-2.0
//
// Recovers the readable entries of a damaged table. The index locates the
// blocks. From the point where the index is unreadable, blocks are detected by
// their own checksums, one after another:
//
//   payload | codec u8 | checksum u32 | payload | codec u8 | checksum u32 | ...
//   └── length? ──┘  the first length whose checksum matches
//
// A block is accepted only if its entries also decode, and follow those of the
// block before.
//
// Plain and cuckoo tables have no blocks and no checksums: their entries are
// recovered up to the first malformed one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "table/range_tombstone.h"
#include "table/table_reader.h"
#include "util/base/result.h"

namespace tamis {

struct SalvagedTable {
  uint64_t entries = 0;  // without range tombstones
  uint64_t blocks = 0;   // data blocks read
  // Blocks in the index that could not be read.
  uint64_t blocks_lost = 0;
  // Bytes of lost data blocks; an estimate if the index is lost.
  uint64_t bytes_lost = 0;
  bool index_lost = false;       // at least in part
  bool tombstones_lost = false;  // if there were any
  std::vector<RangeTombstone> tombstones;
};

class TableSalvage {
 public:
  // Receives the entries in ascending order. An error stops Run, which returns
  // it.
  using Visit = std::function<Status(const Slice& key, const Slice& value)>;

  // Recovers the table's entries and range tombstones. Damage is not an error:
  // the result counts what was recovered and lost, even if nothing was
  // recovered. Returns NotSupported or InvalidArgument if the table looks
  // intact, but needs another release or comparator; Corruption if the sequence
  // number of an ingested table is unclear; IOError if the file cannot be read.
  static Result<SalvagedTable> Run(std::unique_ptr<RandomAccessFile> file,
                                   uint64_t file_size,
                                   const TableContext& context,
                                   const Visit& visit);

  // Returns the properties of a table whose footer, metaindex and properties
  // are readable, otherwise their error. Does not check whether this release
  // supports the table's features.
  static Result<std::shared_ptr<const TableProperties>> ReadProperties(
      std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
      const TableContext& context);

 private:
  class Scan;
};

}  // namespace tamis
