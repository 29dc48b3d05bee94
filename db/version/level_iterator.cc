// SPDX-License-Identifier: Apache-2.0
//
// This comment proves that every range tombstone that may hide an entry is
// known when the merging iterator is at the entry. Assume that it moves forward
// and is at an entry of key k. This level is at that entry or after it, in file
// C. It was in file P when it last supplied the merged entry, or was sought.
//
//   ... | G | P | . | C | ...        known: G, P, ., C
//           ^ passed                   ^ this level
//
// A file after C begins after k, or at k with an older version. A file before P
// ends before k, or shares k with P (or with the key that was sought), because
// the versions of one key may continue in the next file. Such a file is G, and
// is included. Backward, C and P change places, and G is before C.
//
// A file is skipped, unopened, if known tombstones hide all its entries. They
// also hide all that its own tombstones would hide.
#include "db/version/level_iterator.h"

#include <span>
#include <string>
#include <utility>

#include "db/version/prefix_run.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

class LevelIterator : public InternalIterator {
 public:
  LevelIterator(const LevelIndex& index, const TableCache* tables,
                const ReadContext& context, RangeDelAggregator* tombstones)
      : index_(index),
        files_(index.files()),
        tables_(tables),
        context_(context),
        tombstones_(tombstones) {}

  Status status() const override {
    if (!status_.ok()) return status_;
    return table_ != nullptr ? table_->status() : Status::OK();
  }

  void SeekToFirst() override {
    wanted_.End();
    ForgetTombstones();
    if (IsHidden(0)) {
      PassForward(0);
    } else if (Open(0)) {
      table_->SeekToFirst();
    }
    SkipEmptyForward();
    ShowTable();
  }
  void SeekToLast() override {
    wanted_.End();
    ForgetTombstones();
    const size_t last = files_.size() - 1;
    if (IsHidden(last)) {
      PassBackward(last);
    } else if (Open(last)) {
      table_->SeekToLast();
    }
    SkipEmptyBackward();
    ShowTable();
  }
  void Seek(const Slice& target) override {
    RememberPrefix(target);
    ForgetTombstones();
    const size_t i = index_.FindFirst(target);
    if (!AddTouching(i, ExtractUserKey(target))) return ShowTable();
    if (i < files_.size() && IsHidden(i)) {
      PassForward(i);
    } else if (Open(i)) {
      table_->Seek(target);
    }
    SkipEmptyForward();
    ShowTable();
  }
  void SeekForPrev(const Slice& target) override {
    RememberPrefix(target);
    ForgetTombstones();
    size_t i = index_.FindFirst(target);
    if (i == files_.size()) --i;
    if (IsHidden(i)) {
      PassBackward(i);
    } else if (Open(i)) {
      table_->SeekForPrev(target);
    }
    SkipEmptyBackward();
    ShowTable();
  }
  void Next() override {
    table_->Next();
    ShowEntry(table_->entry());
    if (Valid()) return;
    if (AtEndOfFile()) ForgetPassed();
    SkipEmptyForward();
    ShowTable();
  }
  void Prev() override {
    table_->Prev();
    ShowEntry(table_->entry());
    if (Valid()) return;
    if (AtEndOfFile()) ForgetPassed();
    SkipEmptyBackward();
    ShowTable();
  }
  void NextAfterHidden(const HiddenRun& hidden) override {
    if (!FindEnd(hidden)) return Next();
    const Slice last = ExtractUserKey(files_[current_]->meta.largest);
    if (index_.order().CompareUserKeys(last, hidden_end_) < 0) {
      ForgetPassed();
      PassForward(current_);
    } else {
      const LookupKey target(hidden_end_, kMaxSequenceNumber);
      table_->Seek(target.internal_key());
      if (AtEndOfFile()) ForgetPassed();
    }
    SkipEmptyForward();
    ShowTable();
  }
  void PrevBeforeHidden(const HiddenRun& hidden) override {
    if (!FindEnd(hidden)) return Prev();
    const Slice first = ExtractUserKey(files_[current_]->meta.smallest);
    if (index_.order().CompareUserKeys(first, hidden_end_) >= 0) {
      ForgetPassed();
      PassBackward(current_);
    } else {
      const LookupKey target(hidden_end_, kMaxSequenceNumber);
      table_->SeekForPrev(target.internal_key());
      if (AtEndOfFile()) ForgetPassed();
    }
    SkipEmptyBackward();
    ShowTable();
  }
  bool PinValue(PinnedBytes* pin) override { return table_->PinValue(pin); }

 private:
  void ShowTable() {
    ShowEntry(table_ != nullptr ? table_->entry() : &kNoEntry);
  }

  // Opens file i, which the caller then positions. Returns false if there is no
  // such file, or after an error, which is then in status().
  bool Open(size_t i) {
    status_ = Status::OK();
    if (i >= files_.size()) {
      Close();
      return false;
    }
    if (table_ != nullptr && i == current_ && table_->status().ok()) {
      return AddTombstones(i);
    }
    Close();
    current_ = i;
    auto reader = tables_->Reader(*files_[i], context_.tier);
    if (!reader.ok()) {
      status_ = reader.status();
      return false;
    }
    reader_ = std::move(reader).value();
    excluded_ = IsExcluded(*reader_);
    if (excluded_) {
      table_ = NewEmptyIterator();
      return true;
    }
    table_ = reader_->NewIterator(context_);
    return AddTombstones(i);
  }

