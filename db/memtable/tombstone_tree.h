// SPDX-License-Identifier: Apache-2.0
//
// A TombstoneTree holds the range tombstones of a memtable. It finds the newest
// one that covers a key and is visible at a sequence number, while a writer
// adds more.
//
// Each tombstone is newer than those before it and hides them where they
// overlap. The visible rest consists of stretches that do not overlap:
//
//   [a ─────────── k)  5            stretches   a 5 │ d 9 │ p 0
//         [d ───────────── p)  9                0: not covered
//
// They are stored in a persistent binary search tree: nodes never change.
// Adding a tombstone copies the nodes on the paths to its begin and its end,
// about 2 ln n of them, omits what lies between, and leaves the old root
// unchanged. So each tombstone has its own root, and a reader uses that of the
// newest tombstone it sees:
//
//   newest ──▶ 40, root ──▶ 39, root ──▶ 37, root ──▶ ...
//                   └──────────────────────┴─ jumps, for old snapshots
//
// Threads: Add from one thread at a time; everything else from any thread,
// concurrently and without locks. A reader certainly sees a tombstone whose Add
// returned before the reader was given a sequence number that includes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "table/internal_key.h"
#include "table/range_tombstone.h"
#include "util/base/arena.h"

namespace tamis {

class TombstoneTree {
 private:
  struct Boundary;
  struct Node;

 public:
  // The last result of Covering, as a hint for the same View. Default: none.
  struct Stretch {
    const Node* at = nullptr;
    const Node* next = nullptr;
  };

  // The tombstones visible at one sequence number. The tree must outlive it.
  class View {
   public:
    View() = default;
    // True if no tombstone is visible.
    bool empty() const { return root_ == nullptr; }
    // The newest tombstone that covers the key; 0: none.
    SequenceNumber Covering(const Slice& user_key) const;
    // As above, for ascending keys: `last` caches the previous key's stretch,
    // which usually contains this key, too.
    SequenceNumber Covering(const Slice& user_key, Stretch* last) const;
    // True if tombstones newer than `newest` cover every key from `first` to
    // `last`.
    bool HidesAll(const Slice& first, const Slice& last,
                  SequenceNumber newest) const;

   private:
    friend class TombstoneTree;
    View(const KeyOrder* order, const Node* root)
        : order_(order), root_(root) {}

    const KeyOrder* order_ = nullptr;
    const Node* root_ = nullptr;
  };

  // REQUIRES: `arena` outlives the tree, and is not used by others during Add.
  TombstoneTree(const KeyOrder& order, Arena* arena)
      : order_(order), arena_(arena) {}
  TombstoneTree(const TombstoneTree&) = delete;
  TombstoneTree& operator=(const TombstoneTree&) = delete;

  // REQUIRES: begin < end; the sequence number is higher than all added before.
  void Add(SequenceNumber sequence, const Slice& begin, const Slice& end);

  View At(SequenceNumber visible_at) const {
    const Tombstone* const newest = newest_.load(std::memory_order_acquire);
    if (newest == nullptr) [[likely]]
      return {};
    return ViewOf(newest, visible_at);
  }

  // Appends the tombstones as added, newest first.
  void AppendTo(std::vector<RangeTombstone>* tombstones) const;

 private:
  struct Tombstone {
    const Boundary* begin;
    const Boundary* end;
    SequenceNumber sequence;
    const Node* root;  // of the stretches visible from this sequence number on
    uint64_t number;   // 1, 2, ... in the order added
    const Tombstone* older;
    const Tombstone* jump;  // an older one or nullptr: see the .cc
  };

  View ViewOf(const Tombstone* newest, SequenceNumber visible_at) const;
  static Stretch Find(const KeyOrder& order, const Node* root,
                      const Slice& user_key);
  const Boundary* NewBoundary(const Slice& key);
  Node* NewNode(const Node& value);
  Node* CopyBefore(const Node* node, const Slice& user_key);
  Node* CopyFrom(const Node* node, const Slice& user_key, const Node** floor);
  static Node* Join(Node* left, Node* right);

  const KeyOrder order_;
  Arena* const arena_;
  uint64_t boundaries_ = 0;  // for priorities; used by the writer only
  // Stored with release once the tombstone is complete; loaded with acquire.
  std::atomic<const Tombstone*> newest_{nullptr};
};

}  // namespace tamis
