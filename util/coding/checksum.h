// SPDX-License-Identifier: Apache-2.0
//
// The 4-byte checksum behind a table block, over its payload as stored and the
// byte that names its codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/slice.h"
#include "tamis/table.h"

namespace tamis {

bool IsKnownChecksumType(uint8_t type);
const char* ChecksumTypeName(ChecksumType type);

// kCRC32c, kxxHash, kxxHash64 hash payload || type byte; kXXH3 hashes the
// payload and folds the type byte in by multiplication; kNoChecksum is 0.
uint32_t BlockChecksum(ChecksumType type, const Slice& payload,
                       uint8_t compression_type);

// The checksums of all payloads that one place of a file may begin, in one
// pass: each costs what it is longer than the one before. One thread.
class PrefixChecksum {
 public:
  // `bytes` outlive it.
  PrefixChecksum(ChecksumType type, const Slice& bytes);
  ~PrefixChecksum();
  PrefixChecksum(const PrefixChecksum&) = delete;
  PrefixChecksum& operator=(const PrefixChecksum&) = delete;

  // BlockChecksum of the first `length` bytes, with the byte behind them as the
  // codec. REQUIRES: there is one; lengths do not go back.
  uint32_t Of(size_t length);

 private:
  struct State;
  const Slice bytes_;
  const std::unique_ptr<State> state_;
};

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
