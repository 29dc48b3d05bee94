// SPDX-License-Identifier: Apache-2.0
//
// A shard keeps its entries in an array that is the clock's ring as well, and
// finds them through an open-addressed index with linear probing:
//
//   index    [ slot|tag  -  slot|tag  slot|tag  - ... ]   8 bytes each
//   entries  [ key buffer bit | free | key buffer bit ... ]
//                                      ^ hand
//
// The tag is 32 bits of the key's hash: it tells most other keys apart without
// a look at the entry, and says where a probe for the entry began, so that
// erasing can close gaps instead of leaving tombstones.
#include "util/block_cache.h"

#include <algorithm>
#include <bit>

#include "util/check.h"
#include "util/mutex.h"

namespace tamis {

namespace {

constexpr size_t kShardsMax = 16;
// Large enough for the largest filter or index block of a usual table.
constexpr size_t kShardBytesMin = 2 * 1024 * 1024;

uint64_t HashOf(const BlockKey& key) {
  uint64_t h = key.file * 0x9e3779b97f4a7c15 ^ key.offset;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  return h ^ (h >> 32);
}

using Buffers = std::vector<const BlockBuffer*>;

void UnrefAll(const Buffers& buffers) {
  for (const BlockBuffer* buffer : buffers) buffer->Unref();
}

}  // namespace

// Any thread. Buffers that leave are handed out, so that they are freed
// without the lock. References to a resident buffer are only made under the
// lock or by who holds one: what has a single one is held by nobody else.
class alignas(64) BlockCache::Shard {
 public:
  PinnedBytes Lookup(const BlockKey& key, uint32_t tag) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    const size_t at = Probe(key, tag);
    if (at == kNowhere) return {};
    Entry& entry = entries_[index_[at].slot];
    if (!entry.referenced) entry.referenced = true;
    entry.buffer->Ref();
    return PinnedBytes::Adopt(entry.buffer);
  }

  // One reference of the caller's becomes the pin that is returned, or goes to
  // *dropped.
  PinnedBytes Insert(const BlockKey& key, uint32_t tag,
                     const BlockBuffer* buffer, Buffers* dropped)
      EXCLUDES(mutex_) {
    const size_t charge = ChargeOf(*buffer);
    MutexLock lock(&mutex_);
    if (const size_t at = Probe(key, tag); at != kNowhere) {
      dropped->push_back(buffer);
      const BlockBuffer* first = entries_[index_[at].slot].buffer;
      first->Ref();
      return PinnedBytes::Adopt(first);
    }
    if (charge <= capacity_) EvictDownTo(capacity_ - charge, dropped);
    if (charge <= capacity_ && usage_ <= capacity_ - charge) {
      buffer->Ref();
      Add(key, tag, buffer);
      usage_ += charge;
    }
    return PinnedBytes::Adopt(buffer);
  }

