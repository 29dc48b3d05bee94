// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4), because some vectors are recorded only as digests.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace tamis {

// The first 32 bits of the fraction of a root of the n-th prime.
template <typename Root>
std::array<uint32_t, 64> FractionsOfPrimes(Root root) {
  std::array<uint32_t, 64> out{};
  size_t found = 0;
  for (int n = 2; found < out.size(); ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    const long double r = root(static_cast<long double>(n));
    out[found++] = static_cast<uint32_t>((r - std::floor(r)) * 4294967296.0L);
  }
  return out;
}

inline void Sha256Block(const char* block, std::array<uint32_t, 8>* state) {
  static const std::array<uint32_t, 64> k =
      FractionsOfPrimes([](long double n) { return std::cbrt(n); });
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 64; ++i)
    w[i / 4] = w[i / 4] << 8 | static_cast<uint8_t>(block[i]);
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] +
           (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  std::array<uint32_t, 8> s = *state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t t1 =
        s[7] +
        (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
        ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
    const uint32_t t2 =
        (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (size_t i = 0; i < 8; ++i) (*state)[i] += s[i];
}

// Lower-case hex.
inline std::string Sha256Hex(std::string bytes) {
  const uint64_t bits = 8 * uint64_t{bytes.size()};
  bytes.push_back('\x80');
  while (bytes.size() % 64 != 56) bytes.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(bits >> shift));
  }
  const auto roots =
      FractionsOfPrimes([](long double n) { return std::sqrt(n); });
  std::array<uint32_t, 8> state{};
  for (size_t i = 0; i < 8; ++i) state[i] = roots[i];
  for (size_t at = 0; at < bytes.size(); at += 64) {
    Sha256Block(bytes.data() + at, &state);
  }
  std::string hex;
  for (uint32_t word : state) {
    char digits[9];
    std::snprintf(digits, sizeof(digits), "%08x", word);
    hex += digits;
  }
  return hex;
}

}  // namespace tamis
