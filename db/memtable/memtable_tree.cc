// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/memtable_tree.h"

#include <new>
#include <type_traits>

#include "util/base/check.h"

namespace tamis {

namespace {

// A scan prefetches this many entries ahead.
constexpr uint32_t kEntriesAhead = 8;

}  // namespace

MemTableTree::MemTableTree(const KeyOrder& order, Arena* arena)
    : order_(order),
      arena_(arena),
      first_leaf_(NewLeaf()),
      root_(first_leaf_),
      last_leaf_(first_leaf_) {}

MemTableNode* MemTableTree::NewLeaf() {
  static_assert(std::is_trivially_destructible_v<MemTableNode>);
  return new (
      arena_->AllocateAligned(sizeof(MemTableNode), alignof(MemTableNode)))
      MemTableNode(0, order_.kind() == KeyOrder::Kind::kBytewise);
}

MemTableInner* MemTableTree::NewInner(uint32_t level) {
  static_assert(std::is_trivially_destructible_v<MemTableInner>);
  return new (
      arena_->AllocateAligned(sizeof(MemTableInner), alignof(MemTableInner)))
      MemTableInner(level, order_.kind() == KeyOrder::Kind::kBytewise);
}

MemTableTree::Path MemTableTree::Descend(const MemTableEntry& entry) {
  const MemTableTarget target{.internal_key = entry.key()};
  Path path;
  path.leaf = root_.load(std::memory_order_relaxed);
  while (!path.leaf->is_leaf()) {
    auto* const inner = static_cast<MemTableInner*>(path.leaf);
    const uint32_t index = inner->Find(target, order_).index;
    path.leaf = inner->child(index);
    path.leaf->Prefetch();
    TAMIS_CHECK(path.depth < kDepthMax);
    path.steps[path.depth++] = {.node = inner, .index = index};
  }
  path.index = path.leaf->Find(target, order_).index;
  return path;
}

// From the root down, so that no node has a higher mark than one above it.
void MemTableTree::MarkPath(const Path& path, uint32_t mark) {
  if (path.leaf->mark() == mark) return;
  TAMIS_DCHECK(path.leaf->mark() < mark);
  for (size_t i = 0; i < path.depth; ++i) path.steps[i].node->set_mark(mark);
  path.leaf->set_mark(mark);
}

bool MemTableTree::IsAfterAll(const MemTableEntry& entry) const {
  return MemTableTarget{.internal_key = entry.key()}.IsAfter(*last_insert_,
                                                             order_);
}

void MemTableTree::Insert(const Slice& user_key, uint64_t tail,
                          const Slice& value, uint32_t mark) {
  const MemTableEntry* const entry =
      MemTableEntry::New(user_key, tail, value, arena_);
  // If the last leaf has the mark, so has every node above it.
  if (ascending_ && last_leaf_->mark() == mark && IsAfterAll(*entry) &&
      last_leaf_->count() < MemTableNode::kCapacity &&
      last_leaf_->TryAppend(entry)) {
    last_insert_ = entry;
    return;
  }
  Path path = Descend(*entry);
  MarkPath(path, mark);
  const uint32_t count = path.leaf->count();
  TAMIS_DCHECK(path.index == 0 ||
               order_.Compare(path.leaf->entry(path.index - 1)->key(),
                              entry->key()) < 0);
  TAMIS_DCHECK(
      path.index == count ||
      order_.Compare(entry->key(), path.leaf->entry(path.index)->key()) < 0);
  if (count == MemTableNode::kCapacity) {
    InsertWithSplit(&path, entry);
  } else if (path.index < count || !path.leaf->TryAppend(entry)) {
    path.leaf->Lock();
    path.leaf->Insert(path.index, entry);
    path.leaf->Unlock();
  }
  last_insert_ = entry;
  ascending_ = last_leaf_->entry(last_leaf_->count() - 1) == entry;
}

MemTableNode* MemTableTree::SplitLeaf(const Path& path,
                                      const MemTableEntry* entry,
                                      MemTableNode* right, bool* in_order) {
  MemTableNode* const leaf = path.leaf;
  const uint32_t count = leaf->count();
  // If keys arrive in order, the full part stays as it is.
  const bool ascends =
      path.index == count && leaf->entry(count - 1) == last_insert_;
  const bool descends = path.index == 0 && leaf->entry(0) == last_insert_;
  const uint32_t middle = ascends ? count : descends ? 0 : count / 2;
  *in_order = ascends;

  leaf->MoveTail(middle, right);
  // Neither part remains empty.
  if (!ascends && path.index <= middle) {
    leaf->Insert(path.index, entry);
  } else {
    right->Insert(path.index - middle, entry);
  }
  TAMIS_DCHECK(leaf->count() > 0);
  TAMIS_DCHECK(leaf->count() + right->count() == count + 1);
  leaf->SharpenHeads();
  right->SharpenHeads();
  if (leaf == last_leaf_) last_leaf_ = right;
  return right;
}

// Allocates all nodes for a split, which then cannot fail halfway.
MemTableTree::SpareNodes MemTableTree::AllocateForSplit(const Path& path) {
  SpareNodes spare;
  spare.leaf = NewLeaf();
  for (size_t depth = path.depth;; --depth) {
    if (depth == 0) {
      spare.root = NewInner(root_.load(std::memory_order_relaxed)->level() + 1);
      break;
    }
    const MemTableInner* const node = path.steps[depth - 1].node;
    if (node->count() < MemTableNode::kCapacity) break;
    TAMIS_CHECK(spare.count < kDepthMax);
    spare.inner[spare.count++] = NewInner(node->level());
  }
  return spare;
}

void MemTableTree::InsertWithSplit(Path* path, const MemTableEntry* entry) {
  const SpareNodes spare = AllocateForSplit(*path);
  size_t used = 0;
  MemTableNode* locked[kDepthMax + 1];
  size_t locks = 0;
  const auto lock = [&locked, &locks](MemTableNode* node) {
    TAMIS_CHECK(locks <= kDepthMax);
    node->Lock();
    locked[locks++] = node;
  };

  MemTableNode* left = path->leaf;
  lock(left);
  bool in_order = false;
  MemTableNode* right = SplitLeaf(*path, entry, spare.leaf, &in_order);
  right->set_next(left->next());
  left->set_next(right);

  const MemTableEntry* separator = right->entry(0);
  while (true) {
    if (path->depth == 0) {
      MemTableInner* const root = spare.root;
      root->CopyPrefix(*left);
      root->set_mark(left->mark());
      root->set_child(0, left);
      root->InsertChild(0, separator, right);
      root_.store(root, std::memory_order_release);
      break;
    }
    const auto [parent, index] = path->steps[--path->depth];
    lock(parent);
    const uint32_t count = parent->count();
    if (count < MemTableNode::kCapacity) {
      parent->InsertChild(index, separator, right);
      break;
    }
    const uint32_t middle = in_order && index == count ? count - 1 : count / 2;
    TAMIS_CHECK(used < spare.count);
    MemTableInner* const sibling = spare.inner[used++];
    const MemTableEntry* const up = parent->SplitTo(middle, sibling);
    if (index <= middle) {
      parent->InsertChild(index, separator, right);
    } else {
      sibling->InsertChild(index - middle - 1, separator, right);
    }
    parent->SharpenHeads();
    sibling->SharpenHeads();
    separator = up;
    left = parent;
    right = sibling;
  }
  while (locks > 0) locked[--locks]->Unlock();
}

bool MemTableTree::TryFind(const MemTableTarget& target,
                           Position* position) const {
  return TryDescend<IfLocked::kWait>(root_, target, order_, position);
}

bool MemTableTree::PrefetchForInsert(const LookupKey& key) const {
  // A user's comparator is not called for a hint.
  if (order_.kind() != KeyOrder::Kind::kBytewise) return false;
  Position position;
  if (!TryDescend<IfLocked::kGiveUp>(
          root_, {.internal_key = key.internal_key()}, order_, &position)) {
    return false;
  }
  position.leaf->PrefetchForInsert(position.place.index, position.place.count);
  return true;
}

bool MemTableTree::TryFindLast(Position* position) const {
  const MemTableNode* node = root_.load(std::memory_order_acquire);
  uint64_t version = node->StableVersion();
  if (root_.load(std::memory_order_acquire) != node) return false;
  while (!node->is_leaf()) {
    const MemTableNode* const child = node->AsInner()->child(node->count());
    if (!node->IsAt(version)) return false;
    const uint64_t child_version = child->StableVersion();
    if (!node->IsAt(version)) return false;
    node = child;
    version = child_version;
  }
  const uint32_t count = node->count();
  *position = {.leaf = node,
               .version = version,
               .place = {.index = count, .count = count, .may_have_key = true}};
  return node->IsAt(version);
}

bool MemTableTree::TryFindMarked(const MemTableTarget& from,
                                 const MemTableTarget& to, uint32_t mark,
                                 Position* position) const {
  return TrySearchMarked(root_, from, to, mark, /*forward=*/true, order_,
                         position);
}

bool MemTableTree::TryFindMarkedBackward(const MemTableTarget& from,
                                         const MemTableTarget& to,
                                         uint32_t mark,
                                         Position* position) const {
  return TrySearchMarked(root_, from, to, mark, /*forward=*/false, order_,
                         position);
}

bool MemTableTree::Cursor::TryEnter(const Position& position) {
  const auto& [leaf, version, place] = position;
  // The count may be newer than the index.
  if (place.index >= place.count) return TryEnterNext(leaf, version);
  const MemTableEntry* const entry = leaf->entry(place.index);
  if (!leaf->IsAt(version)) return false;
  entry_ = entry;
  leaf_ = leaf;
  version_ = version;
  index_ = place.index;
  return true;
}

bool MemTableTree::Cursor::TryEnterNext(const MemTableNode* leaf,
                                        uint64_t version) {
  const MemTableNode* const next = leaf->next();
  if (!leaf->IsAt(version)) return false;
  if (next == nullptr) {
    entry_ = nullptr;
    return true;
  }
  // As in a descent, only now is it certain that no leaf is between the two.
  const uint64_t next_version = next->StableVersion();
  if (!leaf->IsAt(version)) return false;
  // A leaf is never empty, unless it is the only one.
  return TryEnter({.leaf = next,
                   .version = next_version,
                   .place = {.index = 0, .count = 1, .may_have_key = true}});
}

void MemTableTree::Cursor::SeekForward(const MemTableTarget& target) {
  Position position;
  while (!tree_->TryFind(target, &position) || !TryEnter(position)) {
  }
}

void MemTableTree::Cursor::SeekInKey(const Slice& target) {
  Position position;
  while (true) {
    if (!tree_->TryFind({.internal_key = target}, &position)) continue;
    const MemTableNode::Place& place = position.place;
    if (place.index < place.count && !place.may_have_key) {
      entry_ = nullptr;
      return;
    }
    if (TryEnter(position)) return;
  }
}

void MemTableTree::Cursor::SeekBackward(const MemTableTarget& target) {
  // The descent went left of every separator that is not before the target and
  // right of every one that is, so the entry is in this leaf or does not exist.
  Position position;
  while (true) {
    if (!tree_->TryFind(target, &position)) continue;
    if (position.place.index == 0) {
      entry_ = nullptr;
      return;
    }
    --position.place.index;
    if (TryEnter(position)) return;
  }
}

void MemTableTree::Cursor::SeekToFirst() {
  const MemTableNode* const leaf = tree_->first_leaf_;
  while (true) {
    const uint64_t version = leaf->StableVersion();
    const uint32_t count = leaf->count();
    if (TryEnter(
            {.leaf = leaf,
             .version = version,
             .place = {.index = 0, .count = count, .may_have_key = true}})) {
      return;
    }
  }
}

void MemTableTree::Cursor::SeekToLast() {
  Position position;
  while (true) {
    if (!tree_->TryFindLast(&position)) continue;
    if (position.place.count == 0) {
      entry_ = nullptr;
      return;
    }
    --position.place.index;
    if (TryEnter(position)) return;
  }
}

void MemTableTree::Cursor::Next() {
  TAMIS_DCHECK(Valid());
  const uint32_t count = leaf_->count();
  if (index_ + kEntriesAhead < count) {
    __builtin_prefetch(leaf_->entry(index_ + kEntriesAhead));
  }
  const Position position{
      .leaf = leaf_,
      .version = version_,
      .place = {.index = index_ + 1, .count = count, .may_have_key = true}};
  if (TryEnter(position)) return;
  SeekForward({.internal_key = entry_->key(), .past = true});
}

void MemTableTree::Cursor::Prev() {
  TAMIS_DCHECK(Valid());
  if (index_ > 0) {
    if (index_ > kEntriesAhead) {
      __builtin_prefetch(leaf_->entry(index_ - kEntriesAhead));
    }
    const Position position{
        .leaf = leaf_,
        .version = version_,
        .place = {.index = index_ - 1, .count = index_, .may_have_key = true}};
    if (TryEnter(position)) return;
  }
  SeekBackward({.internal_key = entry_->key()});
}

void MemTableTree::Cursor::NextMarked(const Slice& to, uint32_t mark) {
  TAMIS_DCHECK(Valid());
  const MemTableTarget from{.internal_key = entry_->key(), .past = true};
  Position position;
  while (true) {
    if (!tree_->TryFindMarked(from, {.internal_key = to}, mark, &position)) {
      continue;
    }
    if (position.leaf == nullptr) return Seek(to);
    if (TryEnter(position)) return;
  }
}

void MemTableTree::Cursor::PrevMarked(const Slice& to, uint32_t mark) {
  TAMIS_DCHECK(Valid());
  const MemTableTarget from{.internal_key = entry_->key()};
  Position position;
  while (true) {
    if (!tree_->TryFindMarkedBackward(from, {.internal_key = to}, mark,
                                      &position)) {
      continue;
    }
    if (position.leaf == nullptr) return SeekBackward({.internal_key = to});
    --position.place.index;
    if (TryEnter(position)) return;
  }
}

}  // namespace tamis
