// SPDX-License-Identifier: Apache-2.0
//
// Where a block iterator puts a key together from the prefix it shares with
// the key before it and its own rest. Keys of usual length need no allocation,
// long ones one that is kept.
//
// One thread. Slices into it live until the next Assemble or Assign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "tamis/slice.h"

namespace tamis {

// As memcpy, without a call for the sizes that keys have. No byte outside of
// the n is read or written.
inline void CopyKeyBytes(char* to, const char* from, size_t n) {
  struct Sixteen {
    char bytes[16];
  };
  if (n - 8 <= 8) {
    // Both loads before the stores: the halves overlap.
    uint64_t first;
    uint64_t last;
    std::memcpy(&first, from, 8);
    std::memcpy(&last, from + n - 8, 8);
    std::memcpy(to, &first, 8);
    std::memcpy(to + n - 8, &last, 8);
  } else if (n - 16 <= 16) {
    Sixteen first;
    Sixteen last;
    std::memcpy(&first, from, 16);
    std::memcpy(&last, from + n - 16, 16);
    std::memcpy(to, &first, 16);
    std::memcpy(to + n - 16, &last, 16);
  } else if (n > 0) {  // neither needs an address for no bytes
    std::memcpy(to, from, n);
  }
}

class KeyBuffer {
 public:
  KeyBuffer() = default;
  KeyBuffer(const KeyBuffer&) = delete;
  KeyBuffer& operator=(const KeyBuffer&) = delete;

  // The first `shared` bytes of `previous`, then `rest`. `previous` may be
  // what this buffer holds. REQUIRES: shared <= previous.size()
  Slice Assemble(const Slice& previous, size_t shared, const Slice& rest) {
    const size_t size = shared + rest.size();
    if (size > capacity_) [[unlikely]] {
      Grow(previous, shared, size);
    } else if (previous.data() != data_) {
      CopyKeyBytes(data_, previous.data(), shared);
    }
    CopyKeyBytes(data_ + shared, rest.data(), rest.size());
    return {data_, size};
  }

  // A copy of bytes that do not lie in here.
  Slice Assign(const Slice& bytes) {
    if (bytes.size() > capacity_) [[unlikely]] {
      Grow(Slice(), 0, bytes.size());
    }
    CopyKeyBytes(data_, bytes.data(), bytes.size());
    return {data_, bytes.size()};
  }

  // Room for a key of `size` bytes, to be written by the caller. What the
  // buffer held is gone.
  char* Room(size_t size) {
    if (size > capacity_) Grow(Slice(), 0, size);
    return data_;
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
