// SPDX-License-Identifier: Apache-2.0
//
// The hashes that filters on disk are made of. They are fixed for ever.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

namespace tamis {

// How the one to three bytes behind the last whole 4-byte group are widened.
// The two agree unless such a byte is 0x80 or above.
enum class Hash32Flavor : uint8_t {
  kUnsignedTail,  // LevelDB since 1.18
  kSignedTail,    // RocksDB, and LevelDB before 1.18
};

inline constexpr uint32_t kBloomHash32Seed = 0xbc9f1d34;
inline constexpr uint32_t kDataBlockHash32Seed = 397;

// A relative of MurmurHash: LevelDB's "Hash".
uint32_t Hash32(const char* data, size_t n, uint32_t seed, Hash32Flavor flavor);

// "XXPH3": the 64-bit hash of xxHash 0.7.2's preview of XXH3, with RocksDB's
// change for the empty input. Not the released XXH3 (table checksums use that).
uint64_t Hash64(const char* data, size_t n, uint64_t seed = 0);

inline uint64_t Hash64(const Slice& s) { return Hash64(s.data(), s.size()); }

}  // namespace tamis
