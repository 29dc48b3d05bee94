// SPDX-License-Identifier: Apache-2.0
#include "db/base/error_iterator.h"

#include <new>
#include <utility>

namespace tamis {

namespace {

class EmptyIterator : public Iterator {
 public:
  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const Slice& /*target*/) override {}
  void SeekForPrev(const Slice& /*target*/) override {}
  void Next() override {}
  void Prev() override {}
  Slice key() const override { return {}; }
  Slice value() const override { return {}; }
};

class ErrorIterator final : public EmptyIterator {
 public:
  explicit ErrorIterator(Status status) : status_(std::move(status)) {}
  Status status() const override { return status_; }

 private:
  const Status status_;
};

// Used when there is no memory even for an ErrorIterator. One stateless object
// serves all callers, so deleting it runs no destructor and frees nothing.
class MemoryLimitIterator final : public EmptyIterator {
 public:
  static Iterator* Get();
  Status status() const override { return Status::MemoryLimit(); }
  static void operator delete(MemoryLimitIterator* /*shared*/,
                              std::destroying_delete_t) {}
};

// Initialized at compile time and never destroyed.
union ImmortalMemoryLimitIterator {
  constexpr ImmortalMemoryLimitIterator() : iterator() {}
  ~ImmortalMemoryLimitIterator() {}  // NOLINT: = default would be deleted
  MemoryLimitIterator iterator;
};
constinit ImmortalMemoryLimitIterator memory_limit_iterator;

Iterator* MemoryLimitIterator::Get() { return &memory_limit_iterator.iterator; }

}  // namespace

std::unique_ptr<Iterator> NewErrorIterator(Status status) {
  Iterator* iterator = new (std::nothrow) ErrorIterator(std::move(status));
  if (iterator == nullptr) iterator = MemoryLimitIterator::Get();
  return std::unique_ptr<Iterator>(iterator);
}

}  // namespace tamis
