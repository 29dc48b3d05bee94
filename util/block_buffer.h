// SPDX-License-Identifier: Apache-2.0
//
// A BlockBuffer is the uncompressed payload of one block in memory, shared by
// count: the cache holds one reference while the block is resident, each
// reader another while it reads. PinnedBytes is such a reference together
// with the bytes it is about.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tamis/slice.h"

namespace tamis {

// Immutable once shared. Any thread.
class BlockBuffer {
 public:
  // Starts with one reference, the caller's.
  explicit BlockBuffer(std::string bytes) : bytes_(std::move(bytes)) {}
  BlockBuffer(const BlockBuffer&) = delete;
  BlockBuffer& operator=(const BlockBuffer&) = delete;

  Slice bytes() const { return bytes_; }
  // Memory it takes, its own header included.
  size_t charge() const { return sizeof(*this) + bytes_.capacity(); }

  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    // acq_rel: the last holder sees all reads of the others done.
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  // True while nobody but the one asking holds it.
  bool HasOneRef() const { return refs_.load(std::memory_order_acquire) == 1; }

 private:
  ~BlockBuffer() = default;

  const std::string bytes_;
  mutable std::atomic<uint32_t> refs_{1};
};

// Move-only. bytes() stays valid while *this lives, also after a move.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  // Adopts one reference.
  static PinnedBytes Adopt(const BlockBuffer* buffer) {
    return PinnedBytes(buffer, buffer->bytes());
  }
  static PinnedBytes Own(std::string bytes) {
    return Adopt(new BlockBuffer(std::move(bytes)));
  }
  // Bytes that outlive *this without its help: no count is touched, and
  // nothing can be released.
  static PinnedBytes Borrow(const Slice& bytes) {
    return PinnedBytes(nullptr, bytes);
  }
  // Another reference to the same buffer.
  PinnedBytes Share() const {
    if (buffer_ != nullptr) buffer_->Ref();
    return PinnedBytes(buffer_, bytes_);
  }

  PinnedBytes(PinnedBytes&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)), bytes_(other.bytes_) {}
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    if (this != &other) {
      Reset();
      buffer_ = std::exchange(other.buffer_, nullptr);
      bytes_ = other.bytes_;
    }
    return *this;
  }
  ~PinnedBytes() { Reset(); }

  Slice bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void Reset() {
    if (buffer_ != nullptr) std::exchange(buffer_, nullptr)->Unref();
    bytes_ = Slice();
  }
  // Gives the reference up to the caller; nullptr when there is none.
  const BlockBuffer* Release() {
    bytes_ = Slice();
    return std::exchange(buffer_, nullptr);
  }

 private:
  PinnedBytes(const BlockBuffer* buffer, const Slice& bytes)
      : buffer_(buffer), bytes_(bytes) {}

  const BlockBuffer* buffer_ = nullptr;
  Slice bytes_;
};

}  // namespace tamis
