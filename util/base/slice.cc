// SPDX-License-Identifier: Apache-2.0
//
// Hex output, and the ownership rules of PinnableSlice.
#include "tamis/slice.h"

#include <algorithm>

namespace tamis {

Slice::Slice(const SliceParts& parts, std::string* buffer) {
  size_t bytes = 0;
  for (int i = 0; i < parts.num_parts; ++i) bytes += parts.parts[i].size();
  buffer->clear();
  buffer->reserve(bytes);
  for (int i = 0; i < parts.num_parts; ++i) {
    buffer->append(parts.parts[i].data(), parts.parts[i].size());
  }
  *this = *buffer;
}

std::string Slice::ToString(bool hex) const {
  if (!hex) return std::string(data_, size_);
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(2 * size_);
  for (const char c : ToStringView()) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

namespace {

// Returns -1 for another character.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool Slice::DecodeHex(std::string* result) const {
  if (size_ % 2 != 0) return false;
  std::string bytes;
  bytes.reserve(size_ / 2);
  for (size_t i = 0; i < size_; i += 2) {
    const int high = HexDigit(data_[i]);
    const int low = HexDigit(data_[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  *result = std::move(bytes);
  return true;
}

size_t Slice::difference_offset(const Slice& other) const {
  const size_t common = std::min(size_, other.size_);
  return static_cast<size_t>(
      std::mismatch(data_, data_ + common, other.data_).first - data_);
}

PinnableSlice::PinnableSlice(PinnableSlice&& other) noexcept : self_(&own_) {
  *this = std::move(other);
}

PinnableSlice& PinnableSlice::operator=(PinnableSlice&& other) noexcept {
  if (this == &other) return *this;
  Unpin();
  const Slice value = other;
  const char* const other_own = other.own_.data();
  const bool in_own = other.self_ == &other.own_;
  release_ = std::exchange(other.release_, nullptr);
  owner_ = std::exchange(other.owner_, nullptr);
  self_ = in_own ? &own_ : other.self_;
  own_ = std::move(other.own_);
  if (release_ == nullptr && in_own && !value.empty()) {
    // Moving a short string copies its bytes; a prefix may have been removed.
    const auto skipped = static_cast<size_t>(value.data() - other_own);
    Slice::operator=(Slice(own_.data() + skipped, value.size()));
  } else {
    Slice::operator=(value);
  }
  other.Reset();
  return *this;
}

void PinnableSlice::PinSlice(const Slice& bytes, void (*release)(void* owner),
                             void* owner) {
  Unpin();
  Slice::operator=(bytes);
  release_ = release;
  owner_ = owner;
}

void PinnableSlice::PinSelf(const Slice& bytes) {
  // Copies before unpinning: `bytes` may be part of the pinned bytes.
  self_->assign(bytes.data(), bytes.size());
  PinSelf();
}

void PinnableSlice::PinSelf() {
  Unpin();
  Slice::operator=(Slice(*self_));
}

void PinnableSlice::Reset() {
  Unpin();
  clear();
}

}  // namespace tamis
