// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/cache.h"

#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace leveldb {

Cache::~Cache() = default;

namespace {

// Entries of programs are listed here; blocks of databases are in a cache of
// Tamis's with the same capacity.
class LRUCache final : public Cache {
 public:
  explicit LRUCache(size_t capacity)
      : capacity_(capacity), blocks_(tamis::NewLRUCache(capacity)) {}
  ~LRUCache() override {
    for (Entry& entry : entries_) {
      entry.deleter(entry.key, entry.value);
    }
  }

  const std::shared_ptr<tamis::Cache>& blocks() const { return blocks_; }

  Handle* Insert(const Slice& key, void* value, size_t charge,
                 void (*deleter)(const Slice& key, void* value)) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string name = key.ToString();
    EraseLocked(name);
    // The most recently used is the last.
    entries_.push_back({{}, name, value, charge, deleter, 1, capacity_ > 0});
    const auto entry = std::prev(entries_.end());
    entry->self = entry;
    charge_ += charge;
    if (entry->listed) by_key_[entry->key] = entry;
    EvictLocked();
    return &*entry;
  }
  Handle* Lookup(const Slice& key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = by_key_.find(std::string_view(key.data(), key.size()));
    if (found == by_key_.end()) return nullptr;
    const auto entry = found->second;
    ++entry->references;
    entries_.splice(entries_.end(), entries_, entry);
    return &*entry;
  }
  void Release(Handle* handle) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto* const entry = static_cast<Entry*>(handle);
    --entry->references;
    if (!entry->listed) {
      DropIfUnused(entry->self);
    } else {
      EvictLocked();
    }
  }
  void* Value(Handle* handle) override {
    return static_cast<Entry*>(handle)->value;
  }
  void Erase(const Slice& key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EraseLocked(key.ToString());
  }
  uint64_t NewId() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++last_id_;
  }
  void Prune() override {
    blocks_->EraseUnRefEntries();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (entry->references == 0) Unlist(entry);
      entry = next;
    }
  }
  size_t TotalCharge() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return charge_ + blocks_->GetUsage();
  }

 private:
  struct Entry : Handle {
    std::list<Entry>::iterator self;
    std::string key;
    void* value;
    size_t charge;
    void (*deleter)(const Slice& key, void* value);
    size_t references;
    bool listed;  // a Lookup finds it

    Entry(std::list<Entry>::iterator place, std::string name, void* v, size_t c,
          void (*d)(const Slice& key, void* value), size_t refs, bool found)
        : self(place),
          key(std::move(name)),
          value(v),
          charge(c),
          deleter(d),
          references(refs),
          listed(found) {}
  };
  using Place = std::list<Entry>::iterator;

  void Unlist(Place entry) {
    by_key_.erase(entry->key);
    entry->listed = false;
    DropIfUnused(entry);
  }
  void DropIfUnused(Place entry) {
    if (entry->references > 0) return;
    charge_ -= entry->charge;
    entry->deleter(entry->key, entry->value);
    entries_.erase(entry);
  }
  void EraseLocked(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) Unlist(found->second);
  }
  void EvictLocked() {
    for (auto entry = entries_.begin();
         charge_ > capacity_ && entry != entries_.end();) {
      const auto next = std::next(entry);
      if (entry->listed && entry->references == 0) Unlist(entry);
      entry = next;
    }
  }

  const size_t capacity_;
  const std::shared_ptr<tamis::Cache> blocks_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;
  std::unordered_map<std::string_view, Place> by_key_;
  size_t charge_ = 0;
  uint64_t last_id_ = 0;
};

}  // namespace

Cache* NewLRUCache(size_t capacity) { return new LRUCache(capacity); }

}  // namespace leveldb

namespace tamis::facade {

bool IsOfOwnClass(leveldb::Cache* cache) {
  return cache != nullptr && dynamic_cast<leveldb::LRUCache*>(cache) == nullptr;
}

std::shared_ptr<Cache> BlockCacheOf(leveldb::Cache* cache) {
  constexpr size_t kDefaultBytes = 8 << 20;
  if (cache == nullptr) return NewLRUCache(kDefaultBytes);
  const auto* const lru = dynamic_cast<leveldb::LRUCache*>(cache);
  return lru != nullptr ? lru->blocks() : nullptr;
}

}  // namespace tamis::facade
