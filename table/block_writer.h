// SPDX-License-Identifier: Apache-2.0
//
// Appends blocks with their trailers to a table's file, compressed if requested
// and worthwhile.
//
// One thread.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/file_system.h"
#include "tamis/statistics.h"
#include "tamis/table.h"

#include "table/format.h"
#include "util/base/result.h"

namespace tamis {

class BlockWriter {
 public:
  // `file` must outlive *this. Uses version and checksums of `footer`.
  BlockWriter(WritableFile* file, CompressionType codec, const Footer& footer,
              Statistics* statistics)
      : file_(file), codec_(codec), footer_(footer), statistics_(statistics) {}

  // Writes the block uncompressed.
  Result<BlockHandle> Write(const Slice& raw);
  // Compresses the block unless that saves less than 1/8.
  Result<BlockHandle> WriteCompressed(const Slice& raw);
  // Writes bytes that are not a block, such as the footer.
  Status WriteBytes(const Slice& bytes);

  // Offset of the next block.
  uint64_t offset() const { return offset_; }
  // True if any block so far was stored compressed.
  bool any_compressed() const { return any_compressed_; }

 private:
  Result<BlockHandle> WriteStored(const Slice& payload, CompressionType codec);
  // Starts writeback early: the table is synced only at the end, and the device
  // would idle until then.
  void StartWriteback();

  WritableFile* const file_;
  const CompressionType codec_;
  const Footer footer_;
  Statistics* const statistics_;
  uint64_t offset_ = 0;
  uint64_t writeback_from_ = 0;
  bool any_compressed_ = false;
  std::string compressed_;  // scratch
};

}  // namespace tamis
