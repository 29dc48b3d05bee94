// SPDX-License-Identifier: Apache-2.0
//
// The fixed structures of a block-based table. Handles locate blocks, a trailer
// follows each block, and reading starts from the footer.
//
//   block    payload | codec u8 | checksum u32
//   handle   varint64 offset | varint64 size           (of the payload)
//   footer   versions 6 and 7, 53 bytes, directly after the metaindex block:
//            checksum type u8 | 3E 00 7A 00 | checksum of the footer u32
//            | base_context_checksum u32 | metaindex payload size u32
//            | 24 zeros | format_version u32 | magic u64
//            versions 1 to 5, 53 bytes:
//            checksum type u8 | metaindex handle | index handle
//            | zeros up to byte 41 | format_version u32 | magic u64
//            version 0 (LevelDB's), 48 bytes:
//            metaindex handle | index handle | zeros up to byte 40 | magic u64
//
// Since version 6 the index handle is in the metaindex. The footer's checksum
// is computed over its bytes with the checksum field zeroed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/slice.h"
#include "tamis/table.h"

#include "util/base/result.h"
#include "util/coding/checksum.h"
#include "util/coding/coding.h"
#include "util/compression/compression.h"

namespace tamis {

inline constexpr size_t kBlockTrailerBytes = 5;
inline constexpr uint64_t kBlockBasedMagic = 0x88e241b785f4cff7;
inline constexpr uint64_t kLegacyMagic = 0xdb4775248b80fb57;
inline constexpr size_t kFooterBytes = 53;
inline constexpr size_t kLegacyFooterBytes = 48;
inline constexpr uint32_t kFormatVersionWritten = 5;
inline constexpr uint32_t kFormatVersionMax = 7;

// Names in the metaindex. Filter names are in filter/filter_registry.h.
inline constexpr char kIndexBlockName[] = "rocksdb.index";  // from version 6
inline constexpr char kPropertiesBlockName[] = "rocksdb.properties";
// The name of the properties block until 2014.
inline constexpr char kPropertiesBlockOldName[] = "rocksdb.stats";
inline constexpr char kRangeDeletionBlockName[] = "rocksdb.range_del";
inline constexpr char kCompressionDictionaryBlockName[] =
    "rocksdb.compression_dict";

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;  // of the payload, without the trailer

  // Returns the offset of the first byte after the block's trailer.
  uint64_t end() const { return offset + size + kBlockTrailerBytes; }
  // Returns whether block and trailer lie within the first `limit` bytes.
  bool FitsIn(uint64_t limit) const {
    return limit >= kBlockTrailerBytes && size <= limit - kBlockTrailerBytes &&
           offset <= limit - kBlockTrailerBytes - size;
  }

  void EncodeTo(std::string* out) const;
  static BlockHandle DecodeFrom(Decoder* in);
  // Returns "offset 12, size 34".
  std::string ToString() const;

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// Returns how the payloads of RocksDB's tables declare their uncompressed
// length. LevelDB's tables differ: they look like version 0, but their
// metaindex names no properties.
constexpr PayloadForm PayloadFormOf(uint32_t format_version) {
  return format_version < 2 ? PayloadForm::kVersion1 : PayloadForm::kVersion2;
}

// Returns the property rocksdb.compression of a table written with `codec`.
// `compressed` tells whether any block is compressed. RocksDB chooses its
// decompressor by the property, so it must not mean "none" if any block is.
std::string CompressionProperty(uint32_t format_version, CompressionType codec,
                                bool compressed);

struct Footer {
  uint32_t format_version = kFormatVersionWritten;
  ChecksumType checksum = kXXH3;
  uint64_t magic = kBlockBasedMagic;
  // Part of every checksum of the file. Non-zero since version 6, zero before.
  uint32_t base_context_checksum = 0;
  BlockHandle metaindex;
  // Since version 6, Decode leaves it null: the metaindex has the handle.
  BlockHandle index;

  bool index_is_in_metaindex() const { return format_version >= 6; }
  size_t encoded_bytes() const {
    return format_version == 0 ? kLegacyFooterBytes : kFooterBytes;
  }

  // Sets the version and its magic. Since version 6, also sets
  // base_context_checksum to a hash of `seed`. The seed identifies the file and
  // is not random, so that equal input yields equal files.
  void SetVersion(uint32_t version, const Slice& seed);

  // Returns the checksum stored after a block of this file.
  uint32_t ChecksumOf(uint64_t offset, const Slice& payload,
                      uint8_t compression_type) const {
    return StoredChecksum(checksum, base_context_checksum, offset, payload,
                          compression_type);
  }

  // Returns the bytes of the footer. REQUIRES: SetVersion was called, or the
  // default version is kept; checksum == kCRC32c for version 0; since version
  // 6, the footer is written at metaindex.end().
  std::string Encode() const;
  // Decodes the footer from the last min(kFooterBytes, file_size) bytes of the
  // file. Checks that its handles lie within the file. Returns Corruption, or
  // NotSupported if a later release wrote the file.
  static Result<Footer> Decode(const Slice& file_end, uint64_t file_size,
                               const std::string& file_name);
};

}  // namespace tamis
