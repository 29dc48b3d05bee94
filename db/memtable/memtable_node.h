// SPDX-License-Identifier: Apache-2.0
//
// A MemTableNode is a node of a memtable's tree. It has up to kCapacity entries
// in order, with the key head of each, so that a search reads only heads until
// they tie.
//
//   version | next leaf | count | mark | level | prefix ───┐   64 bytes
//   head[0] head[1] ...                                    │
//   entry[0] entry[1] ...  (inner node: separators)        │
//   child[0] child[1] ...  (inner node only)               │
//                                                          │
//   user key:  1 6 7 2 0 0 | 0 4 7 1 1 9 0 3 | 5 5 ...     │
//              └ prefix ◀──────────────────────────────────┘
//                            └ head: a big-endian number, zeros past the end
//
// The prefix is common to all keys of the node. Inserting a key that lacks it
// shortens it. If many heads tie, the node lengthens it: without a prefix, all
// keys of sixteen digits with the same first eight would tie. If the order is
// not bytewise, heads are 0 and not used.
//
// Threads: one writer, and any number of readers without locks or stores (a
// seqlock). The version is odd while the node changes. A reader takes an even
// version, reads, and discards the result unless the version is unchanged
// afterwards. Fields are loaded with acquire and stored with release: a reader
// that sees a new value also sees the odd version stored before it. There are
// no fences, so that race detectors understand the code.
//
// While the node changes, a reader may see a mixture of old and new values, but
// nothing invalid: a slot below the count always holds a complete entry or
// node, and both live as long as the memtable.
//
// TryAppend stores an entry that sorts last, and then increments the count. The
// version need not change.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "db/memtable/memtable_entry.h"
#include "table/internal_key.h"

namespace tamis {

class MemTableInner;

// What a reader does at a node that the writer has locked.
enum class IfLocked : uint8_t { kWait, kGiveUp };

class alignas(64) MemTableNode {
 public:
  static constexpr uint32_t kCapacity = 128;

  struct Place {
    uint32_t index;  // of the first entry that is not before the target
    uint32_t count;  // of entries, as used to find the index
    // Whether an entry of this node from `index` on may have the target's user
    // key.
    bool may_have_key;
  };

  // Leaves have level 0.
  MemTableNode(uint32_t level, bool bytewise)
      : level_(static_cast<uint16_t>(level)), bytewise_(bytewise) {}
  MemTableNode(const MemTableNode&) = delete;
  MemTableNode& operator=(const MemTableNode&) = delete;

  // Any thread may make the calls down to Find. A reader may use the results of
  // count, next, entry and Find only if IsAt(version) is true afterwards.
  bool is_leaf() const { return level_ == 0; }
  uint32_t level() const { return level_; }
  // REQUIRES: !is_leaf()
  inline const MemTableInner* AsInner() const;
  // Prefetches the header and the heads.
  void Prefetch() const {
    const char* const begin = reinterpret_cast<const char*>(this);
    for (size_t at = 0; at < kHeadsEnd; at += 64) {
      __builtin_prefetch(begin + at);
    }
  }
  // Prefetches what Insert at `index` stores to, in a node of `count` entries.
  void PrefetchForInsert(uint32_t index, uint32_t count) const;
  // Waits until the version is even, and returns it.
  uint64_t StableVersion() const {
    const uint64_t version = version_.load(std::memory_order_acquire);
    return (version & 1) == 0 ? version : AwaitStableVersion();
  }
  // Sets *version, which is even. Returns false if the node is locked and the
  // caller would have to wait.
  template <IfLocked kIfLocked>
  bool TakeVersion(uint64_t* version) const {
    if constexpr (kIfLocked == IfLocked::kWait) {
      *version = StableVersion();
      return true;
    }
    *version = version_.load(std::memory_order_acquire);
    return (*version & 1) == 0;
  }
  bool IsAt(uint64_t version) const {
    return version_.load(std::memory_order_acquire) == version;
  }
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  const MemTableNode* next() const {
    return next_.load(std::memory_order_acquire);
  }
  // The highest mark of the entries in the node or below it: see
  // MemTableTree::Insert. May be higher than that after a split.
  uint32_t mark() const { return mark_.load(std::memory_order_acquire); }
  const MemTableEntry* entry(uint32_t index) const {
    TAMIS_DCHECK(index < kCapacity);
    return entries_[index].load(std::memory_order_acquire);
  }
  // Returns the place of the target in this node.
  Place Find(const MemTableTarget& target, const KeyOrder& order) const;

  // Only the writer makes the calls below.

  // Lock makes the version odd, Unlock makes it even again. Readers wait in
  // between.
  void Lock() {
    SetVersion(1);
    TAMIS_DCHECK((version_.load(std::memory_order_relaxed) & 1) == 1);
  }
  void Unlock() {
    SetVersion(1);
    TAMIS_DCHECK((version_.load(std::memory_order_relaxed) & 1) == 0);
  }
  void set_next(const MemTableNode* next) {
    next_.store(next, std::memory_order_release);
  }
  // Precedes the entry with that mark. Needs no lock.
  void set_mark(uint32_t mark) { mark_.store(mark, std::memory_order_release); }
  // Appends the entry without a lock. Returns false and changes nothing if the
  // prefix may have to change; the writer then calls Insert. REQUIRES: the node
  // is not full; the entry is greater than all others.
  bool TryAppend(const MemTableEntry* added);

