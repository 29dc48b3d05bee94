// SPDX-License-Identifier: Apache-2.0
//
// Appends blocks with their trailers to a table's file, and compresses them on
// request.
//
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/statistics.h"
#include "tamis/table.h"

#include "table/format.h"
#include "util/base/result.h"
#include "util/compression/compression.h"
#include "util/compression/dictionary.h"

namespace tamis {

class BlockWriter {
 public:
  // `file` must outlive *this. Of `footer`, uses version and checksum
  // parameters. `level` is as in Compress. With `verifies`, each compressed
  // block is decompressed and compared. Writeback starts each time that
  // `bytes_per_sync` bytes were written; 0 means never.
  BlockWriter(WritableFile* file, CompressionType codec, const Footer& footer,
              Statistics* statistics, int level = kDefaultCompressionLevel,
              bool verifies = false, uint64_t bytes_per_sync = 1 << 20)
      : file_(file),
        codec_(codec),
        level_(level),
        verifies_(verifies),
        footer_(footer),
        statistics_(statistics),
        bytes_per_sync_(bytes_per_sync) {}

  // Writes the block uncompressed, and returns its handle.
  Result<BlockHandle> Write(const Slice& raw);
  // Writes the block, compressed if that saves more than 1/8, and returns its
  // handle. `dictionary` is of the writer's codec, or nullptr.
  Result<BlockHandle> WriteCompressed(
      const Slice& raw, CompressionDictionary* dictionary = nullptr);
  // Writes a payload as it is, with the codec that it was compressed with, and
  // returns its handle.
  Result<BlockHandle> WriteStored(const Slice& payload, CompressionType codec);
  // Writes bytes that are not a block, such as the footer.
  Status WriteBytes(const Slice& bytes);

  // Returns the offset of the next block.
  uint64_t offset() const { return offset_; }
  // Returns whether any block so far was stored compressed.
  bool any_compressed() const { return any_compressed_; }

 private:
  // Returns Corruption if compressed_ does not decompress to `raw`.
  Status Verify(const Slice& raw, const CompressionDictionary* dictionary);
  // Starts writeback of the bytes written so far. Otherwise the device would
  // idle until the table is synced at the end.
  void StartWriteback();

  WritableFile* const file_;
  const CompressionType codec_;
  const int level_;
  const bool verifies_;
  const Footer footer_;
  Statistics* const statistics_;
  const uint64_t bytes_per_sync_;  // 0: StartWriteback is never called
  uint64_t offset_ = 0;
  uint64_t writeback_from_ = 0;
  bool any_compressed_ = false;
  std::string compressed_;  // scratch
  // Of the last dictionary, once a block was verified with it.
  std::unique_ptr<const UncompressionDictionary> verifying_;
};

}  // namespace tamis
