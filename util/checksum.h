// SPDX-License-Identifier: Apache-2.0
//
// The 4-byte checksum behind a table block, over its payload as stored and the
// byte that names its codec.
#pragma once

#include <cstdint>

#include "tamis/slice.h"
#include "tamis/table.h"

namespace tamis {

bool IsKnownChecksumType(uint8_t type);
const char* ChecksumTypeName(ChecksumType type);

// kCRC32c, kxxHash, kxxHash64 hash payload || type byte; kXXH3 hashes the
// payload and folds the type byte in by multiplication; kNoChecksum is 0.
uint32_t BlockChecksum(ChecksumType type, const Slice& payload,
                       uint8_t compression_type);

// From format_version 6 on a checksum also depends on where the bytes stand
// and on a number that each file has of its own (`base`, 0 for older ones), so
// that a block read from elsewhere does not pass. This is what is added.
constexpr uint32_t ChecksumModifier(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^
         (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// What stands in the file behind a payload at `offset`: the sum of the two.
inline uint32_t StoredChecksum(ChecksumType type, uint32_t base,
                               uint64_t offset, const Slice& payload,
                               uint8_t compression_type) {
  return BlockChecksum(type, payload, compression_type) +
         ChecksumModifier(base, offset);
}

}  // namespace tamis
