// SPDX-License-Identifier: Apache-2.0
//
// The framing of write-ahead logs and MANIFESTs. A file consists of blocks of
// 32 KiB, the last one shorter. Physical records never cross a block.
//
//   masked crc  fixed32 | length  fixed16 | type  u8 | payload      types 1-4
//   ... | type  u8 | log number  fixed32 | payload                  types 5-8
//
// The crc covers the bytes from the type to the end; `length` is the payload's.
// A logical record is `full`, or `first middle* last`. The second form is used
// in recycled files: the log number tells stale records from new ones.
//
// Tamis writes only types 1 to 4, and reads all of them.
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
  kSetCompression = 9,
  kTimestampSizes = 10,
  kRecyclableTimestampSizes = 11,
};
// The size of the clean-close marker (log_writer.h).
inline constexpr size_t kCleanCloseBytes = kHeaderBytes + 8 + 4;
// A device writes whole sectors. A sector that a power failure lost ends in at
// least kLostBytesMin zeros, or, if the file ends in it, in zeros since the
// last multiple of kTornBytes.
inline constexpr size_t kSectorBytes = 512;
inline constexpr size_t kLostBytesMin = 4;
inline constexpr size_t kTornBytes = 8;
// The longest padding that a writer leaves at the end of a block.
inline constexpr size_t kPaddingBytesMax = kRecyclableHeaderBytes - 1;

// A reader skips unknown types with this bit.
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
