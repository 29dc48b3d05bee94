// SPDX-License-Identifier: Apache-2.0
//
// The descent of a reader from the root of a memtable's tree to a leaf.
// memtable_tree.h says why it restarts or has the right leaf.
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

}  // namespace tamis
