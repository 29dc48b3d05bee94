// SPDX-License-Identifier: Apache-2.0
//
// A BlockBuffer holds the uncompressed payload of one block in memory. It is
// reference counted: the cache holds one reference while the block is resident,
// and each reader that pins it another. Its side is memory for data derived
// from the block when it becomes resident. It is allocated from a pool
// (util/cache/block_pool.h), payload included, or from the heap:
//
//   pool   [ 64: payload pointer, counts | side: any bytes | payload ]
//   heap   [ 64: payload pointer, counts | side | ByteBuffer ] ─▶ payload
//
// A PinnedBytes is a reference to a BlockBuffer, together with the bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tamis/slice.h"

#include "util/base/byte_buffer.h"
#include "util/base/check.h"
#include "util/cache/block_pool.h"
#include "util/cache/cache_role.h"

namespace tamis {

// Immutable once shared, except for atomics in the side. Any thread.
class alignas(64) BlockBuffer {
 public:
  // Return a buffer with one reference, the caller's, and a side() of
  // side_bytes zeros, aligned to 64. REQUIRES: side_bytes < 4 GiB.
  //
  // This one allocates from the heap, and takes over `bytes` without a copy.
  static BlockBuffer* New(ByteBuffer bytes, size_t side_bytes = 0);
  // These two copy `bytes` into the pool. If `pool` is nullptr, is full or does
  // not serve the size, they allocate from the heap; a ByteBuffer is then taken
  // over without a copy.
  static BlockBuffer* New(ByteBuffer&& bytes, size_t side_bytes,
                          BlockPool* pool);
  static BlockBuffer* New(const Slice& bytes, size_t side_bytes,
                          BlockPool* pool);
  // This one copies `bytes` to the heap, aligned to 64, as the cache lines of
  // filters need them. There is no side.
  static BlockBuffer* NewAligned(const Slice& bytes);
  BlockBuffer(const BlockBuffer&) = delete;
  BlockBuffer& operator=(const BlockBuffer&) = delete;

  Slice bytes() const { return {data_, size_}; }
  size_t side_bytes() const { return side_bytes_; }
  const char* side() const { return reinterpret_cast<const char*>(this + 1); }
  // Returns the side for writing: before the buffer is shared, later only
  // atomics.
  char* mutable_side() const {
    return const_cast<char*>(side());  // its memory is never const
  }
  // Returns the bytes of memory used, including the header.
  size_t charge() const;
  bool in_pool() const { return allocation_ == Allocation::kPool; }
  // Returns whether it is on the heap because the pool was full.
  bool refused_by_pool() const { return allocation_ == Allocation::kRefused; }

  void Ref() const {
    [[maybe_unused]] const uint32_t before =
        refs_.fetch_add(1, std::memory_order_relaxed);
    TAMIS_DCHECK(before > 0);
  }
  void Unref() const {
    // acq_rel: the last holder deletes only after all others are done reading.
    const uint32_t before = refs_.fetch_sub(1, std::memory_order_acq_rel);
    TAMIS_DCHECK(before > 0);
    if (before == 1) Delete(this);
  }
  // Does the same as Unref, for EpochDomain::Retire (util/cache/epoch.h).
  static void UnrefObject(void* block) {
    static_cast<const BlockBuffer*>(block)->Unref();
  }
  // Returns whether there is only one reference.
  bool HasOneRef() const { return refs_.load(std::memory_order_acquire) == 1; }

 private:
  friend class BlockCache;  // the members at the end

  // The payload follows the side, or it is in a ByteBuffer that follows it.
  enum class Allocation : uint8_t { kHeap, kRefused, kPool, kAligned };
  bool has_byte_buffer() const {
    return allocation_ == Allocation::kHeap ||
           allocation_ == Allocation::kRefused;
  }