  // REQUIRES, for all below: Lock was called, or no reader knows the node.

  // Inserts an entry before the one at `index`. Lengthens the prefix if many
  // heads tie and the new count is a power of two. REQUIRES: the node is not
  // full.
  void Insert(uint32_t index, const MemTableEntry* added);
  // Moves the entries from `from` on to `to`, which is empty, and copies the
  // mark.
  void MoveTail(uint32_t from, MemTableNode* to);
  // Removes the entries from `kept` on.
  void Truncate(uint32_t kept) {
    TAMIS_DCHECK(kept <= count());
    set_count(kept);
  }
  // Makes the prefix as long as possible if many heads tie.
  void SharpenHeads();
  void CopyPrefix(const MemTableNode& from);

 private:
  static constexpr size_t kPrefixWords = 4;
  static constexpr uint32_t kPrefixBytesMax = kPrefixWords * 8;
  static constexpr size_t kHeadsEnd = 64 + kCapacity * 8;

  uint64_t AwaitStableVersion() const;
  void SetVersion(uint64_t by) {
    version_.store(version_.load(std::memory_order_relaxed) + by,
                   std::memory_order_release);
  }
  void set_count(uint32_t count) {
    count_.store(count, std::memory_order_release);
  }
  uint64_t head(uint32_t index) const {
    return heads_[index].load(std::memory_order_acquire);
  }
  void set_head(uint32_t index, uint64_t head) {
    heads_[index].store(head, std::memory_order_release);
  }
  uint64_t prefix_word(size_t word) const {
    return prefix_[word].load(std::memory_order_acquire);
  }
  uint32_t prefix_bytes() const {
    return prefix_bytes_.load(std::memory_order_acquire);
  }
  uint64_t HeadOf(const MemTableEntry& entry) const;
  // Returns the length of the key's common prefix with the node's prefix.
  uint32_t SharedPrefix(const Slice& internal_key) const;
  // Returns the bytes of the prefix from `offset` on, as a head.
  uint64_t PrefixHeadAt(uint32_t offset) const;
  void SetPrefix(const Slice& key, uint32_t bytes);
  void ShortenPrefix(uint32_t bytes);
  bool ManyHeadsTie() const;
  // Returns < 0 if the key is below all keys of the node, > 0 if it is above
  // all, and 0 if it has the node's prefix.
  int CompareToPrefix(const Slice& internal_key) const;
  uint32_t FirstNotBefore(uint32_t begin, uint32_t end,
                          const MemTableTarget& target,
                          const KeyOrder& order) const;
  // Returns the first index in [begin, end) with a head >= `wanted`, or `end`.
  uint32_t FirstHeadAtLeast(uint32_t begin, uint32_t end,
                            uint64_t wanted) const;

  std::atomic<uint64_t> version_{0};
  std::atomic<const MemTableNode*> next_{nullptr};
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> prefix_bytes_{0};
  std::atomic<uint32_t> mark_{0};
  const uint16_t level_;
  const bool bytewise_;
  std::array<std::atomic<uint64_t>, kPrefixWords> prefix_{};
  std::array<std::atomic<uint64_t>, kCapacity> heads_{};
  std::array<std::atomic<const MemTableEntry*>, kCapacity> entries_{};
};

// A MemTableInner is an inner node: its entries are separators between its
// children. Separator i is the first entry in child i + 1 or below it. All
// entries in child i or below it are before separator i.
class MemTableInner : public MemTableNode {
 public:
  MemTableInner(uint32_t level, bool bytewise)
      : MemTableNode(level, bytewise) {}

  const MemTableNode* child(uint32_t index) const {
    TAMIS_DCHECK(index <= kCapacity);
    return children_[index].load(std::memory_order_acquire);
  }

  // Only the writer makes the calls below, as in MemTableNode.
  MemTableNode* child(uint32_t index) {
    return children_[index].load(std::memory_order_relaxed);
  }
  void set_child(uint32_t index, MemTableNode* child) {
    TAMIS_DCHECK(index <= kCapacity);
    TAMIS_DCHECK(child != nullptr);
    children_[index].store(child, std::memory_order_release);
  }
  // Adds `right`, which was split off child `index`, as the next child;
  // `separator` is its first entry. REQUIRES: the node is not full.
  void InsertChild(uint32_t index, const MemTableEntry* separator,
                   MemTableNode* right);
  // Moves separators after `middle`, and their children, to `to`, which is
  // empty. Returns the middle separator, which is then in neither node.
  const MemTableEntry* SplitTo(uint32_t middle, MemTableInner* to);

 private:
  std::array<std::atomic<MemTableNode*>, kCapacity + 1> children_{};
};

inline const MemTableInner* MemTableNode::AsInner() const {
  return static_cast<const MemTableInner*>(this);
}

}  // namespace tamis
