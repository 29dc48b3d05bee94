// SPDX-License-Identifier: Apache-2.0
//
// The descent of a reader from the root of a memtable's tree to a leaf, and the
// search for a leaf with a mark. memtable_tree.h says why they restart or have
// the right leaf.
#pragma once

#include <atomic>
#include <cstdint>

#include "db/memtable/memtable_entry.h"
#include "db/memtable/memtable_node.h"
#include "table/internal_key.h"

namespace tamis {

// The place of a target in a leaf, as of the leaf's version.
struct MemTablePosition {
  const MemTableNode* leaf;
  uint64_t version;
  MemTableNode::Place place;
};

// A search below one node after the other, as TrySearchMarked describes it.
struct MarkedSearch {
  const MemTableTarget* to;
  uint32_t mark;
  bool forward;
  const KeyOrder* order;
  MemTablePosition* position;

  // `from` is nullptr in nodes behind the one of `from`. REQUIRES: `version` is
  // the node's, even.
  bool TryNode(const MemTableNode* node, uint64_t version,
               const MemTableTarget* from) {
    return node->is_leaf() ? TryLeaf(node, version, from)
                           : TryInner(node->AsInner(), version, from);
  }
  bool TryLeaf(const MemTableNode* leaf, uint64_t version,
               const MemTableTarget* from) {
    MemTableNode::Place place{
        .index = 0, .count = leaf->count(), .may_have_key = true};
    if (!forward) place.index = place.count;
    if (from != nullptr) place = leaf->Find(*from, *order);
    if (!leaf->IsAt(version)) return false;
    if (forward ? place.index < place.count : place.index > 0) {
      *position = {.leaf = leaf, .version = version, .place = place};
    }
    return true;
  }
  bool TryInner(const MemTableInner* node, uint64_t version,
                const MemTableTarget* from) {
    const uint32_t last = node->Find(*to, *order).index;
    uint32_t i = forward ? 0 : node->count();
    if (from != nullptr) i = node->Find(*from, *order).index;
    // Backward, i + 1 is 0 behind the first child.
    for (bool first = true; forward ? i <= last : i + 1 > last; first = false) {
      const MemTableNode* const child = node->child(i);
      if (!node->IsAt(version)) return false;
      i = forward ? i + 1 : i - 1;
      if (child->mark() < mark) continue;
      const uint64_t child_version = child->StableVersion();
      if (!node->IsAt(version)) return false;
      if (!TryNode(child, child_version, first ? from : nullptr)) return false;
      if (position->leaf != nullptr) return true;
    }
    return node->IsAt(version);
  }
};

// Finds the target. Returns false if the writer interfered; the caller may then
// retry. At a locked node, waits until the writer unlocks it (kWait), or
// returns false at once (kGiveUp). Any thread.
template <IfLocked kIfLocked>
bool TryDescend(const std::atomic<MemTableNode*>& root,
                const MemTableTarget& target, const KeyOrder& order,
                MemTablePosition* position) {
  const MemTableNode* node = root.load(std::memory_order_acquire);
  uint64_t version = 0;
  if (!node->TakeVersion<kIfLocked>(&version)) return false;
  // If the root was split before that, there is a new root now.
  if (root.load(std::memory_order_acquire) != node) return false;
  while (!node->is_leaf()) {
    const uint32_t index = node->Find(target, order).index;
    const MemTableNode* const child = node->AsInner()->child(index);
    if (!node->IsAt(version)) return false;
    child->Prefetch();
    uint64_t child_version = 0;
    if (!child->TakeVersion<kIfLocked>(&child_version)) return false;
    if (!node->IsAt(version)) return false;
    node = child;
    version = child_version;
  }
  *position = {
      .leaf = node, .version = version, .place = node->Find(target, order)};
  return node->IsAt(version);
}

// Finds the first leaf, from the one of `from` to the one of `to`, that may
// have an entry with at least `mark`, and that has an entry from `from` on. If
// not `forward`, goes backward, and the leaf has an entry before `from`. The
// place is that of `from`, or the begin (the end) of the leaf. Sets
// position->leaf to nullptr if there is none.
//
// Returns false if the writer interfered; the caller may then retry. May miss
// an entry that is added meanwhile. Any thread.
inline bool TrySearchMarked(const std::atomic<MemTableNode*>& root,
                            const MemTableTarget& from,
                            const MemTableTarget& to, uint32_t mark,
                            bool forward, const KeyOrder& order,
                            MemTablePosition* position) {
  const MemTableNode* const node = root.load(std::memory_order_acquire);
  const uint64_t version = node->StableVersion();
  position->leaf = nullptr;
  return root.load(std::memory_order_acquire) == node &&
         MarkedSearch{&to, mark, forward, &order, position}.TryNode(
             node, version, &from);
}

}  // namespace tamis