  // Returns whether ReadOptions::table_filter excludes the table.
  bool IsExcluded(const TableReader& reader) const {
    const ScanScope* const scope = context_.scope;
    return scope != nullptr && scope->table_filter &&
           !scope->table_filter(*reader.properties());
  }

  void Close() {
    table_.reset();
    reader_.reset();
  }

  void ForgetTombstones() {
    if (!has_tombstones_) return;
    tombstones_->Forget(this);
    has_tombstones_ = false;
  }
  // Removes the tombstones of all files except the current one.
  void ForgetPassed() {
    if (!has_tombstones_) return;
    ForgetTombstones();
    AddTombstones(current_);
  }
  // Adds the tombstones of file i, which is open, and of the files before it
  // that share its first key. Returns false after an error, which ends the
  // scan.
  bool AddTombstones(size_t i) {
    if (tombstones_ == nullptr || excluded_) return true;
    Add(files_[i]->range_tombstones_if_open());
    return !index_.SharesItsFirstKey(i) ||
           AddTouching(i, ExtractUserKey(files_[i]->meta.smallest));
  }
  // Adds the tombstones of the files before i that may hold the key. Returns
  // false after an error.
  bool AddTouching(size_t i, const Slice& user_key) {
    if (tombstones_ == nullptr || tombstones_->ignores_all()) return true;
    for (; i > 0 && index_.EndsWith(i - 1, user_key) &&
           !files_[i - 1]->meta.ends_in_tombstone();
         --i) {
      const auto list = tables_->RangeTombstones(*files_[i - 1], context_.tier);
      if (!list.ok()) {
        Close();
        status_ = list.status();
        return false;
      }
      Add(list->get());  // kept with the file
    }
    return true;
  }
  void Add(const RangeTombstoneFragments* list) {
    if (list == nullptr) return;
    tombstones_->Add(this, list);
    has_tombstones_ = true;
  }

  void RememberPrefix(const Slice& target) {
    wanted_.End();
    wanted_.Begin(context_.one_prefix_of(), ExtractUserKey(target));
  }
  // Returns whether file i begins after (ends before) all keys that the scan
  // may show. Without this check, the scan would read all files after one that
  // its filter skips.
  bool IsPastScan(size_t i) const {
    const Slice first = ExtractUserKey(files_[i]->meta.smallest);
    return wanted_.Leaves(first) ||
           (context_.upper_bound != nullptr &&
            index_.order().CompareUserKeys(first, *context_.upper_bound) >= 0);
  }
  bool IsBeforeScan(size_t i) const {
    const Slice last = ExtractUserKey(files_[i]->meta.largest);
    return wanted_.Leaves(last) ||
           (context_.lower_bound != nullptr &&
            index_.order().CompareUserKeys(last, *context_.lower_bound) < 0);
  }

  bool AtEndOfFile() const {
    return table_ != nullptr && !table_->Valid() && table_->status().ok();
  }
  void SkipEmptyForward() {
    while (AtEndOfFile()) PassForward(current_);
  }
  void SkipEmptyBackward() {
    while (AtEndOfFile()) PassBackward(current_);
  }
  // Moves to the beginning of the next file that may show an entry.
  void PassForward(size_t i) {
    for (++i; i < files_.size(); ++i) {
      if (IsPastScan(i)) {
        i = files_.size();
        break;
      }
      if (!IsHidden(i)) break;
    }
    if (Open(i)) table_->SeekToFirst();
  }
  void PassBackward(size_t i) {
    // Before the first file, i wraps around and ends the loop.
    for (--i; i < files_.size(); --i) {
      if (IsBeforeScan(i)) {
        i = files_.size();
        break;
      }
      if (!IsHidden(i)) break;
    }
    if (Open(i)) table_->SeekToLast();
  }
  // Returns whether known tombstones hide every entry of file i.
  bool IsHidden(size_t i) const {
    if (tombstones_ == nullptr || tombstones_->empty()) return false;
    const FileMetaData& meta = files_[i]->meta;
    return meta.seqnos_known &&
           tombstones_->HidesAll(ExtractUserKey(meta.smallest),
                                 ExtractUserKey(meta.largest),
                                 meta.largest_seqno);
  }

  // Returns whether the run hides the current entry by tombstones that are
  // newer than every entry of the file, and sets hidden_end_ to its end.
  bool FindEnd(const HiddenRun& hidden) {
    const FileMetaData& meta = files_[current_]->meta;
    if (!meta.seqnos_known || !hidden.Find(meta.largest_seqno, &hidden_end_)) {
      return false;
    }
    TAMIS_PERF_COUNT(internal_range_del_reseek_count, 1);
    return true;
  }

  const LevelIndex& index_;
  const std::span<const TableFilePtr> files_;
  const TableCache* const tables_;
  const ReadContext context_;
  RangeDelAggregator* const tombstones_;
  bool has_tombstones_ = false;  // of this iterator
  size_t current_ = 0;
  bool excluded_ = false;  // of file current_, if it is open
  TableReaderPtr reader_;  // must outlive table_
  std::unique_ptr<InternalIterator> table_;
  Status status_;
  std::string hidden_end_;  // scratch
  PrefixRun wanted_;        // with prefix_same_as_start: of the last key sought
};

}  // namespace

std::unique_ptr<InternalIterator> NewLevelIterator(
    const LevelIndex& index, const TableCache* tables,
    const ReadContext& context, RangeDelAggregator* tombstones) {
  return std::make_unique<LevelIterator>(index, tables, context, tombstones);
}

}  // namespace tamis
