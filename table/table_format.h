// SPDX-License-Identifier: Apache-2.0
//
// The formats of tables. The magic number at the end of a file tells which one
// it has. Block-based tables are described in format.h. What plain and cuckoo
// tables have in common is here: their blocks have neither codec nor checksum.
//
//   plain    records | [Bloom filter | hash table] | properties | metaindex
//            | footer
//   cuckoo   buckets | properties | metaindex | footer
//
//   footer   plain, 48 bytes:   metaindex handle | null handle
//                               | zeros up to byte 40 | magic u64
//            cuckoo, 53 bytes:  0 | metaindex handle | null handle
//                               | zeros up to byte 41 | 1 u32 | magic u64
//
// Plain tables may also have the footer of 53 bytes, with a magic number of its
// own. FORMAT.md has the rest.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tamis/file_system.h"
#include "tamis/table_properties.h"

#include "table/format.h"
#include "util/base/result.h"

namespace tamis {

enum class TableFormat : uint8_t { kBlockBased, kPlain, kCuckoo };

// Returns "block-based", "plain" or "cuckoo".
const char* TableFormatName(TableFormat format);

// Returns the format that the last bytes of a file name. Other files are taken
// for block-based ones, so that Footer::Decode reports what is wrong.
TableFormat TableFormatOf(const Slice& file_end);

// What follows the data of a plain or a cuckoo table.
struct PlainTail {
  TableFormat format = TableFormat::kPlain;
  uint64_t begin = 0;  // the offset of the first block behind the data
  // By name; without the properties.
  std::map<std::string, BlockHandle> blocks;
  TableProperties properties;

  // Reads it. Errors name the file.
  static Result<PlainTail> Read(const RandomAccessFile& file,
                                uint64_t file_size,
                                const std::string& file_name);
  // Returns properties, metaindex and footer, to be written at this offset.
  std::string Encode(uint64_t offset) const;
};

}  // namespace tamis
