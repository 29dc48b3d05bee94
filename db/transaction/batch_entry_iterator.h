// SPDX-License-Identifier: Apache-2.0
//
// Iterates over the changes of one family in a batch, for
// WriteBatchWithIndex::NewIterator.
#pragma once

#include "tamis/utilities/write_batch_with_index.h"

#include "db/transaction/batch_index.h"

namespace tamis {

class BatchEntryIterator final : public WBWIIterator {
 public:
  // `index` must outlive *this; nullptr if there are no changes. With
  // `only_newest`, shows of each key the newest change, and if that is a merge,
  // also those below it up to one that is not.
  BatchEntryIterator(const BatchIndex* index, bool only_newest)
      : index_(index), only_newest_(only_newest) {}

  bool Valid() const override { return valid_; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& key) override;
  void SeekForPrev(const Slice& key) override;
  void Next() override;
  void Prev() override;
  WriteEntry Entry() const override;
  Status status() const override { return Status::OK(); }

 private:
  using Position = BatchIndex::Entries::const_iterator;
  // Moves to the first shown change of the key that `at` has, or to none.
  void StopAtFirstOfKey(Position at);
  // Moves to the change before `at`, or to none.
  void StopBefore(Position at);
  Position FirstShown(Position at) const;

  const BatchIndex* const index_;
  const bool only_newest_;
  bool valid_ = false;
  Position at_;
};

}  // namespace tamis
