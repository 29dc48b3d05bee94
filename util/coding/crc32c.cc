// SPDX-License-Identifier: Apache-2.0
//
// Two implementations. The portable one processes eight bytes per step with
// eight tables. The other one uses the crc32 instructions of SSE 4.2 or of
// Arm's CRC extension. It hides their latency of two or three cycles by
// processing three adjacent stretches in parallel, then combines them:
//
//   crc(A || B) = shift(crc(A), |B|) ^ crc(B from 0)
//
// where shift, "as if |B| zero bytes followed", is linear over the bits of its
// argument and so takes four table lookups.
#include "util/coding/crc32c.h"

#include <array>

#include "util/coding/coding.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace tamis::crc32c {

namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: the crc of byte b followed by k zero bytes.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

uint8_t Byte(const char* p) { return static_cast<uint8_t>(*p); }

#if defined(__x86_64__)

#define TAMIS_CRC32C_TARGET __attribute__((target("sse4.2")))

TAMIS_CRC32C_TARGET inline uint64_t Step8(uint64_t crc, uint64_t eight) {
  return _mm_crc32_u64(crc, eight);
}
TAMIS_CRC32C_TARGET inline uint32_t Step1(uint32_t crc, uint8_t byte) {
  return _mm_crc32_u8(crc, byte);
}
bool HasInstructions() { return __builtin_cpu_supports("sse4.2") != 0; }

#elif defined(__aarch64__) && defined(__linux__)

#define TAMIS_CRC32C_TARGET __attribute__((target("+crc")))

TAMIS_CRC32C_TARGET inline uint64_t Step8(uint64_t crc, uint64_t eight) {
  return __crc32cd(static_cast<uint32_t>(crc), eight);
}
TAMIS_CRC32C_TARGET inline uint32_t Step1(uint32_t crc, uint8_t byte) {
  return __crc32cb(crc, byte);
}
bool HasInstructions() { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

#endif

#if defined(TAMIS_CRC32C_TARGET)

// Bytes per stretch; powers of two. The short ones process what the long ones
// leave, about 1000 bytes of a 4 KiB block.
constexpr size_t kLongLane = 512;
constexpr size_t kShortLane = 64;

// Column i is the image of bit i of a crc.
using Matrix = std::array<uint32_t, 32>;

constexpr uint32_t Apply(const Matrix& m, uint32_t crc) {
  uint32_t result = 0;
  for (size_t bit = 0; bit < 32; ++bit) {
    if (((crc >> bit) & 1) != 0) result ^= m[bit];
  }
  return result;
}

using ShiftTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr ShiftTable MakeShiftTable(size_t lane) {
  Matrix shift{};  // by one zero byte, doubled below
  for (uint32_t bit = 0; bit < 32; ++bit) {
    const uint32_t crc = uint32_t{1} << bit;
    shift[bit] = (crc >> 8) ^ kTables[0][crc & 0xff];
  }
  for (size_t bytes = 1; bytes < lane; bytes *= 2) {
    Matrix twice{};
    for (size_t bit = 0; bit < 32; ++bit) twice[bit] = Apply(shift, shift[bit]);
    shift = twice;
  }
  ShiftTable table{};
  for (uint32_t k = 0; k < 4; ++k) {
    for (uint32_t b = 0; b < 256; ++b) {
      table[k][b] = Apply(shift, b << (8 * k));
    }
  }
  return table;
}

template <size_t lane>
constexpr ShiftTable kShift = MakeShiftTable(lane);

template <size_t lane>
uint64_t ShiftByLane(uint64_t crc) {
  constexpr const ShiftTable& table = kShift<lane>;
  return table[0][crc & 0xff] ^ table[1][(crc >> 8) & 0xff] ^
         table[2][(crc >> 16) & 0xff] ^ table[3][(crc >> 24) & 0xff];
}

// Processes as many rounds of three stretches as fit.
template <size_t lane>
TAMIS_CRC32C_TARGET uint64_t ExtendInLanes(uint64_t a, const char** data,
                                           size_t* n) {
  const char* p = *data;
  while (*n >= 3 * lane) {
    uint64_t b = 0;
    uint64_t c = 0;
    for (size_t i = 0; i < lane; i += 8) {
      a = Step8(a, DecodeFixed64(p + i));
      b = Step8(b, DecodeFixed64(p + lane + i));
      c = Step8(c, DecodeFixed64(p + 2 * lane + i));
    }
    a = ShiftByLane<lane>(ShiftByLane<lane>(a) ^ b) ^ c;
    p += 3 * lane;
    *n -= 3 * lane;
  }
  *data = p;
  return a;
}

TAMIS_CRC32C_TARGET uint32_t ExtendByInstructions(uint32_t crc,
                                                  const char* data, size_t n) {
  uint64_t a = ~crc;
  a = ExtendInLanes<kLongLane>(a, &data, &n);
  a = ExtendInLanes<kShortLane>(a, &data, &n);
  for (; n >= 8; data += 8, n -= 8) a = Step8(a, DecodeFixed64(data));
  auto result = static_cast<uint32_t>(a);
  for (; n > 0; ++data, --n) result = Step1(result, Byte(data));
  return ~result;
}

// False before static initialization, when the portable code runs instead.
const bool kHasInstructions = HasInstructions();

#endif  // defined(TAMIS_CRC32C_TARGET)

}  // namespace

uint32_t ExtendPortable(uint32_t crc, const char* data, size_t n) {
  crc = ~crc;
  for (; n >= 8; data += 8, n -= 8) {
    const uint64_t w = DecodeFixed64(data) ^ crc;
    crc = kTables[7][w & 0xff] ^ kTables[6][(w >> 8) & 0xff] ^
          kTables[5][(w >> 16) & 0xff] ^ kTables[4][(w >> 24) & 0xff] ^
          kTables[3][(w >> 32) & 0xff] ^ kTables[2][(w >> 40) & 0xff] ^
          kTables[1][(w >> 48) & 0xff] ^ kTables[0][w >> 56];
  }
  for (; n > 0; ++data, --n) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ Byte(data)) & 0xff];
  }
  return ~crc;
}

uint32_t Extend(uint32_t crc, const char* data, size_t n) {
#if defined(TAMIS_CRC32C_TARGET)
  if (kHasInstructions) return ExtendByInstructions(crc, data, n);
#endif
  return ExtendPortable(crc, data, n);
}

}  // namespace tamis::crc32c
