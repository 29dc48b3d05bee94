// SPDX-License-Identifier: Apache-2.0
//
// Bytes that grow at the end and are written in place: a std::string that does
// not fill with zeros what is about to be written. Memory, once taken, stays
// until the end.
//
// One thread. Pointers and Slices into it live until the next call that may
// grow it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "tamis/slice.h"

namespace tamis {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  // A copy.
  explicit ByteBuffer(const Slice& bytes) { Append(bytes); }
  // Room for n bytes and no more, of which none is written yet.
  static ByteBuffer WithRoom(size_t n) {
    ByteBuffer buffer;
    buffer.data_ = std::make_unique_for_overwrite<char[]>(n);
    buffer.capacity_ = n;
    return buffer;
  }
  ByteBuffer(ByteBuffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Of memory it holds.
  size_t capacity() const { return capacity_; }
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  Slice bytes() const { return {data_.get(), size_}; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is read as one.
  operator Slice() const { return bytes(); }

  // Where n more bytes can be written; Advance makes them part of it.
  char* Room(size_t n) {
    if (n > capacity_ - size_) [[unlikely]]
      Grow(n);
    return data_.get() + size_;
  }
  // REQUIRES: that much was asked for by Room.
  void Advance(size_t n) { size_ += n; }
  void Append(const Slice& bytes) {
    if (bytes.empty()) return;
    std::memcpy(Room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // Drops what is behind the first n bytes. REQUIRES: n <= size()
  void Truncate(size_t n) { size_ = n; }
  void Clear() { size_ = 0; }

 private:
  void Grow(size_t n) {
    const size_t capacity = std::max({capacity_ * 2, size_ + n, kCapacityMin});
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = capacity;
  }

  static constexpr size_t kCapacityMin = 64;
  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace tamis
