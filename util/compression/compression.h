// SPDX-License-Identifier: Apache-2.0
//
// The block codecs, behind two calls. If the build lacks a codec, Compress
// returns false and Uncompress returns NotSupported, which names it.
//
//   payload    kVersion2              kVersion1              kLevelDB
//   Snappy     a snappy block         the same               the same
//   Zlib       length, raw deflate    raw deflate            number 2 is zstd:
//   BZip2      length, stream         stream                 a frame alone
//   LZ4, HC    length, block          fixed64 length, block
//   ZSTD       length, frame          the same
//
// "length" is the size of the uncompressed block as a varint32.
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

// How a payload stores its length, and which codec each type number means.
enum class PayloadForm : uint8_t {
  kLevelDB,   // LevelDB's tables
  kVersion1,  // RocksDB's format_version 0 and 1
  kVersion2,  // format_version 2 and later
};

// Returns "NoCompression", "Snappy", ... as in the property
// rocksdb.compression.
const char* CompressionTypeName(CompressionType type);

// Return whether this build can compress, or decompress, with the codec. True
// for kNoCompression.
bool CompressionSupported(CompressionType type);
bool UncompressionSupported(CompressionType type);
// Returns all codecs that this build can compress with.
std::vector<CompressionType> SupportedCompressions();

// Replaces *out by `raw`, compressed. Returns false if the codec is not
// supported or fails, `raw` exceeds kMaxCompressibleBytes, or the form does not
// have zlib; the caller then stores the block uncompressed.
// `level` is that of CompressionOptions.
inline constexpr size_t kMaxCompressibleBytes = size_t{1} << 30;
inline constexpr int kDefaultCompressionLevel = 32767;
bool Compress(CompressionType type, const Slice& raw, std::string* out,
              PayloadForm form = PayloadForm::kVersion2,
              int level = kDefaultCompressionLevel);

// The largest uncompressed length that any form can declare.
inline constexpr uint64_t kMaxUncompressedBytes = (uint64_t{1} << 32) - 1;

// The dictionary of a table's compressed data blocks. Immutable; any thread.
class UncompressionDictionary {
 public:
  // Also preprocesses the dictionary for zstd, once for all blocks.
  explicit UncompressionDictionary(std::string raw);
  ~UncompressionDictionary();
  UncompressionDictionary(const UncompressionDictionary&) = delete;
  UncompressionDictionary& operator=(const UncompressionDictionary&) = delete;

  Slice raw() const { return raw_; }
  // Returns the bytes that it occupies, with zstd's form.
  size_t memory_usage() const;
  // Returns zstd's form of the dictionary, or nullptr if zstd cannot use it.
  // For util/compression/codec_zstd.cc.
  const struct ZstdDictionary* zstd() const;

 private:
  struct Digested;
  const std::string raw_;
  const std::unique_ptr<const Digested> digested_;
};

// Replaces *out by the uncompressed block; undefined on failure. Allocates only
// if *out has too little memory. `dictionary` is nullptr if the block was
// compressed without one. Returns Corruption if no codec has the type's number,
// if the block is malformed, or if it decompresses to more than `cap` bytes
// (the reader's BlockBasedTableOptions::max_decompressed_block_bytes) or than
// its codec can produce from input of this size. A declared length is checked
// before memory is allocated; without one, the check is made while
// decompressing.
// REQUIRES: type != kNoCompression; `compressed` is not in *out
Status UncompressInto(CompressionType type, const Slice& compressed,
                      PayloadForm form,
                      const UncompressionDictionary* dictionary, uint64_t cap,
                      ByteBuffer* out);
// Does the same, into memory of its own.
Result<ByteBuffer> Uncompress(
    CompressionType type, const Slice& compressed,
    PayloadForm form = PayloadForm::kVersion2,
    const UncompressionDictionary* dictionary = nullptr,
    uint64_t cap = kMaxUncompressedBytes);

// Decompresses a record of a compressed log: a zstd frame, which may omit its
// length. Returns Corruption if it is malformed or has more than `limit` bytes,
// NotSupported if the build lacks zstd.
Result<ByteBuffer> UncompressZstdRecord(const Slice& frame, uint64_t limit);

}  // namespace tamis
