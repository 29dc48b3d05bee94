// SPDX-License-Identifier: Apache-2.0
//
// The hashes of filters and hash indexes on disk. They must never change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

namespace tamis {

// How Hash32 widens the 1 to 3 bytes after the last whole 4-byte group. The
// flavors differ only if such a byte is >= 0x80.
enum class Hash32Flavor : uint8_t {
  kUnsignedTail,  // LevelDB since 1.18
  kSignedTail,    // RocksDB, and LevelDB before 1.18
};

inline constexpr uint32_t kBloomHash32Seed = 0xbc9f1d34;
inline constexpr uint32_t kDataBlockHash32Seed = 397;

// Returns LevelDB's "Hash", similar to MurmurHash.
uint32_t Hash32(const char* data, size_t n, uint32_t seed, Hash32Flavor flavor);

// Returns "XXPH3", the 64-bit hash of xxHash 0.7.2's XXH3 preview, with
// RocksDB's change for empty input. It differs from the released XXH3, which
// table checksums use.
uint64_t Hash64(const char* data, size_t n, uint64_t seed = 0);

inline uint64_t Hash64(const Slice& s) { return Hash64(s.data(), s.size()); }

}  // namespace tamis
