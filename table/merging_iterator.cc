// SPDX-License-Identifier: Apache-2.0
//
// Valid children are in a binary heap, with the smallest key on top when moving
// forward, the largest when moving backward. Each heap entry stores the head of
// its child's key, so that most comparisons need not read the key:
//
//   user key := prefix | 8 bytes, big-endian | rest
//               │        └─ head
//               └─ common to all children when it was taken
//
// A key without the prefix gets the lowest or the highest head, depending on
// which side of the prefix it sorts. Keys with equal heads are compared in
// full. Heads are therefore correct for any prefix; it is retaken when heads
// tie too often.
#include "table/merging_iterator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "util/base/check.h"
#include "util/coding/shared_prefix.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

constexpr uint64_t kHighestHead = std::numeric_limits<uint64_t>::max();
// Number of ties before the prefix is retaken; doubled, up to kTiesMax, each
// time the prefix stays the same.
constexpr uint32_t kTiesMin = 16;
constexpr uint32_t kTiesMax = uint32_t{1} << 20;
// Children's keys soon differ earlier than they do now, so a head starts this
// many bytes before the end of the common prefix.
constexpr size_t kHeadSlack = 4;
// Debug builds check this many nodes at the top of the heap after each step.
[[maybe_unused]] constexpr size_t kCheckedNodes = 7;

// Computes heads that ascend in the direction of iteration.
class HeadMaker {
 public:
  explicit HeadMaker(KeyOrder::Kind kind) : kind_(kind) {}

  // Returns false for user comparators, since only bytewise orders have heads.
  bool works() const { return kind_ != KeyOrder::Kind::kUser; }
  void SetDirection(bool forward) {
    const bool ascends = forward == (kind_ == KeyOrder::Kind::kBytewise);
    flip_ = ascends ? 0 : kHighestHead;
  }
  size_t prefix_size() const { return size_; }
  // Takes the first `size` bytes of the user key as the prefix, up to
  // kPrefixMax.
  void TakePrefix(const Slice& user_key, size_t size) {
    size_ = std::min(size, kPrefixMax);
    words_.fill(0);
    std::memcpy(words_.data(), user_key.data(), size_);
    const size_t in_last = size_ % 8;
    last_mask_ =
        in_last == 0 ? kHighestHead : (uint64_t{1} << (8 * in_last)) - 1;
  }

  uint64_t HeadOf(const Slice& internal_key) const {
    const Slice key = ExtractUserKey(internal_key);
    if (key.size() < size_ || !HasPrefix(key.data())) return Outside(key);
    return UserKeyHead(internal_key, size_) ^ flip_;
  }

 private:
  static constexpr size_t kPrefixMax = 64;

  // REQUIRES: 8 readable bytes after the prefix.
  bool HasPrefix(const char* key) const {
    size_t i = 0;
    for (; (i + 1) * 8 <= size_; ++i) {
      if (LoadFixed<uint64_t>(key + i * 8) != words_[i]) return false;
    }
    return i * 8 == size_ ||
           (LoadFixed<uint64_t>(key + i * 8) & last_mask_) == words_[i];
  }
  uint64_t Outside(const Slice& key) const {
    std::array<char, kPrefixMax> prefix;
    std::memcpy(prefix.data(), words_.data(), kPrefixMax);
    const bool below = key.compare(Slice(prefix.data(), size_)) < 0;
    return (below ? 0 : kHighestHead) ^ flip_;
  }

  const KeyOrder::Kind kind_;
  uint64_t flip_ = 0;
  size_t size_ = 0;
  uint64_t last_mask_ = 0;  // for the word that contains the prefix's end
  std::array<uint64_t, kPrefixMax / 8> words_{};
};

class MergingIterator final : public InternalIterator {
 public:
  MergingIterator(const KeyOrder& order,
                  std::vector<std::unique_ptr<InternalIterator>> children)
      : order_(order), heads_(order.kind()), children_(std::move(children)) {
    heap_.reserve(children_.size());
  }

  Status status() const override { return status_; }

  void SeekToFirst() override {
    Restart(true, [](InternalIterator& it) { it.SeekToFirst(); });
  }
  void SeekToLast() override {
    Restart(false, [](InternalIterator& it) { it.SeekToLast(); });
  }
  void Seek(const Slice& target) override {
    Restart(true, [&](InternalIterator& it) {
      TAMIS_PERF_COUNT(seek_child_seek_count, 1);
      const PerfTimer timer(&tls_perf_context.seek_child_seek_time);
      it.Seek(target);
    });
  }
  void SeekForPrev(const Slice& target) override {
    Restart(false, [&](InternalIterator& it) {
      TAMIS_PERF_COUNT(seek_child_seek_count, 1);
      const PerfTimer timer(&tls_perf_context.seek_child_seek_time);
      it.SeekForPrev(target);
    });
  }
  void Next() override {
    TAMIS_DCHECK(!heap_.empty());
    if (!forward_ && !Turn()) return;
    heap_.front().iterator->Next();
    ReplaceTop();
  }
  void Prev() override {
    TAMIS_DCHECK(!heap_.empty());
    if (forward_ && !Turn()) return;
    heap_.front().iterator->Prev();
    ReplaceTop();
  }
  // The other children move when they are on top.
  void NextAfterHidden(const HiddenRun& hidden) override {
    TAMIS_DCHECK(!heap_.empty());
    if (!forward_ && !Turn()) return;
    heap_.front().iterator->NextAfterHidden(hidden);
    ReplaceTop();
  }
  void PrevBeforeHidden(const HiddenRun& hidden) override {
    TAMIS_DCHECK(!heap_.empty());
    if (forward_ && !Turn()) return;
    heap_.front().iterator->PrevBeforeHidden(hidden);
    ReplaceTop();
  }
  bool PinValue(PinnedBytes* pin) override {
    return heap_.front().iterator->PinValue(pin);
  }

