// SPDX-License-Identifier: Apache-2.0
#include "util/coding/coding.h"

#include "util/base/check.h"

namespace tamis {

void PutFixed16(std::string* out, uint16_t v) {
  char buf[2];
  EncodeFixed16(buf, v);
  out->append(buf, sizeof(buf));
}

void PutFixed32(std::string* out, uint32_t v) {
  char buf[4];
  EncodeFixed32(buf, v);
  out->append(buf, sizeof(buf));
}

void PutFixed64(std::string* out, uint64_t v) {
  char buf[8];
  EncodeFixed64(buf, v);
  out->append(buf, sizeof(buf));
}

char* EncodeVarint64(char* p, uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<char>(v);
  return p;
}

void PutVarint64(std::string* out, uint64_t v) {
  char buf[kMaxVarint64Bytes];
  out->append(buf, static_cast<size_t>(EncodeVarint64(buf, v) - buf));
}

void PutVarint32(std::string* out, uint32_t v) { PutVarint64(out, v); }

void PutVarsignedint64(std::string* out, int64_t v) {
  const auto u = static_cast<uint64_t>(v);
  PutVarint64(out, (u << 1) ^ (v < 0 ? ~uint64_t{0} : 0));
}

void PutLengthPrefixedSlice(std::string* out, const Slice& s) {
  TAMIS_CHECK(s.size() <= UINT32_MAX);
  PutVarint32(out, static_cast<uint32_t>(s.size()));
  out->append(s.data(), s.size());
}

size_t VarintLength(uint64_t v) {
  const int bits = 64 - std::countl_zero(v | 1);
  return static_cast<size_t>((bits + 6) / 7);
}

const char* GetVarint64Ptr(const char* p, const char* limit, uint64_t* v) {
  uint64_t result = 0;
  for (int shift = 0; shift < 70 && p < limit; shift += 7) {
    const auto byte = static_cast<uint8_t>(*p++);
    // The tenth byte holds bit 63 only.
    if (shift == 63 && byte > 1) return nullptr;
    result |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) {
      *v = result;
      return p;
    }
  }
  return nullptr;
}

const char* GetVarint32PtrSlow(const char* p, const char* limit, uint32_t* v) {
  uint64_t wide;
  const char* end = GetVarint64Ptr(p, limit, &wide);
  if (end == nullptr || wide > UINT32_MAX ||
      end - p > static_cast<ptrdiff_t>(kMaxVarint32Bytes)) {
    return nullptr;
  }
  *v = static_cast<uint32_t>(wide);
  return end;
}

uint64_t Decoder::Varint64() {
  uint64_t v = 0;
  const char* end = ok_ ? GetVarint64Ptr(p_, limit_, &v) : nullptr;
  if (end == nullptr) {
    ok_ = false;
    return 0;
  }
  p_ = end;
  return v;
}

int64_t Decoder::Varsignedint64() {
  const uint64_t z = Varint64();
  return static_cast<int64_t>((z >> 1) ^ (~(z & 1) + 1));
}

}  // namespace tamis
