// SPDX-License-Identifier: Apache-2.0
#include "db/level_iterator.h"

#include <utility>

namespace tamis {

namespace {

class LevelIterator : public InternalIterator {
 public:
  LevelIterator(const KeyOrder& order, const TableCache* tables,
                LevelFiles files, const ReadContext& context)
      : order_(order),
        tables_(tables),
        files_(std::move(files)),
        context_(context) {}

  bool Valid() const override { return table_ != nullptr && table_->Valid(); }
  Slice key() const override { return table_->key(); }
  Slice value() const override { return table_->value(); }
  Status status() const override {
    if (!status_.ok()) return status_;
    return table_ != nullptr ? table_->status() : Status::OK();
  }

  void SeekToFirst() override {
    if (Open(0)) table_->SeekToFirst();
    SkipEmptyForward();
  }
  void SeekToLast() override {
    if (Open(files_.size() - 1)) table_->SeekToLast();
    SkipEmptyBackward();
  }
  void Seek(const Slice& target) override {
    if (Open(FindFile(order_, files_, target))) table_->Seek(target);
    SkipEmptyForward();
  }
  void SeekForPrev(const Slice& target) override {
    size_t i = FindFile(order_, files_, target);
    if (i == files_.size()) --i;
    if (Open(i)) table_->SeekForPrev(target);
    SkipEmptyBackward();
  }
  void Next() override {
    table_->Next();
    SkipEmptyForward();
  }
  void Prev() override {
    table_->Prev();
    SkipEmptyBackward();
  }

 private:
  // True when the walk stands in file i, ready to be positioned.
  bool Open(size_t i) {
    status_ = Status::OK();
    if (i >= files_.size()) {
      table_.reset();
      return false;
    }
    if (table_ != nullptr && i == current_ && table_->status().ok()) {
      return true;
    }
    table_.reset();
    current_ = i;
    auto reader = tables_->Reader(*files_[i], context_.tier);
    if (!reader.ok()) {
      status_ = reader.status();
      return false;
    }
    table_ = (*reader)->NewIterator(context_);
    return true;
  }

  bool AtEndOfFile() const {
    return table_ != nullptr && !table_->Valid() && table_->status().ok();
  }
  void SkipEmptyForward() {
    while (AtEndOfFile()) {
      if (Open(current_ + 1)) table_->SeekToFirst();
    }
  }
  void SkipEmptyBackward() {
    while (AtEndOfFile()) {
      // Before the first file the index wraps to one that does not exist.
      if (Open(current_ - 1)) table_->SeekToLast();
    }
  }

  const KeyOrder order_;
  const TableCache* const tables_;
  const LevelFiles files_;
  const ReadContext context_;
  size_t current_ = 0;
  std::unique_ptr<InternalIterator> table_;
  Status status_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewLevelIterator(const KeyOrder& order,
                                                   const TableCache* tables,
                                                   LevelFiles files,
                                                   const ReadContext& context) {
  return std::make_unique<LevelIterator>(order, tables, std::move(files),
                                         context);
}

}  // namespace tamis
