// SPDX-License-Identifier: Apache-2.0
#include "table/global_sequence_iterator.h"

namespace tamis {

void GlobalSequenceIterator::Settle() {
  shown_.valid = stored_->Valid();
  if (!shown_.valid) return;
  const Slice stored = stored_->key();
  key_.clear();
  AppendInternalKey(&key_, ExtractUserKey(stored), sequence_,
                    static_cast<uint8_t>(ExtractTail(stored) & 0xff));
  shown_.key = key_;
  shown_.value = stored_->value();
}

void GlobalSequenceIterator::SeekToFirst() {
  stored_->SeekToFirst();
  Settle();
}

void GlobalSequenceIterator::SeekToLast() {
  stored_->SeekToLast();
  Settle();
}

// Stored sequence numbers cannot be compared with target's, so both seeks start
// before all versions of its user key.
void GlobalSequenceIterator::Seek(const Slice& target) {
  const LookupKey first(ExtractUserKey(target), kMaxSequenceNumber);
  stored_->Seek(first.internal_key());
  Settle();
  while (Valid() && order_.Compare(key_, target) < 0) Next();
}

void GlobalSequenceIterator::SeekForPrev(const Slice& target) {
  std::string last;
  AppendInternalKey(&last, ExtractUserKey(target), 0, kTypeDeletion);
  stored_->SeekForPrev(last);
  Settle();
  while (Valid() && order_.Compare(key_, target) > 0) Prev();
}

void GlobalSequenceIterator::Next() {
  stored_->Next();
  Settle();
}

void GlobalSequenceIterator::Prev() {
  stored_->Prev();
  Settle();
}

}  // namespace tamis
