// SPDX-License-Identifier: Apache-2.0
//
// Puts blocks into the file of a table, one behind the other, each with its
// trailer, compressed where asked and where that pays.
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
  // `file` outlives *this. Of `footer`, version and checksum count.
  BlockWriter(WritableFile* file, CompressionType codec, const Footer& footer,
              Statistics* statistics)
      : file_(file), codec_(codec), footer_(footer), statistics_(statistics) {}

  // As it is.
  Result<BlockHandle> Write(const Slice& raw);
  // Compressed, unless that saves less than an eighth.
  Result<BlockHandle> WriteCompressed(const Slice& raw);
  // Bytes that are no block: the footer.
  Status WriteBytes(const Slice& bytes);

  // Where the next block will stand.
  uint64_t offset() const { return offset_; }
  // Whether any block so far was worth compressing.
  bool any_compressed() const { return any_compressed_; }

 private:
  Result<BlockHandle> WriteStored(const Slice& payload, CompressionType codec);
  // A table is synced when it is whole: the device is kept busy until then.
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
