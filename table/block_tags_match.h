// SPDX-License-Identifier: Apache-2.0
//
// Matches one tag against 16. There are a portable version, one for SSE2, which
// every x86-64 has, and one for NEON, which every 64-bit Arm has; their results
// are equal. Dispatching to AVX2 at run
// time does not pay off: for the 36 tags of a typical block it saves one
// comparison of three, and costs a call.
#pragma once

#include <cstdint>

#include "util/coding/coding.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tamis {

inline constexpr uint32_t kTagsAtOnce = 16;

// Returns a mask whose bit i is set if tags[i] == tag. REQUIRES: 16 readable
// bytes.
inline uint32_t MatchTagsPortable(const char* tags, uint8_t tag) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kLow7 = 0x7f * kOnes;
  const auto match8 = [tag](uint64_t eight) {
    const uint64_t zero_where_equal = eight ^ (tag * kOnes);
    // The top bit of each byte is 0 only if all its bits are.
    const uint64_t different =
        (((zero_where_equal & kLow7) + kLow7) | zero_where_equal) & ~kLow7;
    const uint64_t equal = (different ^ ~kLow7) >> 7;
    // Moves bit 8 * i to bit 56 + i, without collisions.
    return static_cast<uint32_t>((equal * 0x0102040810204080) >> 56);
  };
  return match8(DecodeFixed64(tags)) | (match8(DecodeFixed64(tags + 8)) << 8);
}

#if defined(__SSE2__)
inline uint32_t MatchTags(const char* tags, uint8_t tag) {
  __m128i sixteen;
  std::memcpy(&sixteen, tags, sizeof(sixteen));
  return static_cast<uint32_t>(_mm_movemask_epi8(
      _mm_cmpeq_epi8(sixteen, _mm_set1_epi8(static_cast<char>(tag)))));
}
#elif defined(__aarch64__)
inline uint32_t MatchTags(const char* tags, uint8_t tag) {
  constexpr uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t sixteen;
  std::memcpy(&sixteen, tags, sizeof(sixteen));
  const uint8x16_t equal =
      vandq_u8(vceqq_u8(sixteen, vdupq_n_u8(tag)), vld1q_u8(kBits));
  return vaddv_u8(vget_low_u8(equal)) |
         (static_cast<uint32_t>(vaddv_u8(vget_high_u8(equal))) << 8);
}
#else
inline uint32_t MatchTags(const char* tags, uint8_t tag) {
  return MatchTagsPortable(tags, tag);
}
#endif

}  // namespace tamis
