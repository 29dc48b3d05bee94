// SPDX-License-Identifier: Apache-2.0
//
// A node of a memtable's tree: up to kCapacity entries in order, and of each
// the head, so that a search touches heads alone until they tie.
//
//   version | next leaf | count | level | prefix ──────────┐   64 bytes
//   head[0] head[1] ...                                    │
//   entry[0] entry[1] ...  (inner node: separators)        │
//   child[0] child[1] ...  (inner node only)               │
//                                                          │
//   user key:  1 6 7 2 0 0 | 0 4 7 1 1 9 0 3 | 5 5 ...     │
//              └ prefix ◀──────────────────────────────────┘
//                            └ head: a big-endian number, zeros past the end
//
// The prefix is common to all keys of the node. It is cut when a key comes
// that does not have it, and made longer when too many heads tie (keys of
// sixteen digits would tie all, else). In orders other than the bytewise one
// heads are 0 and decide nothing.
//
// Threads: one writes, any number read without locks or stores. The version is
// odd while a node is changed. A reader takes an even version, reads, and
// discards what it learned unless the version is the same afterwards. Each
// field is loaded by acquire and stored by release: who read a field that the
// writer stored sees the odd version that was stored before it. No fences, so
// that race checkers can follow.
// What is read in between may be a mixture of before and after, never worse: a
// slot below the count has at all times held a complete entry or node, and
// neither goes before the memtable does.
// An entry that comes last is put behind the others, then the count is raised:
// that needs no new version.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "db/memtable/memtable_entry.h"
#include "table/internal_key.h"

namespace tamis {

class MemTableInner;

class alignas(64) MemTableNode {
 public:
  static constexpr uint32_t kCapacity = 128;

  struct Place {
    uint32_t index;  // of the first entry that is not before the target
    uint32_t count;  // of entries, at the same moment
    // False: no entry of this node from `index` on has the target's user key.
    bool may_have_key;
  };

  // Level 0: a leaf.
  MemTableNode(uint32_t level, bool bytewise)
      : level_(level), bytewise_(bytewise) {}
  MemTableNode(const MemTableNode&) = delete;
  MemTableNode& operator=(const MemTableNode&) = delete;

  // Any thread.
  bool is_leaf() const { return level_ == 0; }
  uint32_t level() const { return level_; }
  inline const MemTableInner* AsInner() const;
  void Prefetch() const {
    // Header and heads.
    const char* const begin = reinterpret_cast<const char*>(this);
    for (size_t at = 0; at < kHeadsEnd; at += 64) {
      __builtin_prefetch(begin + at);
    }
  }
  // Waits for an even one.
  uint64_t StableVersion() const {
    const uint64_t version = version_.load(std::memory_order_acquire);
    return (version & 1) == 0 ? version : AwaitStableVersion();
  }
  bool IsAt(uint64_t version) const {
    return version_.load(std::memory_order_acquire) == version;
  }
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  const MemTableNode* next() const {
    return next_.load(std::memory_order_acquire);
  }
  const MemTableEntry* entry(uint32_t index) const {
    return entries_[index].load(std::memory_order_acquire);
  }
  Place Find(const MemTableTarget& target, const KeyOrder& order) const;

  // The writer.
  void Lock() { SetVersion(1); }
  void Unlock() { SetVersion(1); }
  void set_next(const MemTableNode* next) {
    next_.store(next, std::memory_order_release);
  }
  // False, and nothing done: it must be inserted under the lock.
  // REQUIRES: there is room, and the entry is behind all others.
  bool TryAppend(const MemTableEntry* entry);
  // REQUIRES, for those below: Lock() was called, or no reader knows the node.
  // Insert REQUIRES room, too.
  void Insert(uint32_t index, const MemTableEntry* entry);
  // What stands from `from` on goes to the empty node.
  void MoveTail(uint32_t from, MemTableNode* to);
  void Truncate(uint32_t count) { set_count(count); }
  // Makes the prefix longer if heads tie.
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
  // How many bytes of the prefix the key has.
  uint32_t SharedPrefix(const Slice& internal_key) const;
  // Of the prefix, as a head: from `offset` on.
  uint64_t PrefixHeadAt(uint32_t offset) const;
  void SetPrefix(const Slice& key, uint32_t bytes);
  void ShortenPrefix(uint32_t bytes);
  bool ManyHeadsTie() const;
  // Below or above all keys of the node, or 0 if the prefix does not tell.
  int CompareToPrefix(const Slice& internal_key) const;
  uint32_t FirstNotBefore(uint32_t begin, uint32_t end,
                          const MemTableTarget& target,
                          const KeyOrder& order) const;
  // The first in [begin, end) whose head is at least (or: above) that.
  uint32_t FirstHeadAtLeast(uint32_t begin, uint32_t end, uint64_t head) const;

  std::atomic<uint64_t> version_{0};
  std::atomic<const MemTableNode*> next_{nullptr};
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> prefix_bytes_{0};
  const uint32_t level_;
  const bool bytewise_;
  std::array<std::atomic<uint64_t>, kPrefixWords> prefix_{};
  std::array<std::atomic<uint64_t>, kCapacity> heads_{};
  std::array<std::atomic<const MemTableEntry*>, kCapacity> entries_{};
};

// Separator i is the first entry that was in child i + 1 when that was split
// off, and still is in it: all of child i is before it.
class MemTableInner : public MemTableNode {
 public:
  MemTableInner(uint32_t level, bool bytewise)
      : MemTableNode(level, bytewise) {}

  const MemTableNode* child(uint32_t index) const {
    return children_[index].load(std::memory_order_acquire);
  }

  // The writer, as above.
  MemTableNode* child(uint32_t index) {
    return children_[index].load(std::memory_order_relaxed);
  }
  void set_child(uint32_t index, MemTableNode* child) {
    children_[index].store(child, std::memory_order_release);
  }
  // `right` was split off child `index`, `separator` is its first entry.
  void InsertChild(uint32_t index, const MemTableEntry* separator,
                   MemTableNode* right);
  // Separators behind `middle` go to the empty node, with their children.
  // Returns the one in the middle, which is in neither.
  const MemTableEntry* SplitTo(uint32_t middle, MemTableInner* to);

 private:
  std::array<std::atomic<MemTableNode*>, kCapacity + 1> children_{};
};

inline const MemTableInner* MemTableNode::AsInner() const {
  return static_cast<const MemTableInner*>(this);
}

}  // namespace tamis
