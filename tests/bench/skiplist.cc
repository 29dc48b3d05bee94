// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/skiplist.h"

#include <bit>
#include <cstring>
#include <new>

#include "util/base/check.h"
#include "util/coding/coding.h"

namespace tamis {

SkipList::Node::Node(uint64_t prefix, uint32_t height, uint32_t key_bytes)
    : prefix_(prefix), height_(height), key_bytes_(key_bytes) {
  for (uint32_t level = 0; level < height; ++level) {
    new (links() + level) Link(nullptr);
  }
}

Slice SkipList::Node::value() const {
  const char* const p = entry() + key_bytes_;
  uint32_t n = 0;
  const char* const bytes = GetVarint32Ptr(p, p + kMaxVarint32Bytes, &n);
  return {bytes, n};
}

SkipList::SkipList(const KeyOrder& order, Arena* arena)
    : order_(order),
      arena_(arena),
      head_(NewNode(arena, 0, kHeightMax, 0, 0)),
      random_(0x5eed) {
  for (Node*& node : path_) node = head_;
}

SkipList::Node* SkipList::NewNode(Arena* arena, uint64_t prefix,
                                  uint32_t height, uint32_t key_bytes,
                                  size_t entry_bytes) {
  static_assert(sizeof(Node) % alignof(Node::Link) == 0);
  static_assert(sizeof(Node::Link) == sizeof(Node*));
  char* const space = arena->AllocateAligned(
      sizeof(Node) + height * sizeof(Node::Link) + entry_bytes);
  return new (space) Node(prefix, height, key_bytes);
}

uint64_t SkipList::PrefixOf(const Slice& user_key) const {
  if (order_.kind() != KeyOrder::Kind::kBytewise) return 0;
  uint64_t prefix = 0;
  if (user_key.size() >= sizeof(prefix)) {
    prefix = DecodeFixed64(user_key.data());
  } else if (!user_key.empty()) {
    std::memcpy(&prefix, user_key.data(), user_key.size());
  }
  return __builtin_bswap64(prefix);
}

SkipList::Node* SkipList::Descend(const Slice& target, Node** path) const {
  const uint64_t prefix = PrefixOf(ExtractUserKey(target));
  Node* before = head_;
  const Node* bound = nullptr;  // not before the target: no need to ask again
  for (uint32_t level = height_.load(std::memory_order_relaxed); level-- > 0;) {
    Node* next = before->Next(level);
    while (next != nullptr && next != bound && IsBefore(next, prefix, target)) {
      before = next;
      next = before->Next(level);
    }
    bound = next;
    if (path != nullptr) path[level] = before;
  }
  return before;
}

const SkipList::Node* SkipList::Seek(const Slice& target) const {
  // A node that is linked in between by now may show or not; either is right,
  // but it may lie before the target.
  const uint64_t prefix = PrefixOf(ExtractUserKey(target));
  const Node* node = Descend(target, nullptr)->Next(0);
  while (node != nullptr && IsBefore(node, prefix, target)) {
    node = node->Next(0);
  }
  return node;
}

const SkipList::Node* SkipList::LastBefore(const Slice& target) const {
  const Node* const node = Descend(target, nullptr);
  return node == head_ ? nullptr : node;
}

const SkipList::Node* SkipList::Last() const {
  const Node* node = head_;
  for (uint32_t level = height_.load(std::memory_order_relaxed); level-- > 0;) {
    while (const Node* next = node->Next(level)) node = next;
  }
  return node == head_ ? nullptr : node;
}

uint32_t SkipList::RandomHeight() {
  uint64_t bits = random_.Next();
  uint32_t height = 1;
  while (height < kHeightMax && bits % kBranching == 0) {
    bits /= kBranching;
    ++height;
  }
  return height;
}

bool SkipList::FollowsLastInsert(uint64_t prefix, const Slice& key) const {
  if (last_insert_ == nullptr || !IsBefore(last_insert_, prefix, key)) {
    return false;
  }
  const Node* const next = last_insert_->Next(0);
  return next == nullptr || !IsBefore(next, prefix, key);
}

void SkipList::Insert(const Slice& user_key, uint64_t tail,
                      const Slice& value) {
  const size_t key_bytes = user_key.size() + kInternalKeyTailBytes;
  TAMIS_CHECK(key_bytes <= UINT32_MAX);
  TAMIS_CHECK(value.size() <= UINT32_MAX);

  const uint64_t prefix = PrefixOf(user_key);
  const uint32_t height = RandomHeight();
  Node* const node =
      NewNode(arena_, prefix, height, static_cast<uint32_t>(key_bytes),
              key_bytes + VarintLength(value.size()) + value.size());
  char* p = node->entry();
  std::memcpy(p, user_key.data(), user_key.size());
  EncodeFixed64(p + user_key.size(), tail);
  p = EncodeVarint32(p + key_bytes, static_cast<uint32_t>(value.size()));
  std::memcpy(p, value.data(), value.size());

  // Keys often come in order: then the way down is the last one again.
  if (FollowsLastInsert(prefix, node->key())) {
    for (uint32_t level = 0; level < last_insert_->height_; ++level) {
      path_[level] = last_insert_;
    }
  } else {
    Descend(node->key(), path_);
  }
  const Node* const next = path_[0]->Next(0);
  TAMIS_DCHECK(next == nullptr || order_.Compare(node->key(), next->key()) < 0);
  static_cast<void>(next);

  if (height > height_.load(std::memory_order_relaxed)) {
    // The levels above have no nodes yet, so their path starts at the head, to
    // which path_ still points there.
    height_.store(height, std::memory_order_relaxed);
  }
  for (uint32_t level = 0; level < height; ++level) {
    node->links()[level].store(path_[level]->Next(level),
                               std::memory_order_relaxed);
    path_[level]->SetNext(level, node);
  }
  last_insert_ = node;
}

}  // namespace tamis