  void Erase(const BlockKey& key, uint32_t tag, Buffers* dropped)
      EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    const size_t at = Probe(key, tag);
    if (at != kNowhere) Remove(at, dropped);
  }

  void SetCapacity(size_t capacity, Buffers* dropped) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    capacity_ = capacity;
    EvictDownTo(capacity, dropped);
  }

  void EraseUnreferenced(Buffers* dropped) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (uint32_t slot = 0; slot < entries_.size(); ++slot) {
      const Entry& entry = entries_[slot];
      if (entry.buffer != nullptr && entry.buffer->HasOneRef()) {
        Remove(Probe(entry.key, entry.tag), dropped);
      }
    }
  }

  size_t usage() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return usage_;
  }

  size_t pinned_usage() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    size_t sum = 0;
    for (const Entry& entry : entries_) {
      if (entry.buffer != nullptr && !entry.buffer->HasOneRef()) {
        sum += ChargeOf(*entry.buffer);
      }
    }
    return sum;
  }

  // REQUIRES: nobody else uses the shard.
  void ReleaseAll() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (const Entry& entry : entries_) {
      if (entry.buffer != nullptr) entry.buffer->Unref();
    }
    entries_.clear();
    index_.clear();
  }

 private:
  struct Entry {
    BlockKey key;
    const BlockBuffer* buffer;  // nullptr: free
    uint32_t tag;
    bool referenced;
  };
  struct IndexCell {
    uint32_t slot = kEmpty;
    uint32_t tag = 0;
  };
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static constexpr size_t kNowhere = SIZE_MAX;
  static constexpr size_t kIndexCellsMin = 64;

  // The index is at least half empty.
  static size_t ChargeOf(const BlockBuffer& buffer) {
    return buffer.charge() + sizeof(Entry) + 2 * sizeof(IndexCell);
  }

  // Where in the index the key stands, or kNowhere.
  size_t Probe(const BlockKey& key, uint32_t tag) const REQUIRES(mutex_) {
    if (index_.empty()) return kNowhere;
    const size_t mask = index_.size() - 1;
    for (size_t at = tag & mask;; at = (at + 1) & mask) {
      const IndexCell cell = index_[at];
      if (cell.slot == kEmpty) return kNowhere;
      if (cell.tag != tag) continue;
      const BlockKey& found = entries_[cell.slot].key;
      if (found.offset == key.offset && found.file == key.file) return at;
    }
  }

  void AddToIndex(IndexCell cell) REQUIRES(mutex_) {
    const size_t mask = index_.size() - 1;
    size_t at = cell.tag & mask;
    while (index_[at].slot != kEmpty) at = (at + 1) & mask;
    index_[at] = cell;
  }

  // REQUIRES: the key is not there.
  void Add(const BlockKey& key, uint32_t tag, const BlockBuffer* buffer)
      REQUIRES(mutex_) {
    if (2 * (count_ + 1) > index_.size()) {
      const std::vector<IndexCell> before = std::move(index_);
      index_.assign(std::max(kIndexCellsMin, 2 * before.size()), IndexCell());
      for (const IndexCell& cell : before) {
        if (cell.slot != kEmpty) AddToIndex(cell);
      }
    }
    uint32_t slot;
    if (free_.empty()) {
      TAMIS_CHECK(entries_.size() < kEmpty);
      slot = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    // Not referenced yet: a scan that never comes back leaves first.
    entries_[slot] = {key, buffer, tag, false};
    AddToIndex({slot, tag});
    ++count_;
  }

  // Takes the entry at this place of the index out.
  void Remove(size_t at, Buffers* dropped) REQUIRES(mutex_) {
    const uint32_t slot = index_[at].slot;
    Entry& entry = entries_[slot];
    usage_ -= ChargeOf(*entry.buffer);
    dropped->push_back(entry.buffer);
    entry.buffer = nullptr;
    free_.push_back(slot);
    --count_;
    // Moves back what a probe would no longer reach over the gap.
    const size_t mask = index_.size() - 1;
    for (size_t next = (at + 1) & mask; index_[next].slot != kEmpty;
         next = (next + 1) & mask) {
      const size_t home = index_[next].tag & mask;
      if (((next - home) & mask) >= ((next - at) & mask)) {
        index_[at] = index_[next];
        at = next;
      }
    }
    index_[at] = IndexCell();
  }

  // Lets the hand go round until no more than `target` bytes are resident, at
  // most twice: the first round may do no more than clear bits.
  void EvictDownTo(size_t target, Buffers* dropped) REQUIRES(mutex_) {
    size_t steps = 2 * entries_.size();
    for (; usage_ > target && steps > 0; --steps) {
      if (hand_ >= entries_.size()) hand_ = 0;
      Entry& entry = entries_[hand_++];
      if (entry.buffer == nullptr || !entry.buffer->HasOneRef()) continue;
      if (entry.referenced) {
        entry.referenced = false;
      } else {
        Remove(Probe(entry.key, entry.tag), dropped);
      }
    }
  }

  mutable Mutex mutex_;
  std::vector<IndexCell> index_ GUARDED_BY(mutex_);  // a power of two, or none
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
  size_t count_ GUARDED_BY(mutex_) = 0;
  size_t hand_ GUARDED_BY(mutex_) = 0;
  size_t usage_ GUARDED_BY(mutex_) = 0;
  size_t capacity_ GUARDED_BY(mutex_) = 0;
};

BlockCache::BlockCache(size_t capacity_bytes) : capacity_(capacity_bytes) {
  const size_t shards = std::bit_floor(
      std::clamp(capacity_bytes / kShardBytesMin, size_t{1}, kShardsMax));
  for (size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
  }
  BlockCache::SetCapacity(capacity_bytes);
}

BlockCache::~BlockCache() {
  for (const auto& shard : shards_) shard->ReleaseAll();
}

// The high half of the hash chooses the shard, the low half the place in it.
BlockCache::Shard& BlockCache::ShardOf(uint64_t hash) {
  return *shards_[(hash >> 32) & (shards_.size() - 1)];
}

uint64_t BlockCache::NewFileId() {
  return next_file_.fetch_add(1, std::memory_order_relaxed);
}

PinnedBytes BlockCache::Lookup(const BlockKey& key) {
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Lookup(key, static_cast<uint32_t>(hash));
}

PinnedBytes BlockCache::Insert(const BlockKey& key, PinnedBytes block) {
  const BlockBuffer* buffer = block.Release();
  TAMIS_CHECK(buffer != nullptr);
  const uint64_t hash = HashOf(key);
  Buffers dropped;
  PinnedBytes pinned =
      ShardOf(hash).Insert(key, static_cast<uint32_t>(hash), buffer, &dropped);
  UnrefAll(dropped);
  return pinned;
}

void BlockCache::Erase(const BlockKey& key) {
  const uint64_t hash = HashOf(key);
  Buffers dropped;
  ShardOf(hash).Erase(key, static_cast<uint32_t>(hash), &dropped);
  UnrefAll(dropped);
}

void BlockCache::SetCapacity(size_t capacity_bytes) {
  capacity_.store(capacity_bytes, std::memory_order_relaxed);
  Buffers dropped;
  for (const auto& shard : shards_) {
    shard->SetCapacity(capacity_bytes / shards_.size(), &dropped);
  }
  UnrefAll(dropped);
}

size_t BlockCache::GetCapacity() const {
  return capacity_.load(std::memory_order_relaxed);
}

size_t BlockCache::GetUsage() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->usage();
  return sum;
}

size_t BlockCache::GetPinnedUsage() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->pinned_usage();
  return sum;
}

void BlockCache::EraseUnRefEntries() {
  Buffers dropped;
  for (const auto& shard : shards_) shard->EraseUnreferenced(&dropped);
  UnrefAll(dropped);
}

std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes) {
  return std::make_shared<BlockCache>(capacity_bytes);
}

}  // namespace tamis
