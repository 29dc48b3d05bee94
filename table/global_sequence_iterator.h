// SPDX-License-Identifier: Apache-2.0
//
// Shows every entry of a table as if it had one sequence, the one that the
// table was ingested at. Such tables hold one version a user key, at 0.
//
// One thread.
#pragma once

#include <memory>
#include <string>

#include "table/internal_iterator.h"
#include "table/internal_key.h"

namespace tamis {

class GlobalSequenceIterator final : public InternalIterator {
 public:
  GlobalSequenceIterator(std::unique_ptr<InternalIterator> stored,
                         const KeyOrder& order, SequenceNumber sequence)
      : InternalIterator(&shown_),
        stored_(std::move(stored)),
        order_(order),
        sequence_(sequence) {}

  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& target) override;
  void SeekForPrev(const Slice& target) override;
  void Next() override;
  void Prev() override;
  Status status() const override { return stored_->status(); }

 private:
  // Makes shown_ of the stored one.
  void Settle();

  const std::unique_ptr<InternalIterator> stored_;
  const KeyOrder order_;
  const SequenceNumber sequence_;
  std::string key_;
  WalkEntry shown_;
};

}  // namespace tamis
