// SPDX-License-Identifier: Apache-2.0
//
// The framing of write-ahead logs and MANIFESTs. A file consists of blocks of
// 32 KiB; the last block may be shorter. Physical records never cross a block.
// They have one of two headers:
//
//   masked crc32c  fixed32 | length  fixed16 | type  u8 | payload
//   ...                    | type  u8 | log number  fixed32 | payload
//
// Integers are little-endian. The crc covers the bytes from the type to the end
// of the payload; `length` is the payload's. The second header appears in
// recycled files. Its log number, the low 32 bits of the file's number, tells
// the file's records from those of its previous use. HeaderBytes returns which
// header a type has. A logical record is `full`, or `first middle* last`.
//
// Tamis writes types 1 to 4, and type 9 at the begin of a zstd log, in which
// each logical record is a frame. LogReader reads types 1 to 8, decompresses
// zstd logs, and skips types 10 and 11. Any other type is Corruption,
// unless it has kIgnorableBit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::log {

inline constexpr size_t kBlockBytes = 32768;
inline constexpr size_t kHeaderBytes = 4 + 2 + 1;
inline constexpr size_t kRecyclableHeaderBytes = kHeaderBytes + 4;

enum RecordType : uint8_t {
  kZero = 0,  // with length 0: padding to the end of the block
  kFull = 1,
  kFirst = 2,
  kMiddle = 3,
  kLast = 4,
  kRecyclableFull = 5,
  kRecyclableFirst = 6,
  kRecyclableMiddle = 7,
  kRecyclableLast = 8,
  kSetCompression = 9,  // the first record of a log: its records are compressed
  kTimestampSizes = 10,
  kRecyclableTimestampSizes = 11,
};
// The size of the clean-close marker (log_writer.h).
inline constexpr size_t kCleanCloseBytes = kHeaderBytes + 8 + 4;
// In a zstd log, the marker's batch is in a frame that stores its 12 bytes as
// they are: magic number, flags (one segment, length in one byte), length,
// header of the only block.
inline constexpr unsigned char kCleanCloseFrame[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x20, 8 + 4, (8 + 4) << 3 | 1, 0, 0};
inline constexpr size_t kZstdCleanCloseBytes =
    kCleanCloseBytes + sizeof(kCleanCloseFrame);
// A device writes whole sectors, and a sector that it lost reads as zeros. The
// reader of a MANIFEST takes a sector for lost if it ends in at least
// kLostBytesMin zeros. If the file ends within the sector, zeros from the last
// multiple of kTornBytes to the end suffice.
inline constexpr size_t kSectorBytes = 512;
inline constexpr size_t kLostBytesMin = 4;
inline constexpr size_t kTornBytes = 8;
// The longest padding before a record that may be split. A record that is never
// split may follow more.
inline constexpr size_t kPaddingBytesMax = kRecyclableHeaderBytes - 1;

// A reader skips a record of an unknown type that has this bit.
inline constexpr uint8_t kIgnorableBit = 0x80;

// Above type 9, the odd types carry a log number.
inline constexpr size_t HeaderBytes(uint8_t type) {
  const bool recyclable =
      type >= kRecyclableFull &&
      (type <= kRecyclableLast || (type > kSetCompression && type % 2 == 1));
  return recyclable ? kRecyclableHeaderBytes : kHeaderBytes;
}
static_assert(HeaderBytes(kLast) == 7 && HeaderBytes(kRecyclableFull) == 11 &&
              HeaderBytes(kSetCompression) == 7 &&
              HeaderBytes(kTimestampSizes) == 7 && HeaderBytes(131) == 11);

}  // namespace tamis::log
