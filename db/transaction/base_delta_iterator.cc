// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/base_delta_iterator.h"

#include <iterator>
#include <utility>

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

void BaseDeltaIterator::DeltaFrom(const Slice* key, bool after) {
  delta_.reset();
  delta_version_ = batch_.version();
  const BatchIndex* const index = batch_.IndexOf(family_);
  if (index == nullptr) return;
  const Comparator& order = index->comparator();
  auto found = key == nullptr ? index->entries().begin()
               : after        ? index->FirstAfter(*key)
                              : index->FirstOf(*key);
  if (lower_bound_ != nullptr && found != index->entries().end() &&
      order.Compare(index->KeyOf(*found), *lower_bound_) < 0) {
    found = index->FirstOf(*lower_bound_);
  }
  if (found == index->entries().end()) return;
  const Slice found_key = index->KeyOf(*found);
  if (upper_bound_ != nullptr && order.Compare(found_key, *upper_bound_) >= 0) {
    return;
  }
  delta_.emplace(found_key.ToStringView());
}

void BaseDeltaIterator::DeltaUpTo(const Slice* key, bool before) {
  delta_.reset();
  delta_version_ = batch_.version();
  const BatchIndex* const index = batch_.IndexOf(family_);
  if (index == nullptr) return;
  const Comparator& order = index->comparator();
  auto end = key == nullptr ? index->entries().end()
             : before       ? index->FirstOf(*key)
                            : index->FirstAfter(*key);
  if (upper_bound_ != nullptr && end != index->entries().begin() &&
      order.Compare(index->KeyOf(*std::prev(end)), *upper_bound_) >= 0) {
    end = index->FirstOf(*upper_bound_);
  }
  if (end == index->entries().begin()) return;
  const Slice found_key = index->KeyOf(*std::prev(end));
  if (lower_bound_ != nullptr && order.Compare(found_key, *lower_bound_) < 0) {
    return;
  }
  delta_.emplace(found_key.ToStringView());
}

void BaseDeltaIterator::AdvanceDelta(Direction direction) {
  const std::string from = *std::move(delta_);
  const Slice key = from;
  if (direction == Direction::kForward) {
    DeltaFrom(&key, /*after=*/true);
  } else {
    DeltaUpTo(&key, /*before=*/true);
  }
}

void BaseDeltaIterator::Stop(Status status) {
  shown_ = Shown::kNothing;
  status_ = std::move(status);
}

void BaseDeltaIterator::Show(Direction direction) {
  direction_ = direction;
  const bool forward = direction == Direction::kForward;
  for (;;) {
    if (!base_->Valid() && !base_->status().ok()) return Stop(base_->status());
    if (!delta_) {
      shown_ = base_->Valid() ? Shown::kBase : Shown::kNothing;
      status_ = Status::OK();
      return;
    }
    const BatchIndex& index = *batch_.IndexOf(family_);
    int order = forward ? 1 : -1;
    if (base_->Valid())
      order = index.comparator().Compare(base_->key(), *delta_);
    if (base_->Valid() && order != 0 && (order < 0) == forward) {
      shown_ = Shown::kBase;
      status_ = Status::OK();
      return;
    }
    const bool in_both = base_->Valid() && order == 0;
    const Slice base = in_both ? base_->value() : Slice();
    Status resolved = ResolveLookup(index.Find(*delta_), merge_with_, *delta_,
                                    in_both ? &base : nullptr, &value_);
    if (resolved.ok()) {
      key_ = *delta_;
      shown_ = Shown::kDelta;
      status_ = Status::OK();
      return;
    }
    if (!resolved.IsNotFound()) return Stop(std::move(resolved));
    AdvanceDelta(direction);
    if (in_both) StepBase(direction);
  }
}

void BaseDeltaIterator::StepBase(Direction direction) {
  if (direction == Direction::kForward) {
    base_->Next();
  } else {
    base_->Prev();
  }
}

void BaseDeltaIterator::Leave(Direction direction) {
  if (shown_ == Shown::kBase && direction == direction_ &&
      delta_version_ == batch_.version()) {
    return StepBase(direction);
  }
  const std::string from = key().ToString();
  const Slice key = from;
  if (direction !=
      direction_) {  // the base is at the key, or on its other side
    if (direction == Direction::kForward) {
      base_->Seek(key);
    } else {
      base_->SeekForPrev(key);
    }
  }
  const BatchIndex* const index = batch_.IndexOf(family_);
  if (base_->Valid() &&
      (index != nullptr ? index->comparator().Compare(base_->key(), key) == 0
                        : base_->key() == key)) {
    StepBase(direction);
  }
  if (direction == Direction::kForward) {
    DeltaFrom(&key, /*after=*/true);
  } else {
    DeltaUpTo(&key, /*before=*/true);
  }
}

template <typename Position>
void BaseDeltaIterator::Move(Direction direction, const Position& position) {
  const Status status = CatchExceptions([&] {
    position();
    Show(direction);
    return Status::OK();
  });
  if (!status.ok()) Stop(status);
}

// In a seek the base comes last: the target may be its key.
void BaseDeltaIterator::SeekToFirst() {
  Move(Direction::kForward, [&] {
    DeltaFrom(nullptr, /*after=*/false);
    base_->SeekToFirst();
  });
}

void BaseDeltaIterator::SeekToLast() {
  Move(Direction::kBackward, [&] {
    DeltaUpTo(nullptr, /*before=*/false);
    base_->SeekToLast();
  });
}

void BaseDeltaIterator::Seek(const Slice& target) {
  Move(Direction::kForward, [&] {
    DeltaFrom(&target, /*after=*/false);
    base_->Seek(target);
  });
}

void BaseDeltaIterator::SeekForPrev(const Slice& target) {
  Move(Direction::kBackward, [&] {
    DeltaUpTo(&target, /*before=*/false);
    base_->SeekForPrev(target);
  });
}

void BaseDeltaIterator::Next() {
  TAMIS_CHECK(Valid());
  Move(Direction::kForward, [&] { Leave(Direction::kForward); });
}

void BaseDeltaIterator::Prev() {
  TAMIS_CHECK(Valid());
  Move(Direction::kBackward, [&] { Leave(Direction::kBackward); });
}

Slice BaseDeltaIterator::key() const {
  TAMIS_CHECK(Valid());
  return shown_ == Shown::kBase ? base_->key() : Slice(key_);
}

Slice BaseDeltaIterator::value() const {
  TAMIS_CHECK(Valid());
  return shown_ == Shown::kBase ? base_->value() : Slice(value_);
}

Status BaseDeltaIterator::Refresh() {
  TAMIS_RETURN_IF_ERROR(base_->Refresh());
  Stop(Status::OK());
  return Status::OK();
}

}  // namespace tamis
