// SPDX-License-Identifier: Apache-2.0
//
// A BlockBuffer is the uncompressed payload of one block in memory, shared by
// count: the cache holds one reference while the block is resident, each
// reader another while it reads. Beside the payload stands what its readers
// derive from it once, when it becomes resident. All is one piece of memory,
// in a pool's huge pages (util/cache/block_pool.h) or on the heap:
//
//   pool   [ 64: payload's place, counts | side: any bytes | payload ]
//   heap   [ 64: payload's place, counts | side | ByteBuffer ] ─▶ payload
//
// PinnedBytes is a reference together with the bytes it is about.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tamis/slice.h"

#include "util/base/byte_buffer.h"
#include "util/cache/block_pool.h"

namespace tamis {

// Immutable once shared, but for what atomics the owner puts into the side.
// Any thread.
class alignas(64) BlockBuffer {
 public:
  // Both start with one reference, the caller's, and side_bytes of zeros as
  // side(), aligned to 64. REQUIRES: less than 4 GiB of them.
  //
  // On the heap, without a copy.
  static BlockBuffer* New(ByteBuffer bytes, size_t side_bytes = 0);
  // A copy in the pool, and `bytes` as they were; on the heap, and moved from,
  // when the pool has no room or serves no such size, or is nullptr.
  static BlockBuffer* New(ByteBuffer&& bytes, size_t side_bytes,
                          BlockPool* pool);
  BlockBuffer(const BlockBuffer&) = delete;
  BlockBuffer& operator=(const BlockBuffer&) = delete;

  Slice bytes() const { return {data_, size_}; }
  size_t side_bytes() const { return side_bytes_; }
  const char* side() const { return reinterpret_cast<const char*>(this + 1); }
  // Before it is shared; later only for what is atomic in there.
  char* mutable_side() const {
    return const_cast<char*>(side());  // its memory is never const
  }
  // Memory it takes, its own header included.
  size_t charge() const;
  bool in_pool() const { return lies_ == Lies::kPool; }
  // On the heap because the pool had no room.
  bool refused_by_pool() const { return lies_ == Lies::kRefused; }

  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    // acq_rel: the last holder sees all reads of the others done.
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Delete(this);
  }
  // For whoever gives references up by a function (util/cache/epoch.h).
  static void UnrefObject(void* block) {
    static_cast<const BlockBuffer*>(block)->Unref();
  }
  // True while nobody but the one asking holds it.
  bool HasOneRef() const { return refs_.load(std::memory_order_acquire) == 1; }

 private:
  friend class BlockCache;  // the members at the end

  enum class Lies : uint8_t { kHeap, kRefused, kPool };

  BlockBuffer(const Slice& bytes, size_t side_bytes, Lies lies)
      : data_(bytes.data()),
        size_(bytes.size()),
        side_bytes_(static_cast<uint32_t>(side_bytes)),
        lies_(lies) {}
  ~BlockBuffer() = default;
  static BlockBuffer* NewOnHeap(ByteBuffer bytes, size_t side_bytes, Lies lies);
  ByteBuffer* heap_bytes() const;
  static void Delete(const BlockBuffer* buffer);

  const char* data_;
  size_t size_;
  const uint32_t side_bytes_;
  mutable std::atomic<uint32_t> refs_{1};
  // The block cache's own (block_cache.h).
  mutable std::atomic<uint32_t> resident_children_{0};
  mutable uint32_t place_ = 0;
  mutable std::atomic<bool> used_{false};
  const Lies lies_;
};
static_assert(sizeof(BlockBuffer) == 64);

// Move-only. bytes() stays valid while *this lives, also after a move; that of
// a lent buffer as long as who lent it said.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  // Adopts one reference.
  static PinnedBytes Adopt(const BlockBuffer* buffer) {
    return PinnedBytes(buffer, buffer->bytes(), /*counted=*/true);
  }
  static PinnedBytes Own(ByteBuffer bytes) {
    return Adopt(BlockBuffer::New(std::move(bytes)));
  }
  // A copy.
  static PinnedBytes Own(const Slice& bytes) { return Own(ByteBuffer(bytes)); }
  // Bytes that outlive *this without its help: no count is touched, and
  // nothing can be released.
  static PinnedBytes Borrow(const Slice& bytes) {
    return PinnedBytes(nullptr, bytes, /*counted=*/false);
  }
  // The same of a buffer: until Keep(), which must come while it is lent.
  static PinnedBytes Lend(const BlockBuffer* buffer) {
    return PinnedBytes(buffer, buffer->bytes(), /*counted=*/false);
  }
  // Makes a reference of its own out of a lent one.
  void Keep() {
    if (buffer_ == nullptr || counted_) return;
    buffer_->Ref();
    counted_ = true;
  }

  // Another reference to the same buffer. REQUIRES: there is one
  PinnedBytes Share() const {
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
  // nullptr: the bytes are of none.
  const BlockBuffer* buffer() const { return buffer_; }
  void Reset() {
    if (buffer_ != nullptr && counted_) buffer_->Unref();
    buffer_ = nullptr;
    bytes_ = Slice();
  }
  // Gives a reference to the caller; nullptr when there is no buffer.
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
