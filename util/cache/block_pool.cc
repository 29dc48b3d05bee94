// SPDX-License-Identifier: Apache-2.0
//
// A chunk is divided into granules. Its table stores, at the first and the last
// granule of each range, the range's length and whether it is free, so that a
// freed range finds both neighbours. A free range of at least the smallest
// class is linked, through its own first bytes, into the list of the largest
// class that fits into it:
//
//   table   [ 5 - - - 5 | f3 - f3 | 4 - - 4 | ... ]
//   lists   [ 1024 .. | 1152 .. | ... | 64 KiB and more ]   bits: not empty
//
// One mutex suffices, because every allocation accompanies a read from a file.
#include "util/cache/block_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/mutex.h"
#include "util/base/process.h"

#if defined(__SANITIZE_ADDRESS__)
#define TAMIS_POOL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAMIS_POOL_ASAN 1
#endif
#endif

#if defined(TAMIS_POOL_ASAN)
#include <sanitizer/asan_interface.h>
// For the list links, which are in poisoned memory.
#define TAMIS_POOL_MAY_TOUCH_FREE __attribute__((no_sanitize("address")))
#else
#define TAMIS_POOL_MAY_TOUCH_FREE
#endif

namespace tamis {

namespace {

constexpr size_t kGranule = BlockPool::kAlignment;
constexpr uint32_t kGranules = BlockPool::kChunkBytes / kGranule;
constexpr uint32_t kListedMin = BlockPool::kSmallestBytes / kGranule;
constexpr uint16_t kFreeBit = 0x8000;
static_assert(kGranules < kFreeBit);

// Class steps: 1/8 of a power of two up to 2 KiB, the granule's limit; then
// 1/16.
constexpr int kFirstPower = 10;
constexpr int kLastPower = 16;
static_assert(BlockPool::kSmallestBytes == size_t{1} << kFirstPower);
static_assert(BlockPool::kLargestBytes == size_t{1} << kLastPower);
constexpr size_t kSteps = 16;
constexpr size_t kFirstSteps = BlockPool::kSmallestBytes / kGranule;
constexpr size_t kLists =
    kFirstSteps + size_t{kLastPower - kFirstPower - 1} * kSteps + 1;

// The list of a free range or class. REQUIRES: bytes >= kSmallestBytes.
size_t ListOf(size_t bytes) {
  if (bytes >= BlockPool::kLargestBytes) return kLists - 1;
  const size_t power = std::bit_floor(bytes);
  if (power == BlockPool::kSmallestBytes) return (bytes - power) / kGranule;
  const auto octave =
      static_cast<size_t>(std::countr_zero(power) - kFirstPower - 1);
  return kFirstSteps + octave * kSteps + (bytes - power) / (power / kSteps);
}

struct FreeRange {
  FreeRange* next;
  FreeRange* previous;
};

void Poison([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#if defined(TAMIS_POOL_ASAN)
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}

void Unpoison([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#if defined(TAMIS_POOL_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

// Returns nullptr if memory runs out.
void* MapChunk() {
  constexpr size_t kBytes = BlockPool::kChunkBytes;
#if defined(__linux__)
  void* const mapped = ::mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  const size_t head =
      (kBytes - reinterpret_cast<uintptr_t>(begin) % kBytes) % kBytes;
  if (head > 0) ::munmap(begin, head);
  ::munmap(begin + head + kBytes, kBytes - head);
  // A hint; without it, pages are small.
  static_cast<void>(::madvise(begin + head, kBytes, MADV_HUGEPAGE));
  return begin + head;
#else
  return ::operator new (kBytes, std::align_val_t{kBytes}, std::nothrow);
#endif
}

void UnmapChunk(void* chunk) {
  Unpoison(chunk, BlockPool::kChunkBytes);
#if defined(__linux__)
  ::munmap(chunk, BlockPool::kChunkBytes);
#else
  ::operator delete (chunk, std::align_val_t{BlockPool::kChunkBytes});
#endif
}

}  // namespace

// The pool's mutex protects all members except `owner` and `draining`.
struct BlockPool::Chunk {
  static Chunk* Of(const void* memory) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(memory) % kChunkBytes;
    char* const inside = static_cast<char*>(const_cast<void*>(memory));
    return std::launder(reinterpret_cast<Chunk*>(inside - offset));
  }
  char* At(uint32_t granule) {
    return reinterpret_cast<char*>(this) + granule * kGranule;
  }
  uint32_t GranuleOf(const void* memory) const {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(memory) %
                                 kChunkBytes / kGranule);
  }
  void Set(uint32_t first, uint32_t count, uint16_t bit) {
    ranges[first] = ranges[first + count - 1] =
        static_cast<uint16_t>(count | bit);
  }
  // Of the range that begins or ends at the granule.
  bool IsFree(uint32_t granule) const {
    return (ranges[granule] & kFreeBit) != 0;
  }
  uint32_t CountOf(uint32_t granule) const {
    return ranges[granule] & static_cast<uint16_t>(~kFreeBit);
  }

  explicit Chunk(State* pool) : owner(pool) {}

  State* const owner;
  std::atomic<bool> draining{false};
  uint32_t used = 0;           // granules
  size_t place = 0;            // index in chunks_
  uint16_t ranges[kGranules];  // as drawn above; other entries are undefined
};

// Any thread.
class BlockPool::State {
 public:
  void* Allocate(size_t bytes) EXCLUDES(mutex_) {
    const size_t class_bytes = ClassBytes(bytes);
    if (class_bytes == 0) return nullptr;
    const auto count = static_cast<uint32_t>(class_bytes / kGranule);
    MutexLock lock(&mutex_);
    size_t list = FirstListFrom(ListOf(class_bytes));
    if (list == kLists) {
      if (!AddChunk()) return nullptr;
      list = kLists - 1;
    }
    void* const memory = lists_[list];
    Chunk* const chunk = Chunk::Of(memory);
    const uint32_t first = chunk->GranuleOf(memory);
    const uint32_t found = chunk->CountOf(first);
    TAMIS_CHECK(chunk->IsFree(first));
    TAMIS_CHECK(found >= count);
    TAMIS_DCHECK(first >= kFirst);
    TAMIS_DCHECK(first + found <= kGranules);
    Unlink(chunk, first, found);
    chunk->Set(first, count, 0);
    if (found > count) AddFree(chunk, first + count, found - count);
    TAMIS_CHECK(chunk->used > 0 || empty_chunks_ > 0);
    if (chunk->used == 0) --empty_chunks_;
    chunk->used += count;
    ++live_;
    allocated_.fetch_add(class_bytes, std::memory_order_relaxed);
    Unpoison(memory, bytes);
    return memory;
  }

