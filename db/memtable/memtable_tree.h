// SPDX-License-Identifier: Apache-2.0
//
// A MemTableTree keeps the entries of a memtable in order. It is a B+-tree
// whose readers take no locks. memtable_node.h describes the nodes, and why
// they can be read while they change.
//
//              [ · 40 · 70 · ]              separators are entries
//             ╱       │       ╲
//    [10 20 30] ─▶ [40 50] ─▶ [70 80 90]    leaves link to the next
//
// A descent takes a node's version before it reads the node, finds the child,
// takes the child's version, and only then validates the node's version. A
// split changes the versions of the node and of all ancestors that change with
// it, and completes none of these changes before all are made. A descent
// therefore either restarts or has the right child.
//
// Keys in ascending order are appended without a search. If keys ascend or
// descend, a split leaves the full node full.
//
// docs/decisions/memtable_tree.md compares it with nodes of 64 and 96 entries,
// no prefetch, no common prefix, and a skip list.
//
// Entries have marks, which never decrease from one Insert to the next. Each
// node has the highest mark of the entries in and below it, so that a cursor
// can pass all entries with lower marks without visiting their leaves.
//
// Threads: one thread at a time calls Insert. Any thread may use cursors of its
// own concurrently.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "db/memtable/memtable_descent.h"
#include "db/memtable/memtable_entry.h"
#include "db/memtable/memtable_node.h"
#include "table/internal_key.h"
#include "util/base/arena.h"

namespace tamis {

class MemTableTree {
 public:
  class Cursor;

  // The arena must outlive the tree.
  MemTableTree(const KeyOrder& order, Arena* arena);
  MemTableTree(const MemTableTree&) = delete;
  MemTableTree& operator=(const MemTableTree&) = delete;

  const KeyOrder& order() const { return order_; }

  // Inserts a new entry, with copies of key and value. If the arena or the
  // comparator throws, the tree is unchanged. REQUIRES: no entry has this
  // internal key; `mark` is not lower than at the Insert before.
  void Insert(const Slice& user_key, uint64_t tail, const Slice& value,
              uint32_t mark = 0);
  // Brings into the caller's cache what an Insert of the key would load and
  // store to. A hint: changes nothing and never waits. Returns false, and has
  // prefetched less, if the order is not bytewise or the writer changes a node
  // of the path meanwhile. Any thread.
  bool PrefetchForInsert(const LookupKey& key) const;

 private:
  static constexpr size_t kDepthMax = 16;

  using Position = MemTablePosition;
  // The writer's path to a leaf.
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

  // Find the target, and the end of the last leaf. Return false if the writer
  // interfered; the caller then retries. Any thread.
  bool TryFind(const MemTableTarget& target, Position* position) const;
  bool TryFindLast(Position* position) const;
  // Finds the first leaf, from the one of `from` to the one of `to`, that has
  // entries after `from` and may have one with at least `mark`. Sets
  // position->leaf to nullptr if there is none. Returns false if the writer
  // interfered.
  bool TryFindMarked(const MemTableTarget& from, const MemTableTarget& to,
                     uint32_t mark, Position* position) const;
  // The same backward, with entries before `from`.
  bool TryFindMarkedBackward(const MemTableTarget& from,
                             const MemTableTarget& to, uint32_t mark,
                             Position* position) const;

  // Only the writer makes the calls below.

  // Returns the path to the entry's leaf and its index there.
  Path Descend(const MemTableEntry& entry);
  static void MarkPath(const Path& path, uint32_t mark);
  // Returns whether the entry is after all others. REQUIRES: ascending_
  bool IsAfterAll(const MemTableEntry& entry) const;
  struct SpareNodes {
    MemTableNode* leaf = nullptr;
    MemTableInner* inner[kDepthMax];  // from the bottom up
    size_t count = 0;
    MemTableInner* root = nullptr;
  };
  SpareNodes AllocateForSplit(const Path& path);
  void InsertWithSplit(Path* path, const MemTableEntry* entry);
  // Moves the right part of the path's leaf to `right`, which is empty, and
  // inserts the entry. Returns `right`. Sets *in_order if the keys ascend.
  MemTableNode* SplitLeaf(const Path& path, const MemTableEntry* entry,
                          MemTableNode* right, bool* in_order);
  MemTableNode* NewLeaf();
  MemTableInner* NewInner(uint32_t level);

  const KeyOrder order_;
  Arena* const arena_;
  MemTableNode* const first_leaf_;
  std::atomic<MemTableNode*> root_;

  // Only the writer uses the next three, which have a cache line of their own.
  alignas(64) MemTableNode* last_leaf_;
  const MemTableEntry* last_insert_ = nullptr;
  bool ascending_ = false;  // whether last_insert_ is the greatest entry
};

// A Cursor is at an entry of the tree, or not valid. It shows an entry added
// later if the cursor has not passed its place by then. One thread. The tree
// must outlive the cursor; entries live as long as the tree's arena.
class MemTableTree::Cursor {
 public:
  explicit Cursor(const MemTableTree* tree) : tree_(tree) {}

  bool Valid() const { return entry_ != nullptr; }
  // REQUIRES: Valid(), for all down to PrevMarked.
  const MemTableEntry& entry() const { return *entry_; }
  // Returns the mark of the entry's leaf, which is not lower than the entry's.
  uint32_t mark() const { return leaf_->mark(); }
  void Next();
  void Prev();
  // Move as Next and Prev, but may pass entries before `to` (from `to` on) with
  // marks below `mark`.
  void NextMarked(const Slice& to, uint32_t mark);
  void PrevMarked(const Slice& to, uint32_t mark);

  void SeekToFirst();
  void SeekToLast();
  // Moves to the first entry >= target.
  void Seek(const Slice& target) { SeekForward({.internal_key = target}); }
  // Moves to the last entry <= target.
  void SeekForPrev(const Slice& target) {
    SeekBackward({.internal_key = target, .past = true});
  }
  // The same as Seek, but the cursor becomes invalid if the leaf shows that no
  // entry >= target has the target's user key.
  void SeekInKey(const Slice& target);

 private:
  void SeekForward(const MemTableTarget& target);
  void SeekBackward(const MemTableTarget& target);
  // Move to the position's entry, or to the first of the next leaf. Return
  // false if the writer interfered.
  bool TryEnter(const Position& position);
  bool TryEnterNext(const MemTableNode* leaf, uint64_t version);

  const MemTableTree* const tree_;
  const MemTableEntry* entry_ = nullptr;
  // The entry's place, unless the leaf's version has changed.
  const MemTableNode* leaf_ = nullptr;
  uint64_t version_ = 0;
  uint32_t index_ = 0;
};

}  // namespace tamis
