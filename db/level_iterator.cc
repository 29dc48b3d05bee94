// SPDX-License-Identifier: Apache-2.0
#include "db/level_iterator.h"

#include <span>
#include <string>
#include <utility>

namespace tamis {

namespace {

class LevelIterator : public InternalIterator {
 public:
  LevelIterator(const KeyOrder& order, const TableCache* tables,
                std::span<const TableFilePtr> files, const ReadContext& context)
      : order_(order), tables_(tables), files_(files), context_(context) {}

  bool Valid() const override { return table_ != nullptr && table_->Valid(); }
  Slice key() const override { return table_->key(); }
  Slice value() const override { return table_->value(); }
  Status status() const override {
    if (!status_.ok()) return status_;
    return table_ != nullptr ? table_->status() : Status::OK();
  }

  void SeekToFirst() override {
    in_one_prefix_ = false;
    if (Open(0)) table_->SeekToFirst();
    SkipEmptyForward();
  }
  void SeekToLast() override {
    in_one_prefix_ = false;
    if (Open(files_.size() - 1)) table_->SeekToLast();
    SkipEmptyBackward();
  }
  void Seek(const Slice& target) override {
    RememberPrefix(target);
    if (Open(FindFile(order_, files_, target))) table_->Seek(target);
    SkipEmptyForward();
  }
  void SeekForPrev(const Slice& target) override {
    RememberPrefix(target);
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
      Close();
      return false;
    }
    if (table_ != nullptr && i == current_ && table_->status().ok()) {
      return true;
    }
    Close();
    current_ = i;
    auto reader = tables_->Reader(*files_[i], context_.tier);
    if (!reader.ok()) {
      status_ = reader.status();
      return false;
    }
    reader_ = std::move(reader).value();
    table_ = reader_->NewIterator(context_);
    return true;
  }

  void Close() {
    table_.reset();
    reader_ = TableHandle();
  }

  void RememberPrefix(const Slice& target) {
    const Slice key = ExtractUserKey(target);
    const SliceTransform* const extractor = tables_->prefix_extractor();
    in_one_prefix_ = context_.one_prefix() && extractor != nullptr &&
                     extractor->InDomain(key);
    if (!in_one_prefix_) return;
    const Slice prefix = extractor->Transform(key);
    prefix_.assign(prefix.data(), prefix.size());
  }
  bool LeavesPrefix(const Slice& key) const {
    return in_one_prefix_ &&
           !(tables_->prefix_extractor()->InDomain(key) &&
             tables_->prefix_extractor()->Transform(key) == prefix_);
  }
  // Whether file i is behind (before) all that the walk may show. A file that
  // is skipped by its filter would else lead to one that nobody asked for.
  bool IsPastWalk(size_t i) const {
    const Slice first = ExtractUserKey(files_[i]->meta.smallest);
    return LeavesPrefix(first) ||
           (context_.upper_bound != nullptr &&
            order_.CompareUserKeys(first, *context_.upper_bound) >= 0);
  }
  bool IsBeforeWalk(size_t i) const {
    const Slice last = ExtractUserKey(files_[i]->meta.largest);
    return LeavesPrefix(last) ||
           (context_.lower_bound != nullptr &&
            order_.CompareUserKeys(last, *context_.lower_bound) < 0);
  }

  bool AtEndOfFile() const {
    return table_ != nullptr && !table_->Valid() && table_->status().ok();
  }
  void SkipEmptyForward() {
    while (AtEndOfFile()) {
      const size_t next = current_ + 1;
      if (next < files_.size() && IsPastWalk(next)) {
        Close();
      } else if (Open(next)) {
        table_->SeekToFirst();
      }
    }
  }
  void SkipEmptyBackward() {
    while (AtEndOfFile()) {
      // Before the first file the index wraps to one that does not exist.
      const size_t next = current_ - 1;
      if (next < files_.size() && IsBeforeWalk(next)) {
        Close();
      } else if (Open(next)) {
        table_->SeekToLast();
      }
    }
  }

  const KeyOrder order_;
  const TableCache* const tables_;
  const std::span<const TableFilePtr> files_;
  const ReadContext context_;
  size_t current_ = 0;
  TableHandle reader_;  // of table_, which it outlives
  std::unique_ptr<InternalIterator> table_;
  Status status_;
  // With prefix_same_as_start: the prefix of the last key that was sought.
  bool in_one_prefix_ = false;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const ReadContext& context) {
  return std::make_unique<LevelIterator>(order, tables, files, context);
}

}  // namespace tamis
