// SPDX-License-Identifier: Apache-2.0
//
// The hash of a key under the seed of a filter, for the codecs of
// RetrievalCodec. It determines bytes on disk and must not change.
#pragma once

#include <cstdint>

namespace tamis {

// Returns another hash, for keys that a table or a seed has no place for. A
// bijection: different hashes stay different. All bits of the hash change the
// low bits of the result, too.
inline uint64_t NextHash(uint64_t hash) {
  const uint64_t next = (hash ^ (hash >> 31)) * 0x9e3779b97f4a7c15u;
  return next ^ (next >> 32);
}

// Returns the hash of a key under the seed. Seed 0, the usual one, leaves
// hashes as they are.
inline uint64_t SeededHash(uint64_t hash, uint8_t seed) {
  if (seed == 0) return hash;
  return NextHash(hash ^ (seed * 0xc78219a23eeadd03u));
}

}  // namespace tamis
