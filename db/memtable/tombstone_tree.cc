// SPDX-License-Identifier: Apache-2.0
//
// The tree is a treap: ordered by key, with no node of higher priority than its
// parent. Priorities are random, so the expected depth is 2 ln n for any input.
//
// A tombstone [begin, end) turns the tree T into
//
//   CopyBefore(T, begin) + node(begin) + node(end) + CopyFrom(T, end)
//
// CopyBefore copies the nodes of its result's right edge, and CopyFrom those of
// its left edge. Join only follows these edges, so it may modify the nodes.
#include "db/memtable/tombstone_tree.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "util/base/check.h"

namespace tamis {

namespace {

// The i-th number of a fixed pseudo-random sequence (SplitMix64).
uint32_t RandomAt(uint64_t i) {
  uint64_t x = i * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<uint32_t>(x >> 32);
}

}  // namespace

// The begin or end of a tombstone, followed by its key.
struct TombstoneTree::Boundary {
  Slice key() const { return {reinterpret_cast<const char*>(this + 1), size}; }

  uint32_t size;  // fits: WriteBatch limits it
  uint32_t priority;
};

// An interval, from its begin to that of the next. Immutable once reachable
// from a published root.
struct TombstoneTree::Node {
  Slice key() const { return begin->key(); }
  uint32_t priority() const { return begin->priority; }

