// SPDX-License-Identifier: Apache-2.0
#include "table/internal_iterator.h"

#include <utility>

namespace tamis {

namespace {

class EmptyIterator final : public InternalIterator {
 public:
  explicit EmptyIterator(Status status) : status_(std::move(status)) {}
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const Slice& /*target*/) override {}
  void SeekForPrev(const Slice& /*target*/) override {}
  void Next() override {}
  void Prev() override {}
  Status status() const override { return status_; }

 private:
  const Status status_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewEmptyIterator(Status status) {
  return std::make_unique<EmptyIterator>(std::move(status));
}

}  // namespace tamis