  BlockBuffer(const Slice& bytes, size_t side_bytes, Allocation allocation)
      : data_(bytes.data()),
        size_(bytes.size()),
        side_bytes_(static_cast<uint32_t>(side_bytes)),
        allocation_(allocation) {}
  ~BlockBuffer() = default;
  static BlockBuffer* NewOnHeap(ByteBuffer bytes, size_t side_bytes,
                                Allocation allocation);
  // Returns nullptr if the pool cannot serve the allocation, and sets *instead
  // to the kind of allocation that replaces it.
  static BlockBuffer* NewInPool(const Slice& bytes, size_t side_bytes,
                                BlockPool* pool, Allocation* instead);
  ByteBuffer* heap_bytes() const;
  static void Delete(const BlockBuffer* buffer);

  const char* data_;
  size_t size_;
  const uint32_t side_bytes_;
  mutable std::atomic<uint32_t> refs_{1};
  // Used by the block cache (block_cache.h).
  mutable std::atomic<uint32_t> resident_children_{0};
  mutable uint32_t place_ = 0;
  mutable std::atomic<uint8_t> rounds_{0};
  mutable uint8_t rounds_when_used_ = 1;
  mutable CacheRole role_ = CacheRole::kOtherBlock;
  const Allocation allocation_;
};
static_assert(sizeof(BlockBuffer) == 64);

// A move-only reference to bytes. Owned and shared bytes are valid as long as
// the reference, also after it is moved; lent and borrowed bytes as long as
// their lender guarantees. One thread.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  // Takes over one counted reference.
  static PinnedBytes Adopt(const BlockBuffer* buffer) {
    return PinnedBytes(buffer, buffer->bytes(), /*counted=*/true);
  }
  static PinnedBytes Own(ByteBuffer bytes) {
    return Adopt(BlockBuffer::New(std::move(bytes)));
  }
  // Copies `bytes`.
  static PinnedBytes Own(const Slice& bytes) { return Own(ByteBuffer(bytes)); }
  // References bytes that outlive *this and belong to no BlockBuffer.
  static PinnedBytes Borrow(const Slice& bytes) {
    return PinnedBytes(nullptr, bytes, /*counted=*/false);
  }
  // References a buffer without counting. The caller guarantees, mostly by a
  // Guard (util/cache/epoch.h), that the buffer stays valid until Keep() or the
  // last use.
  static PinnedBytes Lend(const BlockBuffer* buffer) {
    return PinnedBytes(buffer, buffer->bytes(), /*counted=*/false);
  }
  // Converts a loan into a counted reference.
  void Keep() {
    if (buffer_ == nullptr || counted_) return;
    buffer_->Ref();
    counted_ = true;
  }

  // Returns another counted reference to the same buffer. REQUIRES: buffer() !=
  // nullptr.
  PinnedBytes Share() const {
    TAMIS_DCHECK(buffer_ != nullptr);
    buffer_->Ref();
    return PinnedBytes(buffer_, bytes_, /*counted=*/true);
  }

  PinnedBytes(PinnedBytes&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)),
        bytes_(other.bytes_),
        counted_(other.counted_) {}
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    if (this != &other) {
      Reset();
      buffer_ = std::exchange(other.buffer_, nullptr);
      bytes_ = other.bytes_;
      counted_ = other.counted_;
    }
    return *this;
  }
  ~PinnedBytes() { Reset(); }

  Slice bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  // Returns nullptr if the bytes belong to no buffer.
  const BlockBuffer* buffer() const { return buffer_; }
  void Reset() {
    if (buffer_ != nullptr && counted_) buffer_->Unref();
    buffer_ = nullptr;
    bytes_ = Slice();
  }
  // Transfers a counted reference to the caller. Returns nullptr if there is no
  // buffer.
  const BlockBuffer* Release() {
    Keep();
    bytes_ = Slice();
    return std::exchange(buffer_, nullptr);
  }

 private:
  PinnedBytes(const BlockBuffer* buffer, const Slice& bytes, bool counted)
      : buffer_(buffer), bytes_(bytes), counted_(counted) {}

  const BlockBuffer* buffer_ = nullptr;
  Slice bytes_;
  bool counted_ = false;
};

}  // namespace tamis
