// SPDX-License-Identifier: Apache-2.0
//
// The fixed points of a block-based table: handles that say where a block is,
// the trailer behind each block, the footer that everything is found from.
//
//   block    payload | codec u8 | checksum u32
//   handle   varint64 offset | varint64 size           (of the payload)
//   footer   versions 1 to 5, 53 bytes:
//            checksum type u8 | metaindex handle | index handle
//            | zeros up to byte 41 | format_version u32 | magic u64
//            version 0 (LevelDB's), 48 bytes:
//            metaindex handle | index handle | zeros up to byte 40 | magic u64
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/slice.h"
#include "tamis/table.h"

#include "util/coding.h"
#include "util/result.h"

namespace tamis {

inline constexpr size_t kBlockTrailerBytes = 5;
inline constexpr uint64_t kBlockBasedMagic = 0x88e241b785f4cff7;
inline constexpr uint64_t kLegacyMagic = 0xdb4775248b80fb57;
inline constexpr size_t kFooterBytes = 53;
inline constexpr size_t kLegacyFooterBytes = 48;
inline constexpr uint32_t kFormatVersionWritten = 5;
inline constexpr uint32_t kFormatVersionMax = 5;

// Names in the metaindex; filters have theirs in filter/filter_registry.h.
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

struct Footer {
  uint32_t format_version = kFormatVersionWritten;
  ChecksumType checksum = kXXH3;
  uint64_t magic = kBlockBasedMagic;
  BlockHandle metaindex;
  BlockHandle index;

  // As version 5. REQUIRES: format_version == kFormatVersionWritten
  std::string Encode() const;
  // `tail`: the last min(kFooterBytes, file_size) bytes of the file. The
  // handles of an OK result lie within the file.
  static Result<Footer> Decode(const Slice& tail, uint64_t file_size,
                               const std::string& file_name);
};

}  // namespace tamis
