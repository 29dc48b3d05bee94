// SPDX-License-Identifier: Apache-2.0
//
// The 4-byte checksum in a table block's trailer. It covers the stored payload
// and the byte that names its codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/slice.h"
#include "tamis/table.h"

namespace tamis {

bool IsKnownChecksumType(uint8_t type);
const char* ChecksumTypeName(ChecksumType type);

// Returns the checksum of a payload and its codec byte. kCRC32c (masked),
// kxxHash and kxxHash64 hash the payload followed by the byte. kXXH3 hashes the
// payload, and xors the result with a multiple of the byte. kNoChecksum is 0.
uint32_t BlockChecksum(ChecksumType type, const Slice& payload,
                       uint8_t compression_type);

// Computes checksums of payloads of several lengths that start at the same
// offset, in one pass: each reads only the bytes that it adds to the one
// before. One thread.
class PrefixChecksum {
 public:
  // `bytes` must outlive *this.
  PrefixChecksum(ChecksumType type, const Slice& bytes);
  ~PrefixChecksum();
  PrefixChecksum(const PrefixChecksum&) = delete;
  PrefixChecksum& operator=(const PrefixChecksum&) = delete;

  // Returns the BlockChecksum of the first `length` bytes, with the byte after
  // them as codec byte. REQUIRES: length < bytes.size(); `length` never
  // decreases from call to call.
  uint32_t Of(size_t length);

 private:
  struct State;
  const Slice bytes_;
  const std::unique_ptr<State> state_;
};

// Since format_version 6, the stored checksum also depends on the offset and on
// a number unique to the file (`base`, 0 in older formats), so that a misplaced
// block is detected. Returns the term that is added to BlockChecksum.
constexpr uint32_t ChecksumModifier(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^
         (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// Returns the checksum stored after a payload at `offset`.
inline uint32_t StoredChecksum(ChecksumType type, uint32_t base,
                               uint64_t offset, const Slice& payload,
                               uint8_t compression_type) {
  return BlockChecksum(type, payload, compression_type) +
         ChecksumModifier(base, offset);
}

}  // namespace tamis
