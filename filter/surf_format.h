// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a SuRF filter (surf_filter.h). The trie is of the keys without
// the prefix that all share.
//
//   trie      dense nodes, blocks of sparse branches (louds_word.h)
//   suffixes  for each leaf, packed: hash bits, then real bits
//   model     the shares of bytes (byte_model.h), if there are real bits
//   prefix    of all keys
//   trailer   fixed32 keys │ fixed32 dense nodes │ fixed32 sparse branches │
//             fixed32 suffixes │ fixed32 prefix bytes │ fixed16 depth │ fixed16
//             share of lost keys in 1/65535 │ u8 hash bits │ u8 real bits │ u8
//             least byte of the model │ u8 greatest byte │ u8 0, 0, 0 │ u8
//             version 0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "tamis/slice.h"

#include "filter/byte_model.h"
#include "filter/louds_trie.h"
#include "util/coding/hash.h"

namespace tamis {

inline constexpr size_t kSurfTrailerBytes = 32;
// Hash and real bits of a leaf together.
inline constexpr uint32_t kSurfSuffixBitsMax = 32;

// The contents of the trailer.
struct SurfState {
  uint32_t num_keys;
  LoudsShape shape;
  uint32_t num_suffixes;  // 0 if they have no bits
  uint32_t prefix_bytes;
  uint16_t depth;  // paths of this length have no valid suffix
  uint16_t lost;   // keys that are not told from others, in 1/65535 of all
  uint8_t hash_bits;
  uint8_t real_bits;
  uint8_t first_byte;  // of the model
  uint8_t last_byte;

  uint32_t suffix_bits() const { return uint32_t{hash_bits} + real_bits; }
  uint64_t suffixes() const { return shape.bytes(); }
  uint64_t model() const {
    return suffixes() + (uint64_t{num_suffixes} * suffix_bits() + 7) / 8;
  }
  uint32_t num_bytes() const { return uint32_t{last_byte} - first_byte + 1; }
  uint64_t prefix() const {
    return model() + (real_bits == 0 ? 0 : ByteModel::StoredSize(num_bytes()));
  }
};

// Returns nullopt if the trailer is malformed.
std::optional<SurfState> ParseSurfTrailer(const Slice& filter);
void AppendSurfTrailer(const SurfState& state, std::string* filter);

// Returns the real bits of a suffix: the first `bits` bits of the code of what
// follows `from` bytes of the key. Their order is that of the keys. REQUIRES: 1
// <= bits <= kSurfSuffixBitsMax
inline uint64_t SurfRealBits(const ByteModel& model, const Slice& key,
                             size_t from, uint32_t bits) {
  const uint32_t dropped = kByteCodeBits - bits;
  // To a sixteenth of the lowest bit.
  const uint64_t code = model.CodeOf(key, from, uint64_t{1} << (dropped - 4));
  // A byte above all of the model's may have the code 2^56.
  return std::min(code >> dropped, (uint64_t{1} << bits) - 1);
}
// Returns the hash bits of a suffix, of the user key with its prefix.
inline uint64_t SurfHashBits(const Slice& user_key, uint32_t bits) {
  return bits == 0 ? 0 : Hash64(user_key) >> (64 - bits);
}

}  // namespace tamis
