// SPDX-License-Identifier: Apache-2.0
//
// XXPH3 uses a different method per length class: a few multiplications up to
// 16 bytes, 16 bytes at a time folded through 128-bit products up to 240, and
// eight 64-bit lanes over 64-byte stripes beyond. All of them XOR the input
// with a secret shifted by the seed.
#include "util/coding/hash.h"

#include <array>
#include <cstring>

#include "util/coding/coding.h"

namespace tamis {

uint32_t Hash32(const char* data, size_t n, uint32_t seed,
                Hash32Flavor flavor) {
  constexpr uint32_t kMultiplier = 0xc6a4a793;
  uint32_t h = seed ^ (static_cast<uint32_t>(n) * kMultiplier);
  for (; n >= 4; data += 4, n -= 4) {
    h += DecodeFixed32(data);
    h *= kMultiplier;
    h ^= h >> 16;
  }
  const auto tail = [data, flavor](size_t i) -> uint32_t {
    if (flavor == Hash32Flavor::kUnsignedTail) {
      return static_cast<uint8_t>(data[i]);
    }
    return static_cast<uint32_t>(int32_t{static_cast<int8_t>(data[i])});
  };
  if (n == 3) h += tail(2) << 16;
  if (n >= 2) h += tail(1) << 8;
  if (n >= 1) {
    h += tail(0);
    h *= kMultiplier;
    h ^= h >> 24;
  }
  return h;
}

namespace {

constexpr uint64_t kA1 = 0x9E3779B1;
constexpr uint64_t kA2 = 0x85EBCA77;
constexpr uint64_t kA3 = 0xC2B2AE3D;
constexpr uint64_t kB1 = 0x9E3779B185EBCA87;
constexpr uint64_t kB2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kB3 = 0x165667B19E3779F9;
constexpr uint64_t kB4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kB5 = 0x27D4EB2F165667C5;

constexpr size_t kSecretBytes = 192;
constexpr size_t kStripe = 64;
constexpr size_t kBlockStripes = 16;
constexpr size_t kBlock = kStripe * kBlockStripes;

// The secret as 64-bit words, in memory order.
constexpr std::array<uint64_t, kSecretBytes / 8> kSecretWords = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de,
    0x1f67b3b7a4a44072, 0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82,
    0x8e2443f7744608b8, 0x4c263a81e69035e0, 0xcb00c391bb52283c,
    0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
    0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a,
    0x647378d9c97e9fc8, 0xc3ebd33483acc5ea, 0xeb6313faffa081c5,
    0x49daf0b751dd0d17, 0x9e68d429265516d3, 0xfca1477d58be162b,
    0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af,
};

__extension__ using Uint128 = unsigned __int128;

inline uint64_t Fold(uint64_t a, uint64_t b) {
  const Uint128 product = Uint128{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t Avalanche(uint64_t h) {
  h ^= h >> 37;
  h *= kB3;
  return h ^ (h >> 32);
}

// Loads 8 bytes of the secret at any byte offset.
inline uint64_t K64(size_t offset) {
  uint64_t v;
  std::memcpy(&v, reinterpret_cast<const char*>(kSecretWords.data()) + offset,
              sizeof(v));
  return v;
}

inline uint64_t HashUpTo16(const char* x, size_t n, uint64_t seed) {
  if (n > 8) {
    const uint64_t lo = DecodeFixed64(x) ^ (K64(0) + seed);
    const uint64_t hi = DecodeFixed64(x + n - 8) ^ (K64(8) - seed);
    return Avalanche(n + lo + hi + Fold(lo, hi));
  }
  if (n >= 4) {
    const uint64_t v =
        DecodeFixed32(x) | (uint64_t{DecodeFixed32(x + n - 4)} << 32);
    const uint64_t k = v ^ (K64(0) + seed);
    const uint64_t m = n + (k ^ (k >> 51)) * kA1;
    return Avalanche((m ^ (m >> 47)) * kB2);
  }
  if (n == 0) return Fold(seed + K64(0), kB2);
  const auto byte = [x](size_t i) -> uint64_t {
    return static_cast<uint8_t>(x[i]);
  };
  const uint64_t c =
      byte(0) | (byte(n >> 1) << 8) | (byte(n - 1) << 16) | (uint64_t{n} << 24);
  return Avalanche((c ^ ((K64(0) & 0xffffffff) + seed)) * kB1);
}

// Folds 16 bytes at p with 16 bytes of the secret at k.
inline uint64_t Mix16(const char* p, size_t k, uint64_t seed) {
  return Fold(DecodeFixed64(p) ^ (K64(k) + seed),
              DecodeFixed64(p + 8) ^ (K64(k + 8) - seed));
}

// Folds 16-byte pieces from both ends inwards.
inline uint64_t Hash17To128(const char* x, size_t n, uint64_t seed) {
  uint64_t a = n * kB1;
  if (n > 96) a += Mix16(x + 48, 96, seed) + Mix16(x + n - 64, 112, seed);
  if (n > 64) a += Mix16(x + 32, 64, seed) + Mix16(x + n - 48, 80, seed);
  if (n > 32) a += Mix16(x + 16, 32, seed) + Mix16(x + n - 32, 48, seed);
  a += Mix16(x, 0, seed) + Mix16(x + n - 16, 16, seed);
  return Avalanche(a);
}

uint64_t Hash129To240(const char* x, size_t n, uint64_t seed) {
  uint64_t a = n * kB1;
  for (size_t i = 0; i < 8; ++i) a += Mix16(x + 16 * i, 16 * i, seed);
  a = Avalanche(a);
  for (size_t i = 8; i < n / 16; ++i) {
    a += Mix16(x + 16 * i, 16 * (i - 8) + 3, seed);
  }
  a += Mix16(x + n - 16, 119, seed);
  return Avalanche(a);
}

using Lanes = std::array<uint64_t, 8>;

inline void Accumulate(Lanes& lanes, const char* p, const char* secret) {
  for (size_t i = 0; i < lanes.size(); ++i) {
    const uint64_t d = DecodeFixed64(p + 8 * i);
    const uint64_t q = d ^ DecodeFixed64(secret + 8 * i);
    lanes[i] += d + (q & 0xffffffff) * (q >> 32);
  }
}

uint64_t HashLong(const char* x, size_t n, uint64_t seed) {
  std::array<uint64_t, kSecretBytes / 8> words = kSecretWords;
  for (size_t i = 0; i < words.size(); i += 2) {
    words[i] += seed;
    words[i + 1] -= seed;
  }
  char secret[kSecretBytes];
  std::memcpy(secret, words.data(), sizeof(secret));

  Lanes lanes = {kA3, kB1, kB2, kB3, kB4, kA2, kB5, kA1};
  const size_t blocks = n / kBlock;
  for (size_t b = 0; b < blocks; ++b) {
    for (size_t t = 0; t < kBlockStripes; ++t) {
      Accumulate(lanes, x + b * kBlock + t * kStripe, secret + 8 * t);
    }
    for (size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = (lanes[i] ^ (lanes[i] >> 47) ^
                  DecodeFixed64(secret + kSecretBytes - kStripe + 8 * i)) *
                 kA1;
    }
  }
  const size_t stripes = (n - blocks * kBlock) / kStripe;
  for (size_t t = 0; t < stripes; ++t) {
    Accumulate(lanes, x + blocks * kBlock + t * kStripe, secret + 8 * t);
  }
  if (n % kStripe != 0) Accumulate(lanes, x + n - kStripe, secret + 121);

  uint64_t h = n * kB1;
  for (size_t i = 0; i < 4; ++i) {
    h += Fold(lanes[2 * i] ^ DecodeFixed64(secret + 11 + 16 * i),
              lanes[2 * i + 1] ^ DecodeFixed64(secret + 19 + 16 * i));
  }
  return Avalanche(h);
}

}  // namespace

uint64_t Hash64(const char* data, size_t n, uint64_t seed) {
  if (n <= 16) return HashUpTo16(data, n, seed);
  if (n <= 128) return Hash17To128(data, n, seed);
  if (n <= 240) return Hash129To240(data, n, seed);
  return HashLong(data, n, seed);
}

}  // namespace tamis
