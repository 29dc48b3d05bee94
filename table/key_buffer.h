// SPDX-License-Identifier: Apache-2.0
//
// A KeyBuffer assembles the key of a block iterator from the prefix shared with
// the previous key and the entry's own bytes. Keys up to 120 bytes need no
// allocation; longer ones use a heap buffer, which the KeyBuffer keeps.
//
// One thread. Slices into it are valid until the next Assemble, Assign or Room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "tamis/slice.h"

#include "util/base/check.h"

namespace tamis {

// Copies n bytes as memcpy does, inlined for typical key sizes.
inline void CopyKeyBytes(char* to, const char* from, size_t n) {
  struct Sixteen {
    char bytes[16];
  };
  if (n - 8 <= 8) {
    // Loads both halves before storing, because they overlap.
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
  } else if (n > 0) {  // for n == 0, pointers may be null
    std::memcpy(to, from, n);
  }
}

class KeyBuffer {
 public:
  KeyBuffer() = default;
  KeyBuffer(const KeyBuffer&) = delete;
  KeyBuffer& operator=(const KeyBuffer&) = delete;

  // Returns the first `shared` bytes of `previous`, followed by `rest`.
  // `previous` may point into this buffer. REQUIRES: shared <= previous.size()
  Slice Assemble(const Slice& previous, size_t shared, const Slice& rest) {
    TAMIS_DCHECK(shared <= previous.size());
    const size_t size = shared + rest.size();
    if (size > capacity_) [[unlikely]] {
      Grow(previous, shared, size);
    } else if (previous.data() != data_) {
      CopyKeyBytes(data_, previous.data(), shared);
    }
    CopyKeyBytes(data_ + shared, rest.data(), rest.size());
    return {data_, size};
  }

  // Returns a copy of `bytes`. REQUIRES: they are not in this buffer.
  Slice Assign(const Slice& bytes) {
    if (bytes.size() > capacity_) [[unlikely]] {
      Grow(Slice(), 0, bytes.size());
    }
    CopyKeyBytes(data_, bytes.data(), bytes.size());
    return {data_, bytes.size()};
  }

  // Returns space for a key of `size` bytes, which the caller fills. Discards
  // the previous contents.
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
