// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/batch_entry_iterator.h"

#include "util/base/check.h"

namespace tamis {

namespace {

WriteType WriteTypeOf(ValueType type) {
  switch (type) {
    case kTypeValue:
      return kPutRecord;
    case kTypeMerge:
      return kMergeRecord;
    case kTypeSingleDeletion:
      return kSingleDeleteRecord;
    default:
      TAMIS_CHECK(type == kTypeDeletion);
      return kDeleteRecord;
  }
}

}  // namespace

BatchEntryIterator::Position BatchEntryIterator::FirstShown(Position at) const {
  const Slice key = index_->KeyOf(*at);
  const Position first = index_->FirstOf(key);
  if (!only_newest_) return first;
  Position shown = index_->FirstAfter(key);
  do {
    --shown;
  } while (shown != first && shown->type == kTypeMerge);
  return shown;
}

void BatchEntryIterator::StopAtFirstOfKey(Position at) {
  valid_ = at != index_->entries().end();
  if (valid_) at_ = FirstShown(at);
}

void BatchEntryIterator::StopBefore(Position at) {
  valid_ = at != index_->entries().begin();
  if (valid_) at_ = --at;
}

void BatchEntryIterator::SeekToFirst() {
  if (index_ != nullptr) StopAtFirstOfKey(index_->entries().begin());
}

void BatchEntryIterator::SeekToLast() {
  if (index_ != nullptr) StopBefore(index_->entries().end());
}

void BatchEntryIterator::Seek(const Slice& key) {
  if (index_ != nullptr) StopAtFirstOfKey(index_->FirstOf(key));
}

void BatchEntryIterator::SeekForPrev(const Slice& key) {
  if (index_ != nullptr) StopBefore(index_->FirstAfter(key));
}

void BatchEntryIterator::Next() {
  TAMIS_CHECK(valid_);
  const Slice key = index_->KeyOf(*at_);
  ++at_;
  if (at_ == index_->entries().end() ||
      index_->comparator().Compare(index_->KeyOf(*at_), key) != 0) {
    StopAtFirstOfKey(at_);
  }
}

void BatchEntryIterator::Prev() {
  TAMIS_CHECK(valid_);
  StopBefore(at_ == FirstShown(at_) ? index_->FirstOf(index_->KeyOf(*at_))
                                    : at_);
}

WriteEntry BatchEntryIterator::Entry() const {
  TAMIS_CHECK(valid_);
  return {WriteTypeOf(at_->type), index_->KeyOf(*at_), index_->ValueOf(*at_)};
}

}  // namespace tamis
