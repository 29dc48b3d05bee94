// SPDX-License-Identifier: Apache-2.0
//
// Aligned memory, and the rounding of offsets. Direct reads need both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace tamis {

// Owns uninitialized memory, or none.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // REQUIRES: the alignment is a power of two.
  AlignedBuffer(size_t bytes, size_t alignment)
      : alignment_{std::max(alignment, sizeof(void*))},
        data_(static_cast<char*>(::operator new(bytes, alignment_))) {}
  ~AlignedBuffer() { ::operator delete(data_, alignment_); }
  AlignedBuffer(AlignedBuffer&& other) noexcept { *this = std::move(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(alignment_, other.alignment_);
    std::swap(data_, other.data_);
    return *this;
  }

  char* data() const { return data_; }

 private:
  std::align_val_t alignment_{sizeof(void*)};
  char* data_ = nullptr;
};

// AlignDown rounds down to a multiple of `alignment`, and AlignUp rounds up.
// REQUIRES: the alignment is a power of two.
constexpr uint64_t AlignDown(uint64_t offset, uint64_t alignment) {
  return offset & ~(alignment - 1);
}
constexpr uint64_t AlignUp(uint64_t offset, uint64_t alignment) {
  return AlignDown(offset + alignment - 1, alignment);
}

}  // namespace tamis