  const Boundary* begin;
  SequenceNumber sequence;  // of the newest tombstone; 0 if there is none
  Node* left = nullptr;
  Node* right = nullptr;
  // The lowest `sequence` of this node and those below it; kUnknown until the
  // tree is complete.
  static constexpr SequenceNumber kUnknown = UINT64_MAX;
  SequenceNumber oldest = kUnknown;
};

// Returns the last interval that begins at or before the key, and the next one.
TombstoneTree::Stretch TombstoneTree::Find(const KeyOrder& order,
                                           const Node* root,
                                           const Slice& user_key) {
  Stretch found;
  for (const Node* node = root; node != nullptr;) {
    if (order.CompareUserKeys(node->key(), user_key) <= 0) {
      found.at = node;
      node = node->right;
    } else {
      found.next = node;
      node = node->left;
    }
  }
  return found;
}

SequenceNumber TombstoneTree::View::Covering(const Slice& user_key) const {
  if (root_ == nullptr) return 0;
  const Stretch stretch = Find(*order_, root_, user_key);
  return stretch.at == nullptr ? 0 : stretch.at->sequence;
}

SequenceNumber TombstoneTree::View::Covering(const Slice& user_key,
                                             Stretch* last) const {
  if (root_ == nullptr) return 0;
  const auto behind = [&](const Node* node) {
    return order_->CompareUserKeys(node->key(), user_key) > 0;
  };
  // Both are nullptr before the first search.
  const bool found = last->at != last->next &&
                     (last->at == nullptr || !behind(last->at)) &&
                     (last->next == nullptr || behind(last->next));
  if (!found) *last = Find(*order_, root_, user_key);
  return last->at == nullptr ? 0 : last->at->sequence;
}

bool TombstoneTree::View::HidesAll(const Slice& first, const Slice& last,
                                   SequenceNumber newest) const {
  return Covering(first) > newest &&
         order_->CompareUserKeys(EndOfRun(first, newest), last) > 0;
}

// Returns the first interval of the tree whose newest tombstone is not newer
// than `newest`, nullptr if there is none.
const TombstoneTree::Node* TombstoneTree::FirstNotNewer(const Node* root,
                                                        SequenceNumber newest) {
  const Node* node = root;
  while (node != nullptr && node->oldest <= newest) {
    if (node->left != nullptr && node->left->oldest <= newest) {
      node = node->left;
    } else if (node->sequence <= newest) {
      return node;
    } else {
      node = node->right;
    }
  }
  return nullptr;
}

// The same, the last one.
const TombstoneTree::Node* TombstoneTree::LastNotNewer(const Node* root,
                                                       SequenceNumber newest) {
  const Node* node = root;
  while (node != nullptr && node->oldest <= newest) {
    if (node->right != nullptr && node->right->oldest <= newest) {
      node = node->right;
    } else if (node->sequence <= newest) {
      return node;
    } else {
      node = node->left;
    }
  }
  return nullptr;
}

// The deeper a node of the path where the search goes left, the nearer it and
// its right subtree are behind the key.
Slice TombstoneTree::View::EndOfRun(const Slice& user_key,
                                    SequenceNumber newest) const {
  const Node* end = nullptr;
  for (const Node* node = root_; node != nullptr;) {
    if (order_->CompareUserKeys(node->key(), user_key) <= 0) {
      node = node->right;
      continue;
    }
    const Node* const found =
        node->sequence <= newest ? node : FirstNotNewer(node->right, newest);
    if (found != nullptr) end = found;
    node = node->left;
  }
  TAMIS_CHECK(end != nullptr);  // nothing covers the last interval
  return end->key();
}

Slice TombstoneTree::View::BeginOfRun(const Slice& user_key,
                                      SequenceNumber newest) const {
  const Node* before = nullptr;
  for (const Node* node = root_; node != nullptr;) {
    if (order_->CompareUserKeys(node->key(), user_key) > 0) {
      node = node->left;
      continue;
    }
    const Node* const found =
        node->sequence <= newest ? node : LastNotNewer(node->left, newest);
    if (found != nullptr) before = found;
    node = node->right;
  }
  // The run begins at the next interval, or at the first.
  const Node* begin = root_;
  if (before != nullptr) {
    begin = Find(*order_, root_, before->key()).next;
  } else {
    while (begin->left != nullptr) begin = begin->left;
  }
  return begin->key();
}

TombstoneTree::View TombstoneTree::ViewOf(const Tombstone* newest,
                                          SequenceNumber visible_at) const {
  const Tombstone* seen = newest;
  while (seen != nullptr && seen->sequence > visible_at) {
    seen = seen->jump != nullptr && seen->jump->sequence > visible_at
               ? seen->jump
               : seen->older;
  }
  return seen == nullptr ? View() : View(&order_, seen->root);
}

SequenceNumber TombstoneTree::SequenceOf(uint64_t number) const {
  const Tombstone* at = newest_.load(std::memory_order_acquire);
  TAMIS_DCHECK(number > 0 && number <= NumberOf(at));
  while (at->number > number) {
    at = NumberOf(at->jump) >= number ? at->jump : at->older;
  }
  return at->sequence;
}

const TombstoneTree::Boundary* TombstoneTree::NewBoundary(const Slice& key) {
  static_assert(std::is_trivially_destructible_v<Boundary>);
  TAMIS_CHECK(key.size() <= UINT32_MAX);
  char* const space = arena_->AllocateAligned(sizeof(Boundary) + key.size());
  if (!key.empty()) {
    std::memcpy(space + sizeof(Boundary), key.data(), key.size());
  }
  return new (space) Boundary{.size = static_cast<uint32_t>(key.size()),
                              .priority = RandomAt(++boundaries_)};
}

TombstoneTree::Node* TombstoneTree::NewNode(const Node& value) {
  static_assert(std::is_trivially_destructible_v<Node>);
  Node* const node =
      new (arena_->AllocateAligned(sizeof(Node), alignof(Node))) Node(value);
  node->oldest = Node::kUnknown;
  return node;
}

// Returns a copy of the intervals that begin before the key.
TombstoneTree::Node* TombstoneTree::CopyBefore(const Node* node,
                                               const Slice& user_key) {
  Node* root = nullptr;
  Node** place = &root;
  while (node != nullptr) {
    if (order_.CompareUserKeys(node->key(), user_key) < 0) {
      *place = NewNode(*node);
      place = &(*place)->right;
      node = node->right;
    } else {
      node = node->left;
    }
  }
  *place = nullptr;
  return root;
}

// Returns a copy of the intervals that begin at or after the key. Sets *floor
// to the tree's last interval that begins at or before the key, if there is
// one.
TombstoneTree::Node* TombstoneTree::CopyFrom(const Node* node,
                                             const Slice& user_key,
                                             const Node** floor) {
  Node* root = nullptr;
  Node** place = &root;
  while (node != nullptr) {
    const int compared = order_.CompareUserKeys(node->key(), user_key);
    if (compared >= 0) {
      *place = NewNode(*node);
      place = &(*place)->left;
    }
    if (compared <= 0) *floor = node;
    if (compared == 0) break;
    node = compared > 0 ? node->left : node->right;
  }
  *place = nullptr;
  return root;
}

// Joins two trees, which it modifies, and returns the root. REQUIRES: all of
// `left` begins before all of `right`; the right edge of `left` and the left
// edge of `right` are new nodes.
TombstoneTree::Node* TombstoneTree::Join(Node* left, Node* right) {
  Node* root = nullptr;
  Node** place = &root;
  while (left != nullptr && right != nullptr) {
    if (left->priority() >= right->priority()) {
      *place = left;
      place = &left->right;
      left = left->right;
    } else {
      *place = right;
      place = &right->left;
      right = right->left;
    }
  }
  *place = left != nullptr ? left : right;
  return root;
}

// Sets `oldest` of the new nodes, which have no old one above them.
void TombstoneTree::SetOldest(Node* node) {
  node->oldest = node->sequence;
  for (Node* const below : {node->left, node->right}) {
    if (below == nullptr) continue;
    if (below->oldest == Node::kUnknown) SetOldest(below);
    node->oldest = std::min(node->oldest, below->oldest);
  }
}

// Jumps form a skew-binary list: a new tombstone jumps over two consecutive
// equal jumps if there are any, otherwise to the previous tombstone. Any older
// tombstone is O(log n) steps away.
void TombstoneTree::Add(SequenceNumber sequence, const Slice& begin,
                        const Slice& end) {
  TAMIS_DCHECK(order_.CompareUserKeys(begin, end) < 0);
  const Tombstone* const older = newest_.load(std::memory_order_relaxed);
  TAMIS_CHECK(older == nullptr || older->sequence < sequence);
  const Node* const root = older == nullptr ? nullptr : older->root;
  const Boundary* const own_begin = NewBoundary(begin);
  const Boundary* const own_end = NewBoundary(end);

  Node* const before =
      Join(CopyBefore(root, begin), NewNode({own_begin, sequence}));
  const Node* at_end = nullptr;
  Node* behind = CopyFrom(root, end, &at_end);
  // After the end, what was visible there before remains.
  if (at_end == nullptr || order_.CompareUserKeys(at_end->key(), end) != 0) {
    behind = Join(NewNode({own_end, at_end == nullptr ? 0 : at_end->sequence}),
                  behind);
  }

  Node* const joined = Join(before, behind);
  SetOldest(joined);

  const Tombstone* jump = older;
  if (older != nullptr && older->jump != nullptr) {
    const Tombstone* const from = older->jump;
    if (NumberOf(older) - NumberOf(from) ==
        NumberOf(from) - NumberOf(from->jump)) {
      jump = from->jump;
    }
  }
  static_assert(std::is_trivially_destructible_v<Tombstone>);
  newest_.store(new (arena_->AllocateAligned(sizeof(Tombstone)))
                    Tombstone{.begin = own_begin,
                              .end = own_end,
                              .sequence = sequence,
                              .root = joined,
                              .number = NumberOf(older) + 1,
                              .older = older,
                              .jump = jump},
                std::memory_order_release);
}

void TombstoneTree::AppendTo(std::vector<RangeTombstone>* tombstones) const {
  for (const Tombstone* t = newest_.load(std::memory_order_acquire);
       t != nullptr; t = t->older) {
    tombstones->push_back(
        {t->begin->key().ToString(), t->end->key().ToString(), t->sequence});
  }
}

}  // namespace tamis