 private:
  struct Child {
    uint64_t head;  // of the child's current key
    InternalIterator* iterator;
  };

  bool Before(const Child& a, const Child& b) {
    if (a.head != b.head) [[likely]]
      return a.head < b.head;
    return BeforeInFull(a, b);
  }
  bool BeforeInFull(const Child& a, const Child& b) {
    ++ties_;
    const int order = order_.Compare(a.iterator->key(), b.iterator->key());
    return forward_ ? order < 0 : order > 0;
  }

  // Returns false if one of the first n children is before its parent in the
  // heap.
  bool InHeapOrder(size_t n) const {
    for (size_t i = 1; i < std::min(n, heap_.size()); ++i) {
      const int order = order_.Compare(heap_[(i - 1) / 2].iterator->key(),
                                       heap_[i].iterator->key());
      if (forward_ ? order > 0 : order < 0) return false;
    }
    return true;
  }

  // Adds the iterator if it is valid. Returns false if it failed, so that the
  // merge fails.
  bool Add(InternalIterator* child) {
    if (child->Valid()) {
      heap_.push_back({0, child});
      return true;
    }
    status_ = child->status();
    return status_.ok();
  }

  template <typename Position>
  void Restart(bool forward, const Position& position) {
    status_ = Status::OK();
    Clear(forward);
    for (const auto& child : children_) {
      position(*child);
      if (!Add(child.get())) return heap_.clear();
    }
    {
      const PerfTimer timer(forward ? &tls_perf_context.seek_min_heap_time
                                    : &tls_perf_context.seek_max_heap_time);
      Build();
    }
    ShowTop();
  }

  void Clear(bool forward) {
    forward_ = forward;
    heads_.SetDirection(forward);
    ShowEntry(&kNoEntry);
    heap_.clear();
  }

  // Builds a heap of the added children.
  void Build() {
    if (heap_.size() < 2) return;
    TakeHeads();
    for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown(i);
    TAMIS_DCHECK(InHeapOrder(heap_.size()));
  }

  // Reverses direction at the current key: moves every other child to the other
  // side of it. Returns false if one failed.
  bool Turn() {
    InternalIterator* const current = heap_.front().iterator;
    turn_key_.assign(current->key().data(), current->key().size());
    Clear(!forward_);
    for (const auto& child : children_) {
      if (child.get() != current) {
        if (forward_) {
          child->Seek(turn_key_);
        } else {
          child->SeekForPrev(turn_key_);
        }
      }
      if (!Add(child.get())) {
        heap_.clear();
        return false;
      }
    }
    Build();
    // Otherwise another child with an equal key would be shown twice.
    if (heap_.front().iterator != current) PutOnTop(current);
    return true;
  }

  void PutOnTop(const InternalIterator* iterator) {
    const auto at = std::find_if(
        heap_.begin(), heap_.end(),
        [iterator](const Child& child) { return child.iterator == iterator; });
    TAMIS_CHECK(at != heap_.end());
    std::swap(heap_.front(), *at);
  }

  // Restores the heap after the top child moved.
  void ReplaceTop() {
    Child& top = heap_.front();
    if (!top.iterator->Valid()) {
      DropTop();
    } else if (heap_.size() > 1) {
      if (heads_.works()) top.head = heads_.HeadOf(top.iterator->key());
      SiftDown(0);
      if (ties_ >= ties_max_) [[unlikely]]
        TakePrefixAnew();
      TAMIS_DCHECK(InHeapOrder(kCheckedNodes));
    }
    ShowTop();
  }
  void DropTop() {
    status_ = heap_.front().iterator->status();
    if (!status_.ok()) return heap_.clear();
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (heap_.size() > 1) SiftDown(0);
  }
  void ShowTop() {
    ShowEntry(heap_.empty() ? &kNoEntry : heap_.front().iterator->entry());
  }

  void SiftDown(size_t i) {
    Child* const heap = heap_.data();
    const size_t size = heap_.size();
    const Child moving = heap[i];
    for (;;) {
      size_t child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size) child += Before(heap[child + 1], heap[child]);
      if (!Before(heap[child], moving)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = moving;
  }

  void TakePrefixAnew() {
    ties_ = 0;
    if (!heads_.works()) return;
    const size_t before = heads_.prefix_size();
    TakeHeads();
    const bool helps = heads_.prefix_size() != before;
    ties_max_ = helps ? kTiesMin : std::min(ties_max_ * 2, kTiesMax);
  }

  // Takes the common prefix and all heads. Preserves the heap, because heads
  // order as keys do.
  void TakeHeads() {
    if (!heads_.works()) return;
    const Slice first = ExtractUserKey(heap_.front().iterator->key());
    size_t common = first.size();
    for (const Child& child : heap_) {
      const Slice key = ExtractUserKey(child.iterator->key());
      common = std::min(common, SharedPrefixLength(first, key));
    }
    heads_.TakePrefix(first, common - std::min(common, kHeadSlack));
    for (Child& child : heap_)
      child.head = heads_.HeadOf(child.iterator->key());
  }

  const KeyOrder order_;
  HeadMaker heads_;
  const std::vector<std::unique_ptr<InternalIterator>> children_;
  std::vector<Child> heap_;
  bool forward_ = true;
  uint32_t ties_ = 0;  // full comparisons since the heads were taken
  uint32_t ties_max_ = kTiesMin;
  Status status_;
  std::string turn_key_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children) {
  if (children.empty()) return NewEmptyIterator();
  if (children.size() == 1) return std::move(children.front());
  return std::make_unique<MergingIterator>(order, std::move(children));
}

}  // namespace tamis
