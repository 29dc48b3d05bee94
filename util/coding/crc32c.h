// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli): reflected polynomial 0x82F63B78, initial value and
// final xor 0xFFFFFFFF. crc of "123456789" is 0xE3069283.
//
// Stored CRCs are masked (rotated right by 15, plus 0xA282EAD8), because a CRC
// over bytes that contain CRCs is weak.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::crc32c {

// Returns the CRC of A followed by data, where `crc` is that of A.
uint32_t Extend(uint32_t crc, const char* data, size_t n);
inline uint32_t Value(const char* data, size_t n) { return Extend(0, data, n); }

inline constexpr uint32_t kMaskDelta = 0xa282ead8;
inline uint32_t Mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}
inline uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

// Computes Extend without the machine's CRC instructions. Extend falls back to
// it; tests compare the two.
uint32_t ExtendPortable(uint32_t crc, const char* data, size_t n);

}  // namespace tamis::crc32c
