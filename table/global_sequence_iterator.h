// SPDX-License-Identifier: Apache-2.0
//
// Shows every entry of an ingested table under the sequence number assigned at
// ingestion. Such a table has one version per user key.
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
  bool PinValue(PinnedBytes* pin) override { return stored_->PinValue(pin); }
  Status status() const override { return stored_->status(); }

 private:
  // Derives shown_ from the stored entry.
  void Settle();

  const std::unique_ptr<InternalIterator> stored_;
  const KeyOrder order_;
  const SequenceNumber sequence_;
  std::string key_;
  IteratorEntry shown_;
};

}  // namespace tamis
