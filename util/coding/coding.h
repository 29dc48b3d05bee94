// SPDX-License-Identifier: Apache-2.0
//
// The primitive encodings of all file formats. Integers are little-endian.
//
//   fixedN           N/8 bytes
//   varint           groups of 7 bits, lowest first, bit 7 set on all but the
//                    last byte; at most 5 bytes for 32 bits, 10 for 64
//   length-prefixed  varint32 length || bytes
//
// Encoders append to a string or write through a pointer. Decoder reads
// untrusted bytes: it never reads past the end, and stays failed after the
// first malformed item.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "tamis/slice.h"

namespace tamis {

static_assert(std::endian::native == std::endian::little,
              "loads and stores below copy bytes in memory order");

inline constexpr size_t kMaxVarint32Bytes = 5;
inline constexpr size_t kMaxVarint64Bytes = 10;

// REQUIRES: sizeof(T) readable bytes at p.
template <typename T>
inline T LoadFixed(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
inline uint16_t DecodeFixed16(const char* p) { return LoadFixed<uint16_t>(p); }
inline uint32_t DecodeFixed32(const char* p) { return LoadFixed<uint32_t>(p); }
inline uint64_t DecodeFixed64(const char* p) { return LoadFixed<uint64_t>(p); }
// Returns an integer that orders as its bytes do. Not used in file formats.
inline uint64_t DecodeBigEndian64(const char* p) {
  return __builtin_bswap64(LoadFixed<uint64_t>(p));
}

inline void EncodeFixed16(char* p, uint16_t v) { std::memcpy(p, &v, 2); }
inline void EncodeFixed32(char* p, uint32_t v) { std::memcpy(p, &v, 4); }
inline void EncodeFixed64(char* p, uint64_t v) { std::memcpy(p, &v, 8); }

void PutFixed16(std::string* out, uint16_t v);
void PutFixed32(std::string* out, uint32_t v);
void PutFixed64(std::string* out, uint64_t v);
void PutVarint32(std::string* out, uint32_t v);
void PutVarint64(std::string* out, uint64_t v);
// Appends a zigzag encoding, which is short for small magnitudes of either
// sign.
void PutVarsignedint64(std::string* out, int64_t v);
// REQUIRES: s.size() < 2^32
void PutLengthPrefixedSlice(std::string* out, const Slice& s);

// Write v at p and return the end. REQUIRES: space for VarintLength(v) bytes at
// p. EncodeVarint32 inlines the one-byte case.
char* EncodeVarint64(char* p, uint64_t v);
inline char* EncodeVarint32(char* p, uint32_t v) {
  if (v >= 0x80) return EncodeVarint64(p, v);
  *p = static_cast<char>(v);
  return p + 1;
}
size_t VarintLength(uint64_t v);

// Set *v to the varint at p and return its end, or return nullptr if it is
// truncated at `limit`, too long or out of range. GetVarint32Ptr inlines the
// one-byte case.
const char* GetVarint32PtrSlow(const char* p, const char* limit, uint32_t* v);
inline const char* GetVarint32Ptr(const char* p, const char* limit,
                                  uint32_t* v) {
  if (p < limit && (static_cast<uint8_t>(*p) & 0x80) == 0) {
    *v = static_cast<uint8_t>(*p);
    return p + 1;
  }
  return GetVarint32PtrSlow(p, limit, v);
}
const char* GetVarint64Ptr(const char* p, const char* limit, uint64_t* v);

// Three varint32, one after the other, such as the lengths of an entry in a
// block.
struct ThreeVarint32 {
  uint32_t first;
  uint32_t second;
  uint32_t third;
  const char* end;  // nullptr if GetVarint32Ptr returns it for one of them
};
// Reads them at p. Fast if each has one byte. Returns them by value, since
// variables whose addresses are taken cost stores and loads.
// REQUIRES: p <= limit
inline ThreeVarint32 GetThreeVarint32(const char* p, const char* limit) {
  if (static_cast<size_t>(limit - p) >= sizeof(uint32_t)) [[likely]] {
    const uint32_t word = DecodeFixed32(p);
    if ((word & 0x808080) == 0) [[likely]] {
      return {word & 0xff, (word >> 8) & 0xff, (word >> 16) & 0xff, p + 3};
    }
  }
  ThreeVarint32 read = {};
  p = GetVarint32Ptr(p, limit, &read.first);
  if (p != nullptr) p = GetVarint32Ptr(p, limit, &read.second);
  if (p != nullptr) read.end = GetVarint32Ptr(p, limit, &read.third);
  return read;
}

// Reads `input` sequentially. After a failed read, ok() is false, further reads
// return zeros or empty Slices, and offset() is where the failure occurred.
// Returned Slices point into the input, which must outlive them. One thread.
class Decoder {
 public:
  explicit Decoder(const Slice& input)
      : begin_(input.data()), p_(input.data()), limit_(input.end()) {}

  bool ok() const { return ok_; }
  bool empty() const { return p_ == limit_; }
  size_t offset() const { return static_cast<size_t>(p_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(limit_ - p_); }
  Slice rest() const { return {p_, remaining()}; }

  uint8_t Fixed8() { return Fixed<uint8_t>(); }
  uint16_t Fixed16() { return Fixed<uint16_t>(); }
  uint32_t Fixed32() { return Fixed<uint32_t>(); }
  uint64_t Fixed64() { return Fixed<uint64_t>(); }
  uint32_t Varint32() {
    uint32_t v = 0;
    const char* const end = ok_ ? GetVarint32Ptr(p_, limit_, &v) : nullptr;
    if (end == nullptr) {
      ok_ = false;
      return 0;
    }
    p_ = end;
    return v;
  }
  uint64_t Varint64();
  int64_t Varsignedint64();
  Slice Bytes(uint64_t n) {
    if (!ok_ || n > remaining()) {
      ok_ = false;
      return {};
    }
    const Slice s(p_, static_cast<size_t>(n));
    p_ += n;
    return s;
  }
  Slice LengthPrefixed() {
    const char* const start = p_;
    const uint32_t n = Varint32();
    const Slice s = Bytes(n);
    if (!ok_) p_ = start;
    return s;
  }

  // Fails the decoder at the current offset. For the caller's own checks.
  void Fail() { ok_ = false; }

 private:
  template <typename T>
  T Fixed() {
    if (!ok_ || remaining() < sizeof(T)) {
      ok_ = false;
      return 0;
    }
    const T v = LoadFixed<T>(p_);
    p_ += sizeof(T);
    return v;
  }

  const char* const begin_;
  const char* p_;
  const char* const limit_;
  bool ok_ = true;
};

}  // namespace tamis
