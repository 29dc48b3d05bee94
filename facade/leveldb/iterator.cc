// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/iterator.h"

#include <utility>

#include "facade/leveldb/convert.h"
#include "facade/leveldb/user_cache.h"

namespace leveldb {

Iterator::Iterator() : cleanup_head_{nullptr, nullptr, nullptr, nullptr} {}

Iterator::~Iterator() {
  if (cleanup_head_.IsEmpty()) return;
  cleanup_head_.Run();
  for (CleanupNode* node = cleanup_head_.next; node != nullptr;) {
    node->Run();
    CleanupNode* const next = node->next;
    delete node;
    node = next;
  }
}

void Iterator::RegisterCleanup(CleanupFunction function, void* arg1,
                               void* arg2) {
  CleanupNode* node = &cleanup_head_;
  if (!cleanup_head_.IsEmpty()) {
    node = new CleanupNode;
    node->next = cleanup_head_.next;
    cleanup_head_.next = node;
  }
  node->function = function;
  node->arg1 = arg1;
  node->arg2 = arg2;
}

namespace {

class EmptyIterator final : public Iterator {
 public:
  explicit EmptyIterator(Status status) : status_(std::move(status)) {}

  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const Slice& /*target*/) override {}
  void Next() override {}
  void Prev() override {}
  Slice key() const override { return {}; }
  Slice value() const override { return {}; }
  Status status() const override { return status_; }

 private:
  const Status status_;
};

}  // namespace

Iterator* NewEmptyIterator() { return new EmptyIterator(Status::OK()); }

Iterator* NewErrorIterator(const Status& status) {
  return new EmptyIterator(status);
}

}  // namespace leveldb

namespace tamis::facade {

namespace {

class Adapted final : public leveldb::Iterator {
 public:
  Adapted(std::unique_ptr<tamis::Iterator> it, bool fills_cache)
      : it_(std::move(it)), fills_cache_(fills_cache) {}

  bool Valid() const override { return it_->Valid(); }
  void SeekToFirst() override {
    const FillCacheScope fills(fills_cache_);
    it_->SeekToFirst();
  }
  void SeekToLast() override {
    const FillCacheScope fills(fills_cache_);
    it_->SeekToLast();
  }
  void Seek(const leveldb::Slice& target) override {
    const FillCacheScope fills(fills_cache_);
    it_->Seek(ToTamis(target));
  }
  void Next() override {
    const FillCacheScope fills(fills_cache_);
    it_->Next();
  }
  void Prev() override {
    const FillCacheScope fills(fills_cache_);
    it_->Prev();
  }
  leveldb::Slice key() const override { return ToLevelDB(it_->key()); }
  leveldb::Slice value() const override { return ToLevelDB(it_->value()); }
  leveldb::Status status() const override { return ToLevelDB(it_->status()); }

 private:
  const std::unique_ptr<tamis::Iterator> it_;
  const bool fills_cache_;
};

}  // namespace

std::unique_ptr<leveldb::Iterator> ForLevelDB(
    std::unique_ptr<Iterator> iterator, bool fills_cache) {
  return std::make_unique<Adapted>(std::move(iterator), fills_cache);
}

}  // namespace tamis::facade