  // Does nothing in a forked child, where the mutex may be locked forever.
  void Free(Chunk* chunk, void* memory) EXCLUDES(mutex_) {
    if (!owner_.IsCurrent()) return;
    Chunk* unused = nullptr;
    bool last = false;
    {
      MutexLock lock(&mutex_);
      uint32_t first = chunk->GranuleOf(memory);
      uint32_t count = chunk->CountOf(first);
      TAMIS_DCHECK(reinterpret_cast<uintptr_t>(memory) % kGranule == 0);
      TAMIS_DCHECK(first >= kFirst);
      TAMIS_CHECK(!chunk->IsFree(first));
      TAMIS_CHECK(count <= chunk->used);
      Poison(memory, count * kGranule);
      chunk->used -= count;
      allocated_.fetch_sub(count * kGranule, std::memory_order_relaxed);
      TakeNeighbours(chunk, &first, &count);
      TAMIS_DCHECK(first >= kFirst);
      TAMIS_DCHECK(first + count <= kGranules);
      TAMIS_DCHECK(chunk->used != 0 || count == kUsable);
      if (chunk->used == 0 &&
          (empty_chunks_ > 0 || closed_ ||
           chunk->draining.load(std::memory_order_relaxed))) {
        Remove(chunk);
        unused = chunk;
      } else {
        if (chunk->used == 0) ++empty_chunks_;
        AddFree(chunk, first, count);
      }
      TAMIS_CHECK(live_ > 0);
      last = --live_ == 0;
    }
    if (unused != nullptr) UnmapChunk(unused);
    if (last) delete this;
  }

  void Close() EXCLUDES(mutex_) {
    std::vector<Chunk*> unused;
    bool last = false;
    {
      MutexLock lock(&mutex_);
      TAMIS_CHECK(!closed_);
      closed_ = true;
      for (Chunk* chunk : chunks_) {
        if (chunk->used == 0) unused.push_back(chunk);
      }
      for (Chunk* chunk : unused) TakeOut(chunk);
      last = --live_ == 0;
    }
    for (Chunk* chunk : unused) UnmapChunk(chunk);
    if (last) delete this;
  }

