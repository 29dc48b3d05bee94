// SPDX-License-Identifier: Apache-2.0
//
// Tests a key's equation in all columns of a ribbon of width 64 (ribbon64.h):
// portable, with AVX2, with AVX-512, and with NEON; all with equal results.
// None reads a byte outside the columns of the two blocks.
//
//   block      │ column 0 │ column 1 │ ... │  & (coefficients << offset)
//   the next   │ column 0 │ column 1 │ ... │  & (coefficients >> (64 - offset))
//
// The parity of the xor of a column's two words must equal the column's bit of
// the result.
//
// The next block may have one column more; it is not tested.
#pragma once

#include <cstdint>

#include "filter/ribbon64.h"
#include "filter/ribbon_probe.h"
#include "util/base/processor.h"
#include "util/coding/coding.h"

#if defined(__x86_64__)
#include <cstring>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tamis {

// A key's two blocks.
struct Ribbon64Window {
  Ribbon64Window(const char* first_word, uint32_t num_columns, uint32_t start,
                 uint64_t hash, uint32_t wanted)
      : words(first_word), columns(num_columns), result(wanted) {
    const uint64_t coefficients = Ribbon64CoefficientsOf(hash);
    const uint32_t offset = start % kRibbon64Width;
    low = coefficients << offset;
    high = (coefficients >> 1) >> (63 - offset);  // 0 if the offset is
  }
  const char* words;
  uint32_t columns;  // of the first block; the second one follows
  uint32_t result;
  uint64_t low;   // coefficients in the first block
  uint64_t high;  // and in the second
};

// Prefetches the words of the window.
__attribute__((always_inline)) inline void Ribbon64Prefetch(
    const Ribbon64Window& window) {
  RibbonPrefetch(window.words, 2 * window.columns * kRibbon64WordBytes);
}

inline bool Ribbon64MatchesPortable(const Ribbon64Window& window) {
  const char* const next = window.words + window.columns * kRibbon64WordBytes;
  return RibbonColumnsMatch<kRibbon64WordBytes>(
      window.columns, window.result, [&](size_t at) {
        return (DecodeFixed64(window.words + at) & window.low) ^
               (DecodeFixed64(next + at) & window.high);
      });
}

#if defined(__x86_64__)

// Loading lanes from kRibbon64Lanes + 8 - n yields all ones in the first n.
inline constexpr uint64_t kRibbon64Ones = ~uint64_t{0};
inline constexpr uint64_t kRibbon64Lanes[16] = {
    kRibbon64Ones, kRibbon64Ones, kRibbon64Ones, kRibbon64Ones,
    kRibbon64Ones, kRibbon64Ones, kRibbon64Ones, kRibbon64Ones};

// Returns, in four columns from `word` on, the chosen bits, folded to the upper
// half of each lane. Only lanes of the mask are read.
__attribute__((target("avx2"))) inline __m256i Ribbon64ChosenAvx2(
    const char* word, size_t to_next, const uint64_t* lanes, __m256i low,
    __m256i high) {
  __m256i mask;
  std::memcpy(&mask, lanes, sizeof(mask));
  const void* const here = word;
  const void* const next = word + to_next;
  const __m256i first =
      _mm256_maskload_epi64(static_cast<const long long*>(here), mask);
  const __m256i second =
      _mm256_maskload_epi64(static_cast<const long long*>(next), mask);
  const __m256i chosen = _mm256_xor_si256(_mm256_and_si256(first, low),
                                          _mm256_and_si256(second, high));
  return _mm256_xor_si256(chosen, _mm256_slli_epi64(chosen, 32));
}

// Eight columns per round: the folded halves of two registers in one.
__attribute__((target("avx2"))) inline bool Ribbon64MatchesAvx2(
    const Ribbon64Window& window) {
  const __m256i low = _mm256_set1_epi64x(static_cast<long long>(window.low));
  const __m256i high = _mm256_set1_epi64x(static_cast<long long>(window.high));
  const size_t to_next = window.columns * kRibbon64WordBytes;
  const char* word = window.words;
  uint32_t result = window.result;
  for (uint32_t left = window.columns;; left -= 8) {
    const uint32_t n = left < 8 ? left : 8;
    const __m256i a =
        Ribbon64ChosenAvx2(word, to_next, kRibbon64Lanes + 8 - n, low, high);
    const __m256i b = Ribbon64ChosenAvx2(word + 4 * kRibbon64WordBytes, to_next,
                                         kRibbon64Lanes + 12 - n, low, high);
    // Columns 0 1 4 5 2 3 6 7, then in order; the parity goes to the top bit.
    __m256i fold = _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                          _MM_SHUFFLE(3, 1, 3, 1)));
    fold = _mm256_permute4x64_epi64(fold, _MM_SHUFFLE(3, 1, 2, 0));
    fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 16));
    fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 8));
    fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 4));
    fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 2));
    fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 1));
    const auto parity =
        static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(fold)));
    if (((parity ^ result) & ((1u << n) - 1)) != 0) return false;
    if (left <= 8) return true;
    word += 8 * kRibbon64WordBytes;
    result >>= 8;
  }
}

