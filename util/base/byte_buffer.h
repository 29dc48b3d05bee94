// SPDX-License-Identifier: Apache-2.0
//
// A ByteBuffer is a growable byte buffer that, unlike std::string, does not
// zero the bytes to be written in place. It keeps its memory until destroyed.
//
// One thread. Any call that may grow it invalidates pointers and Slices into
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "tamis/slice.h"

#include "util/base/check.h"

namespace tamis {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  // Copies `bytes`.
  explicit ByteBuffer(const Slice& bytes) { Append(bytes); }
  // Returns an empty buffer with capacity for exactly n bytes.
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
  // Returns the bytes of memory allocated.
  size_t capacity() const { return capacity_; }
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  Slice bytes() const { return {data_.get(), size_}; }
  // NOLINTNEXTLINE(google-explicit-constructor): used like a Slice.
  operator Slice() const { return bytes(); }

  // Returns space for n more bytes. The caller fills it, then calls Advance.
  char* Room(size_t n) {
    if (n > capacity_ - size_) [[unlikely]]
      Grow(n);
    return data_.get() + size_;
  }
  // REQUIRES: n is at most the argument of the last Room.
  void Advance(size_t n) {
    TAMIS_DCHECK(n <= capacity_ - size_);
    size_ += n;
  }
  void Append(const Slice& bytes) {
    if (bytes.empty()) return;
    std::memcpy(Room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // Keeps only the first n bytes. REQUIRES: n <= size()
  void Truncate(size_t n) {
    TAMIS_DCHECK(n <= size_);
    size_ = n;
  }
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
