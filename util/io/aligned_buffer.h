// SPDX-License-Identifier: Apache-2.0
//
// Aligned memory, and the rounding of offsets. Direct reads need both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <unistd.h>
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

inline size_t PageBytes() {
  return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

// Returns memory for direct reads that are under way while other threads run:
// its pages hold nothing else. Before Linux 6.5, a write to such a page after a
// fork moves the page, and what the device then reads is lost.
inline AlignedBuffer WholePages(size_t bytes, size_t alignment) {
  const size_t page = PageBytes();
  return {static_cast<size_t>(AlignUp(bytes, page)), std::max(alignment, page)};
}

}  // namespace tamis
