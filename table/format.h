// SPDX-License-Identifier: Apache-2.0
//
// The fixed points of a block-based table: handles that say where a block is,
// the trailer behind each block, the footer that everything is found from.
//
//   block    payload | codec u8 | checksum u32
//   handle   varint64 offset | varint64 size           (of the payload)
//   footer   versions 6 and 7, 53 bytes, right behind the metaindex block:
//            checksum type u8 | 3E 00 7A 00 | checksum of the footer u32
//            | base_context_checksum u32 | metaindex payload size u32
//            | 24 zeros | format_version u32 | magic u64
//            versions 1 to 5, 53 bytes:
//            checksum type u8 | metaindex handle | index handle
//            | zeros up to byte 41 | format_version u32 | magic u64
//            version 0 (LevelDB's), 48 bytes:
//            metaindex handle | index handle | zeros up to byte 40 | magic u64
//
// From version 6 on the index handle stands in the metaindex. The checksum of
// the footer is that of its bytes with the checksum itself zeroed.
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
// Unless another is asked for.
inline constexpr uint32_t kFormatVersionWritten = 5;
inline constexpr uint32_t kFormatVersionMax = 7;

// Names in the metaindex; filters have theirs in filter/filter_registry.h.
inline constexpr char kIndexBlockName[] = "rocksdb.index";  // from version 6
inline constexpr char kPropertiesBlockName[] = "rocksdb.properties";
// Until 2014.
inline constexpr char kPropertiesBlockOldName[] = "rocksdb.stats";
inline constexpr char kRangeDeletionBlockName[] = "rocksdb.range_del";
inline constexpr char kCompressionDictionaryBlockName[] =
    "rocksdb.compression_dict";

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;  // of the payload, without the trailer

  // Offset of what follows the block.
  uint64_t end() const { return offset + size + kBlockTrailerBytes; }
  // Whether block and trailer lie in the first `limit` bytes.
  bool FitsIn(uint64_t limit) const {
    return limit >= kBlockTrailerBytes && size <= limit - kBlockTrailerBytes &&
           offset <= limit - kBlockTrailerBytes - size;
  }

  void EncodeTo(std::string* out) const;
  static BlockHandle DecodeFrom(Decoder* in);
  // "offset 12, size 34"
  std::string ToString() const;

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// How payloads of a table tell their uncompressed length. LevelDB's tables,
// which differ, look like version 0: their metaindex lacks the properties.
constexpr PayloadForm PayloadFormOf(uint32_t format_version) {
  return format_version < 2 ? PayloadForm::kVersion1 : PayloadForm::kVersion2;
}

// The property rocksdb.compression of a table written with `codec`;
// `compressed`: whether any block of it is. Readers take their decompressor
// from it, so it must not say "none" when there is one.
std::string CompressionProperty(uint32_t format_version, CompressionType codec,
                                bool compressed);

struct Footer {
  uint32_t format_version = kFormatVersionWritten;
  ChecksumType checksum = kXXH3;
  uint64_t magic = kBlockBasedMagic;
  // Goes into every checksum of the file from version 6 on: not 0 there, 0
  // before.
  uint32_t base_context_checksum = 0;
  BlockHandle metaindex;
  // Decoded from version 6 on: the null handle, as the metaindex tells it.
  BlockHandle index;

  bool index_is_in_metaindex() const { return format_version >= 6; }
  size_t encoded_bytes() const {
    return format_version == 0 ? kLegacyFooterBytes : kFooterBytes;
  }

  // Takes on `version` and its magic. From 6 on base_context_checksum becomes a
  // hash of `seed`: of facts that tell this file from others, not of chance, so
  // that the same input makes the same file.
  void SetVersion(uint32_t version, const Slice& seed);

  // What stands behind a block of this file.
  uint32_t ChecksumOf(uint64_t offset, const Slice& payload,
                      uint8_t compression_type) const {
    return StoredChecksum(checksum, base_context_checksum, offset, payload,
                          compression_type);
  }

  // REQUIRES: SetVersion or the version it begins with; kCRC32c for version 0;
  // from 6 on that the footer will stand at metaindex.end().
  std::string Encode() const;
  // `tail`: the last min(kFooterBytes, file_size) bytes of the file. The
  // handles of an OK result lie within the file.
  static Result<Footer> Decode(const Slice& tail, uint64_t file_size,
                               const std::string& file_name);
};

}  // namespace tamis
