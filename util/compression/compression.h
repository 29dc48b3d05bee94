// SPDX-License-Identifier: Apache-2.0
//
// Block codecs behind two calls. A codec that the build lacks compresses
// nothing and refuses to uncompress, by name.
//
//   payload    kVersion2              kVersion1              kLevelDB
//   Snappy     a snappy block         the same               the same
//   Zlib       length, raw deflate    raw deflate            number 2 is zstd:
//   BZip2      length, stream         stream                 a frame alone
//   LZ4, HC    length, block          fixed64 length, block
//   ZSTD       length, frame          the same
//
// where length is a varint32: that of the block before compression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/table.h"

#include "util/base/byte_buffer.h"
#include "util/base/result.h"

namespace tamis {

// What a payload says of its length, and which numbers mean which codec.
enum class PayloadForm : uint8_t {
  kLevelDB,   // LevelDB's tables
  kVersion1,  // RocksDB's format_version 0 and 1
  kVersion2,  // from 2 on
};

// "NoCompression", "Snappy", ... as in the property rocksdb.compression.
const char* CompressionTypeName(CompressionType type);

// Whether this build can write it, or read it (kNoCompression always).
bool CompressionSupported(CompressionType type);
bool UncompressionSupported(CompressionType type);
// Those that it can write.
std::vector<CompressionType> SupportedCompressions();

// Compresses `raw` into *out (replaced). False when the codec is not supported,
// fails, or `raw` is over kMaxCompressibleBytes: the block is then stored as it
// is.
inline constexpr size_t kMaxCompressibleBytes = size_t{1} << 30;
bool Compress(CompressionType type, const Slice& raw, std::string* out,
              PayloadForm form = PayloadForm::kVersion2);

// The longest block that any form can declare.
inline constexpr uint64_t kMaxUncompressedBytes = (uint64_t{1} << 32) - 1;

// What data blocks of a table were compressed against. Immutable; any thread.
class UncompressionDictionary {
 public:
  // Digests the dictionary for zstd as well, once for all blocks.
  explicit UncompressionDictionary(std::string raw);
  ~UncompressionDictionary();
  UncompressionDictionary(const UncompressionDictionary&) = delete;
  UncompressionDictionary& operator=(const UncompressionDictionary&) = delete;

  Slice raw() const { return raw_; }
  // For util/compression/codec_zstd.cc. nullptr: zstd can make nothing of it.
  const struct ZstdDictionary* zstd() const;

 private:
  struct Digested;
  const std::string raw_;
  const std::unique_ptr<const Digested> digested_;
};

// `dictionary`: nullptr when the block was compressed without one. A block
// must not decompress to more than `cap` bytes (the reader's
// BlockBasedTableOptions::max_decompressed_block_bytes), nor to more than its
// codec can produce from input of this size: either is Corruption. A length
// that the payload declares is checked before memory is allocated; without
// one, the check is made while decompressing.
// REQUIRES: type != kNoCompression
Result<ByteBuffer> Uncompress(
    CompressionType type, const Slice& compressed,
    PayloadForm form = PayloadForm::kVersion2,
    const UncompressionDictionary* dictionary = nullptr,
    uint64_t cap = kMaxUncompressedBytes);

// A record of a compressed log: a zstd frame, which need not tell how much it
// holds. More than `limit` is Corruption. NotSupported: the build lacks zstd.
Result<ByteBuffer> UncompressZstdRecord(const Slice& frame, uint64_t limit);

}  // namespace tamis