// Tests eight columns, or the first ones of a mask: a masked load does not
// touch the others.
__attribute__((target("avx512f,avx512vpopcntdq"))) inline bool
Ribbon64MatchesLanes(const Ribbon64Window& window, uint32_t first_column,
                     uint32_t lanes) {
  const auto mask = static_cast<__mmask8>(lanes);
  const char* const word = window.words + first_column * kRibbon64WordBytes;
  const size_t to_next = window.columns * kRibbon64WordBytes;
  const __m512i low =
      _mm512_and_si512(_mm512_maskz_loadu_epi64(mask, word),
                       _mm512_set1_epi64(static_cast<long long>(window.low)));
  const __m512i high =
      _mm512_and_si512(_mm512_maskz_loadu_epi64(mask, word + to_next),
                       _mm512_set1_epi64(static_cast<long long>(window.high)));
  const uint32_t parity = _mm512_test_epi64_mask(
      _mm512_popcnt_epi64(_mm512_xor_si512(low, high)), _mm512_set1_epi64(1));
  return ((parity ^ (window.result >> first_column)) & lanes) == 0;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) inline bool
Ribbon64MatchesAvx512(const Ribbon64Window& window) {
  const uint32_t lanes = (1u << window.columns) - 1;
  // Up to eight columns take no branch on the answer.
  if (window.columns <= 8) return Ribbon64MatchesLanes(window, 0, lanes);
  return Ribbon64MatchesLanes(window, 0, lanes & 255) &&
         Ribbon64MatchesLanes(window, 8, lanes >> 8);
}

#elif defined(__aarch64__)

// Loads the words of columns `at` and `at` + 1, zeros for those from `end` on.
inline uint8x16_t Ribbon64LoadPair(const char* words, uint32_t at,
                                   uint32_t end) {
  const uint64_t first =
      at < end ? DecodeFixed64(words + at * kRibbon64WordBytes) : 0;
  const uint64_t second =
      at + 1 < end ? DecodeFixed64(words + (at + 1) * kRibbon64WordBytes) : 0;
  return vreinterpretq_u8_u64(
      vcombine_u64(vcreate_u64(first), vcreate_u64(second)));
}

// Eight columns per round. Bits are counted by byte; three pairwise sums make
// one byte of each column's eight.
inline bool Ribbon64MatchesNeon(const Ribbon64Window& window) {
  constexpr uint8_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x8_t bits = vld1_u8(kBits);
  const uint8x16_t low = vreinterpretq_u8_u64(vdupq_n_u64(window.low));
  const uint8x16_t high = vreinterpretq_u8_u64(vdupq_n_u64(window.high));
  const char* const next = window.words + window.columns * kRibbon64WordBytes;
  const auto count = [&](uint32_t column) {
    return vcntq_u8(veorq_u8(
        vandq_u8(Ribbon64LoadPair(window.words, column, window.columns), low),
        vandq_u8(Ribbon64LoadPair(next, column, window.columns), high)));
  };
  for (uint32_t first = 0; first < window.columns; first += 8) {
    const uint8x16_t four = vpaddq_u8(count(first), count(first + 2));
    const uint8x16_t last_four = vpaddq_u8(count(first + 4), count(first + 6));
    const uint8x16_t pairs = vpaddq_u8(four, last_four);
    const uint8x8_t ones = vpadd_u8(vget_low_u8(pairs), vget_high_u8(pairs));
    const uint8x8_t parity = vtst_u8(ones, vdup_n_u8(1));
    const uint32_t left = window.columns - first;
    const uint32_t asked = left < 8 ? (1u << left) - 1 : 255;
    const uint8x8_t wanted = vtst_u8(
        vdup_n_u8(static_cast<uint8_t>((window.result >> first) & asked)),
        bits);
    if (vget_lane_u64(vreinterpret_u64_u8(veor_u8(parity, wanted)), 0) != 0) {
      return false;
    }
  }
  return true;
}

#endif

}  // namespace tamis
