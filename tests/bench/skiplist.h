// SPDX-License-Identifier: Apache-2.0
//
// A SkipList keeps entries in order, as memtables did before they were trees.
// It is the baseline for db/memtable/memtable_tree.h. One thread inserts, and
// any number of others read meanwhile without locks.
//
//   node := prefix u64 | height u32 | key bytes u32 | next[height] | entry
//   entry := internal key | value length varint32 | value
//
// The prefix is the first eight bytes of the user key as a big-endian number,
// so that most steps of a search compare two integers and do not read the
// entry. In orders other than bytewise it is 0 and has no effect.
//
// A node is complete before it is linked. A link is stored with release and
// loaded with acquire. Nodes live as long as the list.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "table/internal_key.h"
#include "util/base/arena.h"
#include "util/base/random.h"

namespace tamis {

class SkipList {
 public:
  class Node {
   public:
    Slice key() const { return {entry(), key_bytes_}; }
    Slice value() const;

   private:
    friend class SkipList;
    using Link = std::atomic<Node*>;

    Node(uint64_t prefix, uint32_t height, uint32_t key_bytes);

    // Pairs with SetNext: what the node holds is seen with it.
    Node* Next(uint32_t level) const {
      return links()[level].load(std::memory_order_acquire);
    }
    void SetNext(uint32_t level, Node* node) {
      links()[level].store(node, std::memory_order_release);
    }
    Link* links() { return reinterpret_cast<Link*>(this + 1); }
    const Link* links() const {
      return reinterpret_cast<const Link*>(this + 1);
    }
    char* entry() { return reinterpret_cast<char*>(links() + height_); }
    const char* entry() const {
      return reinterpret_cast<const char*>(links() + height_);
    }

    const uint64_t prefix_;
    const uint32_t height_;
    const uint32_t key_bytes_;
  };

  // The arena outlives the list.
  SkipList(const KeyOrder& order, Arena* arena);
  SkipList(const SkipList&) = delete;
  SkipList& operator=(const SkipList&) = delete;

  const KeyOrder& order() const { return order_; }

  // REQUIRES: no entry has this internal key; one thread at a time.
  void Insert(const Slice& user_key, uint64_t tail, const Slice& value);

  // Each returns nullptr if there is no such node. Targets are internal keys.
  const Node* First() const { return head_->Next(0); }
  const Node* Last() const;
  const Node* Next(const Node* node) const { return node->Next(0); }
  const Node* Prev(const Node* node) const { return LastBefore(node->key()); }
  // Returns the first node at or after the target.
  const Node* Seek(const Slice& target) const;
  // The last before it.
  const Node* LastBefore(const Slice& target) const;

 private:
  static constexpr uint32_t kHeightMax = 12;
  static constexpr uint32_t kBranching = 4;

  uint64_t PrefixOf(const Slice& user_key) const;
  bool IsBefore(const Node* node, uint64_t prefix, const Slice& target) const {
    if (node->prefix_ != prefix) return node->prefix_ < prefix;
    return order_.Compare(node->key(), target) < 0;
  }
  // The last node before the target on level 0, or the head; on the way down
  // that of each level goes to path[] if it is given.
  Node* Descend(const Slice& target, Node** path) const;
  bool FollowsLastInsert(uint64_t prefix, const Slice& key) const;
  uint32_t RandomHeight();

  static Node* NewNode(Arena* arena, uint64_t prefix, uint32_t height,
                       uint32_t key_bytes, size_t entry_bytes);

  const KeyOrder order_;
  Arena* const arena_;
  Node* const head_;
  // Readers may see it late: the head's links above are null, or lead to
  // nodes that are as good as those below.
  std::atomic<uint32_t> height_{1};

  // The writer's own: where the last insert was linked in, and its node.
  Random random_;
  Node* last_insert_ = nullptr;
  Node* path_[kHeightMax];
};

}  // namespace tamis