  bool Drain(size_t bytes) EXCLUDES(mutex_) {
    bool more = false;
    size_t taken = draining();
    for (;;) {
      Chunk* unused = nullptr;  // unmapped without the mutex
      {
        MutexLock lock(&mutex_);
        while (unused == nullptr && taken < bytes) {
          Chunk* const chunk = Emptiest();
          if (chunk == nullptr) break;
          taken += kChunkBytes;
          if (chunk->used == 0) {
            TakeOut(chunk);
            unused = chunk;
            continue;
          }
          UnlinkAll(chunk);
          chunk->draining.store(true, std::memory_order_relaxed);
          draining_.fetch_add(kChunkBytes, std::memory_order_relaxed);
          more = true;
        }
      }
      if (unused == nullptr) return more;
      UnmapChunk(unused);
    }
  }

  void SetLimit(size_t bytes) {
    limit_.store(bytes, std::memory_order_relaxed);
  }
  size_t reserved() const { return reserved_.load(std::memory_order_relaxed); }
  size_t allocated() const {
    return allocated_.load(std::memory_order_relaxed);
  }
  size_t draining() const { return draining_.load(std::memory_order_relaxed); }

 private:
  const OwnerProcess owner_;
  static constexpr uint32_t kFirst =
      (sizeof(Chunk) + kGranule - 1) / kGranule;  // first usable granule
  static constexpr uint32_t kUsable = kGranules - kFirst;

  // The first non-empty list at or above `list`; kLists: none.
  size_t FirstListFrom(size_t list) const REQUIRES(mutex_) {
    size_t word = list / 64;
    uint64_t bits = filled_[word] & (~uint64_t{0} << (list % 64));
    while (bits == 0) {
      if (++word == kWords) return kLists;
      bits = filled_[word];
    }
    return word * 64 + static_cast<size_t>(std::countr_zero(bits));
  }

  static bool IsListed(const Chunk& chunk, uint32_t count) {
    return count >= kListedMin &&
           !chunk.draining.load(std::memory_order_relaxed);
  }

  TAMIS_POOL_MAY_TOUCH_FREE
  void Link(Chunk* chunk, uint32_t first, uint32_t count) REQUIRES(mutex_) {
    if (!IsListed(*chunk, count)) return;
    const size_t list = ListOf(count * kGranule);
    auto* const range = reinterpret_cast<FreeRange*>(chunk->At(first));
    range->next = lists_[list];
    range->previous = nullptr;
    if (range->next != nullptr) range->next->previous = range;
    lists_[list] = range;
    filled_[list / 64] |= uint64_t{1} << (list % 64);
  }

  TAMIS_POOL_MAY_TOUCH_FREE
  void Unlink(Chunk* chunk, uint32_t first, uint32_t count) REQUIRES(mutex_) {
    if (!IsListed(*chunk, count)) return;
    const size_t list = ListOf(count * kGranule);
    auto* const range = reinterpret_cast<FreeRange*>(chunk->At(first));
    if (range->next != nullptr) range->next->previous = range->previous;
    TAMIS_DCHECK(range->previous != nullptr || lists_[list] == range);
    if (range->previous != nullptr) {
      range->previous->next = range->next;
      return;
    }
    lists_[list] = range->next;
    if (range->next == nullptr) {
      filled_[list / 64] &= ~(uint64_t{1} << (list % 64));
    }
  }

  void AddFree(Chunk* chunk, uint32_t first, uint32_t count) REQUIRES(mutex_) {
    chunk->Set(first, count, kFreeBit);
    Link(chunk, first, count);
  }

  // Merges adjacent free ranges into this one.
  void TakeNeighbours(Chunk* chunk, uint32_t* first, uint32_t* count)
      REQUIRES(mutex_) {
    const uint32_t end = *first + *count;
    if (end < kGranules && chunk->IsFree(end)) {
      const uint32_t behind = chunk->CountOf(end);
      Unlink(chunk, end, behind);
      *count += behind;
    }
    if (*first > kFirst && chunk->IsFree(*first - 1)) {
      const uint32_t before = chunk->CountOf(*first - 1);
      *first -= before;
      *count += before;
      Unlink(chunk, *first, before);
    }
  }

  void UnlinkAll(Chunk* chunk) REQUIRES(mutex_) {
    for (uint32_t i = kFirst; i < kGranules; i += chunk->CountOf(i)) {
      if (chunk->IsFree(i)) Unlink(chunk, i, chunk->CountOf(i));
    }
  }

