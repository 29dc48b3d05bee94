// SPDX-License-Identifier: Apache-2.0
#include "table/unique_id.h"

#define XXH_INLINE_ALL
#include <cinttypes>
#include <cstdio>
#include <optional>

#include <xxhash.h>

#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr size_t kLowDigits = 12;
constexpr size_t kSessionDigitsMin = 13;
constexpr size_t kSessionDigitsMax = 24;
constexpr uint64_t kLow62Bits = (uint64_t{1} << 62) - 1;

// The lowest `digits` base-36 digits of v, with leading zeros.
std::string ToBase36(uint64_t v, size_t digits) {
  std::string out(digits, '0');
  for (size_t i = digits; i-- > 0; v /= 36) {
    out[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[v % 36];
  }
  return out;
}

std::optional<uint64_t> FromBase36(const std::string& text) {
  uint64_t v = 0;
  for (const char c : text) {
    uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'A' && c <= 'Z') {
      digit = static_cast<uint64_t>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    v = v * 36 + digit;
  }
  return v;
}

}  // namespace

std::string MakeSessionId(uint64_t upper, uint64_t lower) {
  return ToBase36((upper << 2) | (lower >> 62), 8) +
         ToBase36(lower & kLow62Bits, kLowDigits);
}

std::string NewSessionId() {
  const auto [upper, lower] = RandomBitsFromSystem();
  return MakeSessionId(upper, lower);
}

std::string NewDatabaseId() {
  const auto bits = RandomBitsFromSystem();
  const uint64_t high = (bits[0] & ~uint64_t{0xf000}) | 0x4000;
  const uint64_t low = (bits[1] & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);
  char text[40];
  std::snprintf(text, sizeof(text),
                "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64
                "-%012" PRIx64,
                high >> 32, (high >> 16) & 0xffff, high & 0xffff, low >> 48,
                low & 0xffffffffffff);
  return text;
}

std::string TableUniqueId(const std::string& db_id,
                          const std::string& db_session_id,
                          uint64_t file_number) {
  if (db_id.empty() || file_number == 0 ||
      db_session_id.size() < kSessionDigitsMin ||
      db_session_id.size() > kSessionDigitsMax) {
    return {};
  }
  const size_t split = db_session_id.size() - kLowDigits;
  const auto a = FromBase36(db_session_id.substr(0, split));
  const auto b = FromBase36(db_session_id.substr(split));
  if (!a || !b) return {};
  const uint64_t upper = *a >> 2;
  const uint64_t lower = (*a << 62) | (*b & kLow62Bits);
  const XXH128_hash_t h =
      XXH3_128bits_withSeed(db_id.data(), db_id.size(), upper);
  std::string id;
  PutFixed64(&id, lower);
  PutFixed64(&id, h.high64 ^ file_number);
  return id;
}

std::string TableUniqueId(const TableProperties& properties) {
  return TableUniqueId(properties.db_id, properties.db_session_id,
                       properties.orig_file_number);
}

}  // namespace tamis
