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

}  // namespace tamis
