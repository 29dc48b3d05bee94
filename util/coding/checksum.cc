// SPDX-License-Identifier: Apache-2.0
#include "util/coding/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "util/base/check.h"
#include "util/base/processor.h"
#include "util/coding/crc32c.h"
#include "util/coding/xxh3_avx2.h"

namespace tamis {

namespace {

// Not inlined: xxHash computes end - 32, and GCC warns about that when it sees
// that the buffer is one byte.
[[gnu::noinline]] uint32_t XxHash32Of(const Slice& payload,
                                      const uint8_t* type_byte) {
  XXH32_state_t state;
  XXH32_reset(&state, 0);
  XXH32_update(&state, payload.data(), payload.size());
  XXH32_update(&state, type_byte, 1);
  return XXH32_digest(&state);
}

[[gnu::noinline]] uint32_t XxHash64Of(const Slice& payload,
                                      const uint8_t* type_byte) {
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  XXH64_update(&state, payload.data(), payload.size());
  XXH64_update(&state, type_byte, 1);
  return static_cast<uint32_t>(XXH64_digest(&state));
}

uint32_t FoldTypeByte(uint64_t xxh3, uint8_t type_byte) {
  constexpr uint32_t kLastByteMultiplier = 0x6b9083d9;
  return static_cast<uint32_t>(xxh3) ^ (type_byte * kLastByteMultiplier);
}

#if defined(__x86_64__)

const bool kHasAvx2 = HasVectors();

uint64_t Xxh3(const Slice& bytes) {
  // XXH3 uses no vectors for up to 240 bytes.
  return kHasAvx2 && bytes.size() > 240
             ? Xxh3Avx2(bytes.data(), bytes.size())
             : XXH3_64bits(bytes.data(), bytes.size());
}

#else

uint64_t Xxh3(const Slice& bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

#endif

uint32_t Xxh3Of(const Slice& payload, uint8_t type_byte) {
  return FoldTypeByte(Xxh3(payload), type_byte);
}

uint32_t Crc32cOf(const Slice& payload, uint8_t type_byte) {
  const auto last = static_cast<char>(type_byte);
  const uint32_t crc = crc32c::Value(payload.data(), payload.size());
  return crc32c::Mask(crc32c::Extend(crc, &last, 1));
}

}  // namespace

bool IsKnownChecksumType(uint8_t type) { return type <= kXXH3; }

const char* ChecksumTypeName(ChecksumType type) {
  switch (type) {
    case kNoChecksum:
      return "NoChecksum";
    case kCRC32c:
      return "CRC32c";
    case kxxHash:
      return "xxHash";
    case kxxHash64:
      return "xxHash64";
    case kXXH3:
      return "XXH3";
  }
  return "unknown";
}

uint32_t BlockChecksum(ChecksumType type, const Slice& payload,
                       uint8_t compression_type) {
  switch (type) {
    case kNoChecksum:
      return 0;
    case kCRC32c:
      return Crc32cOf(payload, compression_type);
    case kxxHash:
      return XxHash32Of(payload, &compression_type);
    case kxxHash64:
      return XxHash64Of(payload, &compression_type);
    case kXXH3:
      return Xxh3Of(payload, compression_type);
  }
  // Callers validate types from footers with IsKnownChecksumType.
  TAMIS_CHECK(IsKnownChecksumType(type));
  return 0;
}

struct PrefixChecksum::State {
  explicit State(ChecksumType checksum_type) : type(checksum_type) {
    XXH32_reset(&xxh32, 0);
    XXH64_reset(&xxh64, 0);
    XXH3_64bits_reset(&xxh3);
  }

  // The bytes not yet hashed, up to `end`.
  Slice TakeUpTo(const Slice& bytes, size_t end) {
    const Slice next(bytes.data() + hashed, end - hashed);
    hashed = end;
    return next;
  }

  const ChecksumType type;
  size_t hashed = 0;
  uint32_t crc = 0;
  XXH32_state_t xxh32;
  XXH64_state_t xxh64;
  XXH3_state_t xxh3;
};

PrefixChecksum::PrefixChecksum(ChecksumType type, const Slice& bytes)
    : bytes_(bytes), state_(std::make_unique<State>(type)) {}

PrefixChecksum::~PrefixChecksum() = default;

uint32_t PrefixChecksum::Of(size_t length) {
  State& s = *state_;
  TAMIS_DCHECK(length < bytes_.size());
  // These hash the codec byte too, which is part of the next longer payload.
  const bool with_codec = s.type == kxxHash || s.type == kxxHash64;
  const Slice next = s.TakeUpTo(bytes_, with_codec ? length + 1 : length);
  switch (s.type) {
    case kNoChecksum:
      return 0;
    case kCRC32c:
      s.crc = crc32c::Extend(s.crc, next.data(), next.size());
      return crc32c::Mask(crc32c::Extend(s.crc, bytes_.data() + length, 1));
    case kxxHash:
      XXH32_update(&s.xxh32, next.data(), next.size());
      return XXH32_digest(&s.xxh32);
    case kxxHash64:
      XXH64_update(&s.xxh64, next.data(), next.size());
      return static_cast<uint32_t>(XXH64_digest(&s.xxh64));
    case kXXH3:
      XXH3_64bits_update(&s.xxh3, next.data(), next.size());
      return FoldTypeByte(XXH3_64bits_digest(&s.xxh3),
                          static_cast<uint8_t>(bytes_[length]));
  }
  return 0;
}

}  // namespace tamis
