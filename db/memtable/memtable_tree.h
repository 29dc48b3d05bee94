// SPDX-License-Identifier: Apache-2.0
//
// A MemTableTree keeps the entries of a memtable in order: a B+-tree whose
// readers take no locks. What a node looks like, and why readers may read it
// while it is changed: memtable_node.h.
//
//              [ · 40 · 70 · ]              separators are entries
//             ╱       │       ╲
//    [10 20 30] ─▶ [40 50] ─▶ [70 80 90]    leaves know the next
//
// A search takes the version of a node before it is read, goes to the child,
// takes the child's version, and only then makes sure that the node is as it
// was. A split changes the versions of the node and of all above that change
// with it, and ends none of these changes before all are made: so either the
// search starts again, or the child is the right one.
//
// Keys that come in ascending order are put behind the last without a search.
// Where keys ascend or descend, a full node is left full when it is split.
//
// Beside it were measured: nodes of 64 and 96 entries, no prefetch, no common
// prefix, and a skip list (docs/decisions/memtable_tree.md).
//
// Threads: Insert from one at a time; cursors from any at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "db/memtable/memtable_entry.h"
#include "db/memtable/memtable_node.h"
#include "table/internal_key.h"
#include "util/base/arena.h"

namespace tamis {

class MemTableTree {
 public:
  class Cursor;

  // The arena outlives the tree.
  MemTableTree(const KeyOrder& order, Arena* arena);
  MemTableTree(const MemTableTree&) = delete;
  MemTableTree& operator=(const MemTableTree&) = delete;

  const KeyOrder& order() const { return order_; }

  // What the arena or the comparator throws leaves the tree as it was.
  // REQUIRES: no entry has this internal key; one thread at a time.
  void Insert(const Slice& user_key, uint64_t tail, const Slice& value);

 private:
  static constexpr size_t kDepthMax = 16;

  // Where a target is in a leaf that had this version then.
  struct Position {
    const MemTableNode* leaf;
    uint64_t version;
    MemTableNode::Place place;
  };
  // The writer's way down to a leaf.
  struct Path {
    struct Step {
      MemTableInner* node;
      uint32_t index;
    };
    Step steps[kDepthMax];
    size_t depth = 0;
    MemTableNode* leaf = nullptr;
    uint32_t index = 0;
  };

  // Any thread. False: a writer was in the way, try again.
  bool TryFind(const MemTableTarget& target, Position* position) const;
  bool TryFindLast(Position* position) const;

  // The writer.
  Path Descend(const MemTableEntry& entry);
  bool IsBehindAll(const MemTableEntry& entry) const;
  struct SpareNodes {
    MemTableNode* leaf = nullptr;
    MemTableInner* inner[kDepthMax];  // from below
    size_t count = 0;
    MemTableInner* root = nullptr;
  };
  SpareNodes AllocateForSplit(const Path& path);
  void InsertWithSplit(Path* path, const MemTableEntry* entry);
  // `right`: what becomes the right half.
  MemTableNode* SplitLeaf(const Path& path, const MemTableEntry* entry,
                          MemTableNode* right, bool* in_order);
  MemTableNode* NewLeaf();
  MemTableInner* NewInner(uint32_t level);

  const KeyOrder order_;
  Arena* const arena_;
  MemTableNode* const first_leaf_;
  std::atomic<MemTableNode*> root_;

  // The writer's own.
  MemTableNode* last_leaf_;
  const MemTableEntry* last_insert_ = nullptr;
  bool ascending_ = false;  // the last insert is the last entry
};

// Stands on an entry, or on none. Entries that are added meanwhile show when
// they are there before the cursor moves over their place.
// One thread. The tree outlives it; what it stood on lives as long as the tree.
class MemTableTree::Cursor {
 public:
  explicit Cursor(const MemTableTree* tree) : tree_(tree) {}

  bool Valid() const { return entry_ != nullptr; }
  // REQUIRES: Valid(), for the three below.
  const MemTableEntry& entry() const { return *entry_; }
  void Next();
  void Prev();

  void SeekToFirst();
  void SeekToLast();
  // To the first at or behind an internal key, ...
  void Seek(const Slice& target) { SeekForward({.internal_key = target}); }
  // ... the last at or before it, ...
  void SeekForPrev(const Slice& target) {
    SeekBackward({.internal_key = target, .past = true});
  }
  // ... or as Seek, but to none where it is clear that no entry from there on
  // has the user key.
  void SeekInKey(const Slice& target);

 private:
  void SeekForward(const MemTableTarget& target);
  void SeekBackward(const MemTableTarget& target);
  // To the position's entry, or to the next leaf's first.
  bool TryEnter(const Position& position);
  bool TryEnterNext(const MemTableNode* leaf, uint64_t version);

  const MemTableTree* const tree_;
  const MemTableEntry* entry_ = nullptr;
  // Where it stands, unless the version is another by now.
  const MemTableNode* leaf_ = nullptr;
  uint64_t version_ = 0;
  uint32_t index_ = 0;
};

}  // namespace tamis
