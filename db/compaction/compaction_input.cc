// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_input.h"

#include <utility>

#include "db/version/level_index.h"
#include "util/base/check.h"

namespace tamis {

namespace {

class CompactionInput final : public InternalIterator {
 public:
  CompactionInput(const KeyOrder& order, const TableCache* tables,
                  std::span<const TableFilePtr> files, const Slice* upper,
                  size_t readahead_bytes)
      : order_(order), tables_(tables), files_(files), upper_(upper) {
    context_.fill = CacheFill::kNothing;
    context_.reads_ahead = true;
    context_.readahead_size = readahead_bytes;
  }

  void SeekToFirst() override {
    if (Open(0)) table_->SeekToFirst();
    Settle();
  }
  void Seek(const Slice& target) override {
    if (Open(FindFile(order_, files_, target))) table_->Seek(target);
    Settle();
  }
  void Next() override {
    table_->Next();
    if (table_->Valid() && upper_ == nullptr) [[likely]] {
      ShowEntry(table_->entry());
    } else {
      Settle();
    }
  }
  void SeekToLast() override { TAMIS_CHECK(false && "it goes forward only"); }
  void SeekForPrev(const Slice&) override { SeekToLast(); }
  void Prev() override { SeekToLast(); }

  Status status() const override {
    if (!status_.ok() || table_ == nullptr) return status_;
    return table_->status();
  }

 private:
  // Returns false if there is no file i, or opening it failed.
  bool Open(size_t i) {
    table_.reset();
    reader_.reset();
    current_ = i;
    status_ = Status::OK();
    if (i >= files_.size()) return false;
    auto reader = tables_->OpenForCompaction(files_[i]->meta);
    if (!reader.ok()) {
      status_ = reader.status();
      return false;
    }
    reader_ = std::move(*reader);
    table_ = reader_->NewIterator(context_);
    return true;
  }

  // Moves to the current entry, in this file or a later one.
  void Settle() {
    while (table_ != nullptr && !table_->Valid() && table_->status().ok()) {
      if (Open(current_ + 1)) table_->SeekToFirst();
    }
    const bool shows =
        table_ != nullptr && table_->Valid() &&
        (upper_ == nullptr ||
         order_.CompareUserKeys(ExtractUserKey(table_->key()), *upper_) < 0);
    ShowEntry(shows ? table_->entry() : &kNoEntry);
  }

  const KeyOrder order_;
  const TableCache* const tables_;
  const std::span<const TableFilePtr> files_;
  const Slice* const upper_;
  ReadContext context_;
  size_t current_ = 0;
  std::unique_ptr<TableReader> reader_;  // of table_; must outlive it
  std::unique_ptr<InternalIterator> table_;
  Status status_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewCompactionInput(
    const KeyOrder& order, const TableCache* tables,
    std::span<const TableFilePtr> files, const Slice* upper,
    size_t readahead_bytes) {
  return std::make_unique<CompactionInput>(order, tables, files, upper,
                                           readahead_bytes);
}

}  // namespace tamis
