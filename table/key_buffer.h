// SPDX-License-Identifier: Apache-2.0
//
// Where a block iterator puts a key together from the prefix it shares with
// the key before it and its own rest. Keys of usual length need no allocation,
// long ones one that is kept.
//
// One thread. Slices into it live until the next Assemble.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "tamis/slice.h"

namespace tamis {

class KeyBuffer {
 public:
  KeyBuffer() = default;
  KeyBuffer(const KeyBuffer&) = delete;
  KeyBuffer& operator=(const KeyBuffer&) = delete;

  // The first `shared` bytes of `previous`, then `rest`. `previous` may be
  // what this buffer holds. REQUIRES: shared <= previous.size()
  Slice Assemble(const Slice& previous, size_t shared, const Slice& rest) {
    const size_t size = shared + rest.size();
    if (size > capacity_) {
      Grow(previous, shared, size);
    } else if (previous.data() != data_) {
      std::memcpy(data_, previous.data(), shared);
    }
    std::memcpy(data_ + shared, rest.data(), rest.size());
    return {data_, size};
  }

 private:
  void Grow(const Slice& previous, size_t shared, size_t size) {
    const size_t capacity = size * 2;
    auto larger = std::make_unique<char[]>(capacity);
    std::memcpy(larger.get(), previous.data(), shared);
    heap_ = std::move(larger);
    data_ = heap_.get();
    capacity_ = capacity;
  }

  char space_[120];
  char* data_ = space_;
  size_t capacity_ = sizeof(space_);
  std::unique_ptr<char[]> heap_;
};

}  // namespace tamis
