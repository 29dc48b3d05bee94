// SPDX-License-Identifier: Apache-2.0
//
// A TombstoneTree holds the range tombstones of a memtable. It finds the newest
// one that covers a key and is visible at a sequence number, while a writer
// adds more.
//
// Each tombstone is newer than those before it and hides them where they
// overlap. The visible rest divides the keys into intervals, from one boundary
// to the next. Each interval has the sequence number of the newest tombstone
// over it, or 0 where there is none. With two tombstones, at 5 and 9:
//
//   [a ─────────── k)  5            intervals from   a: 5 │ d: 9 │ p: 0
//         [d ───────────── p)  9
//
// The intervals are stored in a functional (path-copying) treap: nodes never
// change. Adding a tombstone copies the nodes on the paths to its begin and its
// end, O(log n) of them, omits the intervals between, and leaves the old root
// unchanged. So each tombstone has its own root, and a reader uses the root of
// the newest tombstone that it sees:
//
//   newest ──▶ 40, root ──▶ 39, root ──▶ 37, root ──▶ ...
//                   └──────────────────────┴─ jumps, for old snapshots
//
// Threads: one thread at a time calls Add. Any thread makes the other calls,
// concurrently and without locks. At(s) includes every tombstone up to s whose
// Add returned before s was published to readers.
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
  // The interval that Covering found last, as a hint for its next call on the
  // same View. By default, there is none.
  struct Stretch {
    const Node* at = nullptr;
    const Node* next = nullptr;
  };

  // The tombstones visible at one sequence number. The tree and its arena must
  // outlive the View.
  class View {
   public:
    View() = default;
    // Returns true if no tombstone is visible.
    bool empty() const { return root_ == nullptr; }
    // Returns the sequence number of the newest tombstone that covers the key,
    // or 0 if none does.
    SequenceNumber Covering(const Slice& user_key) const;
    // Returns the same, faster if *last contains the key, and stores the key's
    // interval there. Keys may come in any order; ascending ones profit most.
    // REQUIRES: only calls on this View have changed *last.
    SequenceNumber Covering(const Slice& user_key, Stretch* last) const;
    // Returns where the run of keys from this one on ends that tombstones newer
    // than `newest` cover without a gap: its end, excluded, or its first key.
    // Valid as long as the tree. REQUIRES: Covering(user_key) > newest
    Slice EndOfRun(const Slice& user_key, SequenceNumber newest) const;
    Slice BeginOfRun(const Slice& user_key, SequenceNumber newest) const;
    // Returns true if, and only if, every key from `first` to `last`, both
    // included, is covered by a tombstone newer than `newest`.
    bool HidesAll(const Slice& first, const Slice& last,
                  SequenceNumber newest) const;

   private:
    friend class TombstoneTree;
    View(const KeyOrder* order, const Node* root)
        : order_(order), root_(root) {}

    const KeyOrder* order_ = nullptr;
    const Node* root_ = nullptr;
  };

  // REQUIRES: `arena` outlives the tree, and nothing else uses it during Add.
  TombstoneTree(const KeyOrder& order, Arena* arena)
      : order_(order), arena_(arena) {}
  TombstoneTree(const TombstoneTree&) = delete;
  TombstoneTree& operator=(const TombstoneTree&) = delete;

  // Adds [begin, end), and copies the keys. May throw std::bad_alloc, which
  // leaves the tombstones unchanged. REQUIRES: begin < end; the sequence number
  // is higher than all added before.
  void Add(SequenceNumber sequence, const Slice& begin, const Slice& end);

  // Returns the tombstones with sequence numbers up to `visible_at`.
  View At(SequenceNumber visible_at) const {
    const Tombstone* const newest = newest_.load(std::memory_order_acquire);
    if (newest == nullptr) [[likely]]
      return {};
    return ViewOf(newest, visible_at);
  }

  // Returns how many tombstones have been added.
  uint64_t count() const {
    return NumberOf(newest_.load(std::memory_order_acquire));
  }
  // Returns the sequence number of a tombstone. They are numbered from 1 in the
  // order added. REQUIRES: 0 < number <= count()
  SequenceNumber SequenceOf(uint64_t number) const;

  // Appends each tombstone with the range it was added with, newest first.
  void AppendTo(std::vector<RangeTombstone>* tombstones) const;

 private:
  struct Tombstone {
    const Boundary* begin;
    const Boundary* end;
    SequenceNumber sequence;
    const Node* root;  // of the intervals visible from this sequence number on
    uint64_t number;   // 1, 2, ... in the order added
    const Tombstone* older;
    const Tombstone* jump;  // an older one or nullptr: see the .cc
  };

  static uint64_t NumberOf(const Tombstone* tombstone) {
    return tombstone == nullptr ? 0 : tombstone->number;
  }
  View ViewOf(const Tombstone* newest, SequenceNumber visible_at) const;
  static const Node* FirstNotNewer(const Node* root, SequenceNumber newest);
  static const Node* LastNotNewer(const Node* root, SequenceNumber newest);
  static Stretch Find(const KeyOrder& order, const Node* root,
                      const Slice& user_key);
  const Boundary* NewBoundary(const Slice& key);
  Node* NewNode(const Node& value);
  Node* CopyBefore(const Node* node, const Slice& user_key);
  Node* CopyFrom(const Node* node, const Slice& user_key, const Node** floor);
  static Node* Join(Node* left, Node* right);
  static void SetOldest(Node* node);

  const KeyOrder order_;
  Arena* const arena_;
  uint64_t boundaries_ = 0;  // for priorities; used by the writer only
  // Stored with release once the tombstone is complete; loaded with acquire.
  std::atomic<const Tombstone*> newest_{nullptr};
};

}  // namespace tamis
