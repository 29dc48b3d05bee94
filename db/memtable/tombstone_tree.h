// SPDX-License-Identifier: Apache-2.0
//
// A TombstoneTree holds the range tombstones of a memtable. It finds the newest
// one over a key that a reader at any sequence number sees, while a writer adds
// more.
//
// Each tombstone is newer than those before it and hides them where it lies.
// What is left to be seen are stretches that do not overlap:
//
//   [a ─────────── k)  5            stretches   a 5 │ d 9 │ p 0
//         [d ───────────── p)  9                0: covered by none
//
// They stand in a binary search tree whose nodes never change. To add a
// tombstone copies the nodes on the ways to its begin and its end, about 2 ln n
// of them, drops what lies between from the copy and leaves the old root as it
// was. So each tombstone has a root of its own, and a reader takes that of the
// newest tombstone it sees:
//
//   newest ──▶ 40, root ──▶ 39, root ──▶ 37, root ──▶ ...
//                   └──────────────────────┴─ jumps, for old snapshots
//
// Threads: Add from one thread at a time; everything else from any thread at
// the same time, without locks. A reader sees a tombstone surely when Add
// returned before the reader was told of its sequence number.
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
  // What a walk found last; of no use for another View. Default: nothing.
  struct Stretch {
    const Node* at = nullptr;
    const Node* next = nullptr;
  };

  // What a reader at one sequence number sees; the tree outlives it.
  class View {
   public:
    View() = default;
    // No tombstone is visible.
    bool empty() const { return root_ == nullptr; }
    // The newest tombstone over the key; 0: none.
    SequenceNumber Covering(const Slice& user_key) const;
    // The same for keys that come in order: `last` is where the key before was
    // found, and mostly this one lies there, too.
    SequenceNumber Covering(const Slice& user_key, Stretch* last) const;
    // Whether every key from `first` to `last` is covered by a tombstone newer
    // than `newest`.
    bool HidesAll(const Slice& first, const Slice& last,
                  SequenceNumber newest) const;

   private:
    friend class TombstoneTree;
    View(const KeyOrder* order, const Node* root)
        : order_(order), root_(root) {}

    const KeyOrder* order_ = nullptr;
    const Node* root_ = nullptr;
  };

  // `arena` outlives it, and nobody else takes memory from it during Add.
  TombstoneTree(const KeyOrder& order, Arena* arena)
      : order_(order), arena_(arena) {}
  TombstoneTree(const TombstoneTree&) = delete;
  TombstoneTree& operator=(const TombstoneTree&) = delete;

  // REQUIRES: begin is before end, and the sequence number above those of all
  // tombstones that were added before.
  void Add(SequenceNumber sequence, const Slice& begin, const Slice& end);

  View At(SequenceNumber visible_at) const {
    const Tombstone* const newest = newest_.load(std::memory_order_acquire);
    if (newest == nullptr) [[likely]]
      return {};
    return ViewOf(newest, visible_at);
  }

  // As they were added, newest first.
  void AppendTo(std::vector<RangeTombstone>* tombstones) const;

 private:
  struct Tombstone {
    const Boundary* begin;
    const Boundary* end;
    SequenceNumber sequence;
    const Node* root;  // of what is seen from this sequence number on
    uint64_t number;   // 1, 2, ... as they come
    const Tombstone* older;
    const Tombstone* jump;  // an older one, or nullptr; see the .cc
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
  uint64_t boundaries_ = 0;  // the writer's, for priorities
  // Stored by release when the tombstone is complete, loaded by acquire.
  std::atomic<const Tombstone*> newest_{nullptr};
};

}  // namespace tamis
