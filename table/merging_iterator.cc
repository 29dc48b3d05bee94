// SPDX-License-Identifier: Apache-2.0
#include "table/merging_iterator.h"

#include <string>
#include <utility>

namespace tamis {

namespace {

// A child and the key it stands at, so that comparing makes no virtual call.
struct Child {
  std::unique_ptr<InternalIterator> iterator;
  Slice key;
};

// The children that are not at their end, as a binary heap over their keys:
// the smallest on top going forward, the largest going backward.
class MergingIterator final : public InternalIterator {
 public:
  MergingIterator(const KeyOrder& order,
                  std::vector<std::unique_ptr<InternalIterator>> children)
      : order_(order) {
    children_.reserve(children.size());
    for (auto& child : children) {
      children_.push_back({std::move(child), Slice()});
    }
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
    Restart(true, [&](InternalIterator& it) { it.Seek(target); });
  }
  void SeekForPrev(const Slice& target) override {
    Restart(false, [&](InternalIterator& it) { it.SeekForPrev(target); });
  }
  void Next() override {
    if (!forward_ && !Turn()) return;
    heap_.front()->iterator->Next();
    ReplaceTop();
    ShowTop();
  }
  void Prev() override {
    if (forward_ && !Turn()) return;
    heap_.front()->iterator->Prev();
    ReplaceTop();
    ShowTop();
  }

 private:
  void ShowTop() {
    ShowEntry(heap_.empty() ? &kNoEntry : heap_.front()->iterator->entry());
  }

  bool Before(const Child& a, const Child& b) const {
    const int order = order_.Compare(a.key, b.key);
    return forward_ ? order < 0 : order > 0;
  }

  // Keeps or drops the child by where it stands. False: it failed, and with it
  // the whole.
  bool Look(Child* child, bool* valid) {
    *valid = child->iterator->Valid();
    if (*valid) {
      child->key = child->iterator->key();
      return true;
    }
    status_ = child->iterator->status();
    if (status_.ok()) return true;
    heap_.clear();
    return false;
  }

  template <typename Position>
  void Restart(bool forward, const Position& position) {
    forward_ = forward;
    status_ = Status::OK();
    ShowEntry(&kNoEntry);
    heap_.clear();
    for (Child& child : children_) {
      position(*child.iterator);
      bool valid = false;
      if (!Look(&child, &valid)) return;
      if (valid) heap_.push_back(&child);
    }
    for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown(i);
    ShowTop();
  }

  // Turns round at the current key: every other child goes to the far side of
  // it. False: one failed.
  bool Turn() {
    Child* const current = heap_.front();
    turn_key_ = current->key.ToString();
    forward_ = !forward_;
    ShowEntry(&kNoEntry);
    heap_.clear();
    for (Child& child : children_) {
      if (&child != current) {
        if (forward_) {
          child.iterator->Seek(turn_key_);
        } else {
          child.iterator->SeekForPrev(turn_key_);
        }
      }
      bool valid = false;
      if (!Look(&child, &valid)) return false;
      if (valid) heap_.push_back(&child);
    }
    for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown(i);
    // Another child with the very same key would otherwise be shown twice.
    if (heap_.front() != current) PutOnTop(current);
    return true;
  }

  void PutOnTop(Child* child) {
    for (size_t i = 0; i < heap_.size(); ++i) {
      if (heap_[i] == child) {
        std::swap(heap_[0], heap_[i]);
        return;
      }
    }
  }

  // The top child has moved.
  void ReplaceTop() {
    bool valid = false;
    if (!Look(heap_.front(), &valid)) return;
    if (!valid) {
      heap_.front() = heap_.back();
      heap_.pop_back();
      if (heap_.empty()) return;
    }
    SiftDown(0);
  }

  void SiftDown(size_t i) {
    Child* const moving = heap_[i];
    for (;;) {
      size_t child = 2 * i + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() &&
          Before(*heap_[child + 1], *heap_[child])) {
        ++child;
      }
      if (!Before(*heap_[child], *moving)) break;
      heap_[i] = heap_[child];
      i = child;
    }
    heap_[i] = moving;
  }

  const KeyOrder order_;
  std::vector<Child> children_;  // fixed: the heap points into it
  std::vector<Child*> heap_;
  bool forward_ = true;
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
