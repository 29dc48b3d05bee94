// SPDX-License-Identifier: Apache-2.0
//
// What still reads of a table that is damaged. The index says where blocks
// are; where it cannot be read, or says nothing of some bytes, blocks are known
// by their own checksums, one behind the other:
//
//   payload | codec u8 | checksum u32 | payload | codec u8 | checksum u32 | ...
//   └── length? ──┘  the first length whose checksum fits
//
// A block whose checksum fits is believed when it also reads as entries behind
// those of the block before.
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
  uint64_t entries = 0;  // range tombstones not counted
  uint64_t blocks = 0;   // data blocks that were read
  // Known from the index, and unreadable.
  uint64_t blocks_lost = 0;
  // Of data blocks; an estimate where the index is lost.
  uint64_t bytes_lost = 0;
  bool index_lost = false;       // or a part of it
  bool tombstones_lost = false;  // if there were any
  std::vector<RangeTombstone> tombstones;
};

class TableSalvage {
 public:
  // Gets the entries in ascending order. Its errors end the walk.
  using Visit = std::function<Status(const Slice& key, const Slice& value)>;

  // Corruption: nothing can be told of the table. NotSupported and
  // InvalidArgument: it is sound as far as can be seen, but not for this
  // release or not of this order of keys. IOError: of the file.
  static Result<SalvagedTable> Run(std::unique_ptr<RandomAccessFile> file,
                                   uint64_t file_size,
                                   const TableContext& context,
                                   const Visit& visit);

  // Without asking whether this release can read the rest.
  static Result<std::shared_ptr<const TableProperties>> ReadProperties(
      std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
      const TableContext& context);

 private:
  class Walk;
};

}  // namespace tamis