  // Ensures capacity in chunks_. Returns false if memory runs out.
  bool HasPlace() REQUIRES(mutex_) {
    if (chunks_.size() < chunks_.capacity()) return true;
    return CatchExceptions([this] {
             mutex_.AssertHeld();
             chunks_.reserve(std::max<size_t>(8, 2 * chunks_.size()));
             return Status::OK();
           })
        .ok();
  }

  // Returns false at the limit, or if memory runs out.
  bool AddChunk() REQUIRES(mutex_) {
    if (reserved() + kChunkBytes > limit_.load(std::memory_order_relaxed)) {
      return false;
    }
    if (!HasPlace()) return false;
    void* const memory = MapChunk();
    if (memory == nullptr) return false;
    TAMIS_CHECK(reinterpret_cast<uintptr_t>(memory) % kChunkBytes == 0);
    Chunk* const chunk = new (memory) Chunk(this);
    Poison(chunk->At(kFirst), kUsable * kGranule);
    chunk->place = chunks_.size();
    chunks_.push_back(chunk);
    reserved_.fetch_add(kChunkBytes, std::memory_order_relaxed);
    ++empty_chunks_;
    AddFree(chunk, kFirst, kUsable);
    return true;
  }

  // REQUIRES: the chunk's only range is not linked.
  void Remove(Chunk* chunk) REQUIRES(mutex_) {
    TAMIS_CHECK(chunks_[chunk->place] == chunk);
    TAMIS_CHECK(chunk->used == 0);
    chunks_.back()->place = chunk->place;
    chunks_[chunk->place] = chunks_.back();
    chunks_.pop_back();
    reserved_.fetch_sub(kChunkBytes, std::memory_order_relaxed);
    if (chunk->draining.load(std::memory_order_relaxed)) {
      draining_.fetch_sub(kChunkBytes, std::memory_order_relaxed);
    }
  }

  // REQUIRES: the chunk is empty.
  void TakeOut(Chunk* chunk) REQUIRES(mutex_) {
    Unlink(chunk, kFirst, kUsable);
    TAMIS_CHECK(empty_chunks_ > 0);
    --empty_chunks_;
    Remove(chunk);
  }

  // Returns the emptiest chunk that is not draining, or nullptr if there is
  // none.
  Chunk* Emptiest() const REQUIRES(mutex_) {
    Chunk* best = nullptr;
    for (Chunk* chunk : chunks_) {
      if (chunk->draining.load(std::memory_order_relaxed)) continue;
      if (best == nullptr || chunk->used < best->used) best = chunk;
    }
    return best;
  }

  static constexpr size_t kWords = (kLists + 63) / 64;

  mutable Mutex mutex_;
  FreeRange* lists_[kLists] GUARDED_BY(mutex_) = {};
  uint64_t filled_[kWords] GUARDED_BY(mutex_) = {};
  std::vector<Chunk*> chunks_ GUARDED_BY(mutex_);
  size_t empty_chunks_ GUARDED_BY(mutex_) = 0;
  size_t live_ GUARDED_BY(mutex_) = 1;  // allocations, and the pool
  bool closed_ GUARDED_BY(mutex_) = false;
  std::atomic<size_t> limit_{SIZE_MAX};
  std::atomic<size_t> reserved_{0};  // these are written under the mutex
  std::atomic<size_t> allocated_{0};
  std::atomic<size_t> draining_{0};
};

BlockPool::BlockPool() : state_(new State()) {}

BlockPool::~BlockPool() { state_->Close(); }

size_t BlockPool::ClassBytes(size_t bytes) {
  if (bytes < kSmallestBytes || bytes > kLargestBytes) return 0;
  const size_t step = std::max(std::bit_floor(bytes - 1) / kSteps, kGranule);
  return (bytes + step - 1) / step * step;
}

void* BlockPool::Allocate(size_t bytes) { return state_->Allocate(bytes); }

void BlockPool::Free(void* memory) {
  Chunk* const chunk = Chunk::Of(memory);
  chunk->owner->Free(chunk, memory);
}

void BlockPool::SetLimit(size_t reserved_bytes) {
  state_->SetLimit(reserved_bytes);
}

bool BlockPool::Drain(size_t bytes) { return state_->Drain(bytes); }

bool BlockPool::IsDraining(const void* memory) {
  return Chunk::Of(memory)->draining.load(std::memory_order_relaxed);
}

size_t BlockPool::reserved_bytes() const { return state_->reserved(); }
size_t BlockPool::allocated_bytes() const { return state_->allocated(); }
size_t BlockPool::draining_bytes() const { return state_->draining(); }

}  // namespace tamis
