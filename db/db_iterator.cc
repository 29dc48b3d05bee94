// SPDX-License-Identifier: Apache-2.0
//
// Forward, `entries` is at the version shown. Next saves its key, to recognize
// and skip the older versions. Backward, `entries` is before all versions of
// the key shown, because the newest version comes last; the key is a copy, and
// so is the value, unless it is large and its block can be pinned.
//
//   forward:   ... | a@3 | b@9 | b@4 | c@1 | ...     shows b@9
//                          ^ entries
//   backward:  ... | a@3 | b@9 | b@4 | c@1 | ...     shows b@9, saved
//                    ^ entries
//
// If the newest version of a key is a merge operand, the value shown is the
// result of all operands down to the first other version. Forward, `entries` is
// then at that version, or at the first entry after the key.
//
//   forward:   ... | b@9 merge | b@4 merge | b@2 put | b@1 | c@1 | ...
//                                            ^ entries
//
// A version that a range tombstone hides counts as a deletion.
#include "db/db_iterator.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "db/saved_value.h"
#include "db/version/prefix_run.h"
#include "table/key_buffer.h"
#include "table/merge_operands.h"
#include "util/base/exceptions.h"
#include "util/base/process.h"
#include "util/base/result.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

class DBIterator final : public Iterator {
 public:
  DBIterator(const KeyOrder& order, DBIteratorInputs inputs)
      : order_(order), in_(std::move(inputs)) {
    in_->tombstones->ReadAt(in_->sequence);
    RecordTick(in_->statistics, NO_ITERATOR_CREATED);
  }
  ~DBIterator() override {
    if (!in_.owner().IsCurrent()) {
      saved_value_.Abandon();
      return;
    }
    saved_value_.Release();
    in_->entries.reset();
    RecordTick(in_->statistics, NO_ITERATOR_DELETED);
    in_->state.reset();
    in_->family.reset();
    if (in_->on_close) in_->on_close();
  }

  bool Valid() const override { return valid_; }
  Status status() const override {
    return CatchExceptions(
        [this] { return status_.ok() ? in_->entries->status() : status_; });
  }
  Slice key() const override { return key_; }
  Slice value() const override { return value_; }

  void SeekToFirst() override {
    Guarded([this] { Timed([this] { DoSeekToFirst(); }); });
  }
  void Seek(const Slice& target) override {
    Guarded([&] { Timed([&] { DoSeek(target); }); });
  }
  void SeekToLast() override {
    Guarded([this] { Timed([this] { DoSeekToLast(); }); });
  }
  void SeekForPrev(const Slice& target) override {
    Guarded([&] { Timed([&] { DoSeekForPrev(target); }); });
  }
  Status Refresh() override {
    if (!in_.owner().IsCurrent())
      return OfOtherProcess("an iterator", in_.owner());
    return CatchExceptions([this] { return DoRefresh(); });
  }
  void Next() override {
    Guarded([this] { DoNext(); });
  }
  void Prev() override {
    Guarded([this] { DoPrev(); });
  }

 private:
  // Moves only in the owner process. An exception ends the iteration.
  template <typename Move>
  void Guarded(const Move& move) {
    if (!in_.owner().IsCurrent()) [[unlikely]] {
      Fail(OfOtherProcess("an iterator", in_.owner()));
      return;
    }
    try {
      move();
    } catch (abi::__forced_unwind&) {
      throw;
    } catch (...) {
      Fail(StatusOfException());
    }
  }
  template <typename Seek>
  void Timed(const Seek& seek) {
    const HistogramTimer timing(in_->statistics, DB_SEEK);
    seek();
  }
  void Fail(Status status) {
    valid_ = false;
    status_ = std::move(status);
  }

  Status DoRefresh() {
    if (!in_->renew) return Iterator::Refresh();
    if (in_->options.snapshot != nullptr) {
      return Status::NotSupported("Refresh", "of an iterator of a snapshot");
    }
    DBIteratorInputs fresh;
    TAMIS_RETURN_IF_ERROR(in_->renew(*in_, &fresh));
    fresh.tombstones->ReadAt(fresh.sequence);
    // Nothing throws from here on. The old inputs go as in the destructor, only
    // that the family stays.
    Fail(Status::OK());
    shown_.End();
    saved_value_.Release();
    in_->entries.reset();
    in_->state.reset();
    if (in_->on_close) in_->on_close();
    *in_ = std::move(fresh);
    return Status::OK();
  }

  void DoSeekToFirst() {
    Start(/*forward=*/true);
    if (in_->options.iterate_lower_bound != nullptr) {
      StayInPrefixOf(*in_->options.iterate_lower_bound);
      SeekEntries(*in_->options.iterate_lower_bound);
    } else {
      PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
      in_->entries->SeekToFirst();
    }
    FindNext(/*skip_saved=*/false);
    if (valid_ && in_->options.iterate_lower_bound == nullptr) {
      StayInPrefixOf(key_);
    }
    CountSeek();
  }

  void DoSeek(const Slice& target) {
    Start(/*forward=*/true);
    StayInPrefixOf(target);
    const Slice* lower = in_->options.iterate_lower_bound;
    SeekEntries(lower != nullptr && order_.CompareUserKeys(target, *lower) < 0
                    ? *lower
                    : target);
    FindNext(/*skip_saved=*/false);
    CountSeek();
  }

  void DoSeekToLast() {
    Start(/*forward=*/false);
    if (in_->options.iterate_upper_bound != nullptr) {
      StayInPrefixOf(*in_->options.iterate_upper_bound);
      SeekEntriesBefore(*in_->options.iterate_upper_bound);
    } else {
      in_->entries->SeekToLast();
    }
    FindPrevious();
    if (valid_ && in_->options.iterate_upper_bound == nullptr) {
      StayInPrefixOf(key_);
    }
    CountSeek();
  }

  void DoSeekForPrev(const Slice& target) {
    Start(/*forward=*/false);
    StayInPrefixOf(target);
    const Slice* upper = in_->options.iterate_upper_bound;
    if (upper != nullptr && order_.CompareUserKeys(target, *upper) >= 0) {
      SeekEntriesBefore(*upper);
    } else {
      SeekEntriesAtOrBefore(target);
    }
    FindPrevious();
    CountSeek();
  }

  void DoNext() {
    RecordTick(in_->statistics, NUMBER_DB_NEXT);
    PerfTimer timer(&tls_perf_context.find_next_user_entry_time);
    if (forward_ && !merged_) [[likely]] {
      SaveKey(key_);
      in_->entries->Next();
    } else if (!forward_) {
      // `entries` is before all versions of the key shown, or not valid if
      // nothing precedes them.
      forward_ = true;
      SeekEntries(saved_key_);
    }
    FindNext(/*skip_saved=*/true);
    if (valid_) RecordTick(in_->statistics, NUMBER_DB_NEXT_FOUND);
    CountBytes();
  }

  void DoPrev() {
    RecordTick(in_->statistics, NUMBER_DB_PREV);
    PerfTimer timer(&tls_perf_context.find_next_user_entry_time);
    if (forward_) {
      forward_ = false;
      SeekEntriesBefore(key_);
    }
    FindPrevious();
    if (valid_) RecordTick(in_->statistics, NUMBER_DB_PREV_FOUND);
    CountBytes();
  }

  void Start(bool forward) {
    valid_ = false;
    forward_ = forward;
    status_ = Status::OK();
    shown_.End();
    saved_value_.Release();
    in_->scope->one_prefix = false;
    RecordTick(in_->statistics, NUMBER_DB_SEEK);
  }

  // With prefix_same_as_start, shows only keys with the prefix of `key` until
  // the next Start. A change of direction seeks every table at the key shown,
  // which has that prefix, so tables that filters skip have no key to show.
  void StayInPrefixOf(const Slice& key) {
    if (!in_->options.prefix_same_as_start) return;
    shown_.Begin(in_->prefix_extractor, key);
    in_->scope->one_prefix = shown_.is_one_prefix();
  }

  void CountSeek() {
    if (valid_) RecordTick(in_->statistics, NUMBER_DB_SEEK_FOUND);
    CountBytes();
  }
  void CountBytes() {
    if (!valid_) return;
    const uint64_t bytes = key_.size() + value_.size();
    TAMIS_PERF_COUNT(iter_read_bytes, bytes);
    RecordTick(in_->statistics, ITER_BYTES_READ, bytes);
  }

  void SeekEntries(const Slice& user_key) {
    PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
    const LookupKey target(user_key, in_->sequence);
    in_->entries->Seek(target.internal_key());
  }
  // Moves to the last entry of the keys before this one.
  void SeekEntriesBefore(const Slice& user_key) {
    PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
    const LookupKey first(user_key, kMaxSequenceNumber);
    in_->entries->SeekForPrev(first.internal_key());
    // `first` sorts before every stored version of user_key.
  }
  // Moves to the oldest version of this key, or the last entry before the key.
  void SeekEntriesAtOrBefore(const Slice& user_key) {
    PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
    char tail[kInternalKeyTailBytes];
    EncodeFixed64(tail, PackSequenceAndType(0, kTypeDeletion));
    KeyBuffer last;
    in_->entries->SeekForPrev(
        last.Assemble(user_key, user_key.size(), Slice(tail, sizeof(tail))));
  }

  void SaveKey(const Slice& user_key) {
    saved_key_ = key_buffer_.Assign(user_key);
  }
  // Shows saved_key_ and saved_value_.
  void ShowSaved() {
    key_ = saved_key_;
    value_ = saved_value_.get();
  }
  // Returns whether both are the same key. The last bytes of different keys
  // usually differ, so they are compared first.
  bool SameKey(const Slice& a, const Slice& b) const {
    if (a.size() >= sizeof(uint64_t) && a.size() == b.size() &&
        order_.equal_keys_have_equal_bytes() &&
        DecodeFixed64(a.end() - sizeof(uint64_t)) !=
            DecodeFixed64(b.end() - sizeof(uint64_t))) [[likely]] {
      return false;
    }
    return order_.CompareUserKeys(a, b) == 0;
  }
  bool IsPastUpperBound(const Slice& user_key) const {
    const Slice* const upper = in_->options.iterate_upper_bound;
    return upper != nullptr && order_.CompareUserKeys(user_key, *upper) >= 0;
  }
  bool IsBeforeLowerBound(const Slice& user_key) const {
    const Slice* const lower = in_->options.iterate_lower_bound;
    return lower != nullptr && order_.CompareUserKeys(user_key, *lower) < 0;
  }
  bool IsOfOtherPrefix(const Slice& user_key) const {
    return shown_.is_one_prefix() && shown_.Leaves(user_key);
  }

  // Parses the current entry. Returns false after an error, which is in
  // status_.
  bool Parse(ParsedInternalKey* parsed) {
    const Slice key = in_->entries->key();
    if (key.size() >= kInternalKeyTailBytes) [[likely]] {
      const uint64_t tail = ExtractTail(key);
      if ((tail & 0xff) == kTypeValue) [[likely]] {
        parsed->user_key = ExtractUserKey(key);
        parsed->sequence = tail >> 8;
        parsed->type = kTypeValue;
        return true;
      }
    }
    return ParseOther(parsed);
  }
  bool ParseOther(ParsedInternalKey* parsed) {
    if (!ParseInternalKey(in_->entries->key(), parsed)) {
      status_ = Status::Corruption("an entry of a kind that is never stored",
                                   PrintableInternalKey(in_->entries->key()));
      return false;
    }
    if (parsed->type != kTypeValue && parsed->type != kTypeMerge &&
        parsed->type != kTypeDeletion && parsed->type != kTypeSingleDeletion) {
      status_ = Status::NotSupported(
          std::string("an iterator over an entry of type ") +
              ValueTypeName(parsed->type),
          PrintableInternalKey(in_->entries->key()));
      return false;
    }
    return true;
  }
  // Returns whether the current version is a tombstone or hidden by a range
  // tombstone, so that it and all older versions are deleted. REQUIRES: the
  // version is visible.
  bool IsGone(const ParsedInternalKey& parsed) const {
    return (parsed.type != kTypeValue && parsed.type != kTypeMerge) ||
           (!in_->tombstones->empty() &&
            in_->tombstones->Covering(parsed.user_key) > parsed.sequence);
  }

  // Moves forward to the first key whose newest visible version is not gone.
  // If skip_saved, first skips further versions of saved_key_.
  void FindNext(bool skip_saved) {
    valid_ = false;
    merged_ = false;
    for (; in_->entries->Valid(); in_->entries->Next()) {
      ParsedInternalKey parsed;
      if (!Parse(&parsed)) return;
      if (parsed.sequence > in_->sequence) {
        TAMIS_PERF_COUNT(internal_key_skipped_count, 1);
        continue;
      }
      if (skip_saved && SameKey(parsed.user_key, saved_key_)) {
        TAMIS_PERF_COUNT(internal_key_skipped_count, 1);
        continue;
      }
      if (IsPastUpperBound(parsed.user_key)) return;
      if (IsOfOtherPrefix(parsed.user_key)) return;
      if (!IsGone(parsed)) {
        if (parsed.type == kTypeValue) [[likely]] {
          key_ = parsed.user_key;
          value_ = in_->entries->value();
          valid_ = true;
        } else {
          SaveKey(parsed.user_key);
          valid_ = MergeForward();
        }
        return;
      }
      SaveKey(parsed.user_key);
      TAMIS_PERF_COUNT(internal_delete_skipped_count, 1);
      skip_saved = true;
    }
  }

  // Moves over the operands to their base and shows the result. Returns false
  // after an error. REQUIRES: `entries` is at a merge operand, the newest
  // visible version of saved_key_.
  bool MergeForward() {
    merged_ = true;
    num_operands_ = 0;
    AddOperand(in_->entries->value());
    for (in_->entries->Next(); in_->entries->Valid(); in_->entries->Next()) {
      ParsedInternalKey parsed;
      if (!Parse(&parsed)) return false;
      if (!SameKey(parsed.user_key, saved_key_) || IsGone(parsed)) {
        return Merge(/*base=*/nullptr, /*newest_first=*/true);
      }
      if (parsed.type == kTypeValue) {
        const Slice base = in_->entries->value();
        return Merge(&base, /*newest_first=*/true);
      }
      AddOperand(in_->entries->value());
    }
    // After an error, older operands or the base may be missing.
    return in_->entries->status().ok() &&
           Merge(/*base=*/nullptr, /*newest_first=*/true);
  }

  void AddOperand(const Slice& operand) {
    if (num_operands_ == operands_.size()) operands_.emplace_back();
    operands_[num_operands_++].assign(operand.data(), operand.size());
  }

  // Shows the operands applied to the base, which may be in saved_value_.
  bool Merge(const Slice* base, bool newest_first) {
    operand_list_.assign(
        operands_.begin(),
        operands_.begin() + static_cast<std::ptrdiff_t>(num_operands_));
    if (newest_first) std::reverse(operand_list_.begin(), operand_list_.end());
    status_ = FullMerge(in_->merge_with, saved_key_, base, operand_list_,
                        &merge_result_);
    if (!status_.ok()) return false;
    saved_value_.Swap(&merge_result_);
    ShowSaved();
    return true;
  }

  // Moves back to the first key whose newest visible version is not gone, and
  // then before all versions of that key. Versions come oldest first; each may
  // replace the previous one. REQUIRES: `entries` is at the oldest version of a
  // key, or not valid.
  void FindPrevious() {
    valid_ = false;
    merged_ = false;
    bool found = false;  // saved_key_ has a version that is not gone
    bool have_base = false;
    for (; in_->entries->Valid(); in_->entries->Prev()) {
      ParsedInternalKey parsed;
      if (!Parse(&parsed)) return;
      if (parsed.sequence > in_->sequence) {
        TAMIS_PERF_COUNT(internal_key_skipped_count, 1);
        continue;
      }
      if (found && !SameKey(parsed.user_key, saved_key_)) {
        break;  // all versions of saved_key_ were seen
      }
      if (IsBeforeLowerBound(parsed.user_key)) break;
      if (IsOfOtherPrefix(parsed.user_key)) break;
      // This version is newer than all seen before of this key.
      if (IsGone(parsed)) {
        TAMIS_PERF_COUNT(internal_delete_skipped_count, 1);
        found = false;
        continue;
      }
      const bool is_base = parsed.type == kTypeValue;
      // Saved each time, because equal keys may have different bytes.
      SaveKey(parsed.user_key);
      if (!found || is_base) {
        num_operands_ = 0;
        have_base = is_base;
        found = true;
      }
      if (is_base) {
        saved_value_.Save(in_->entries.get());
      } else {
        AddOperand(in_->entries->value());
      }
    }
    // After an error, the newest version may be missing.
    if (!found || !in_->entries->status().ok()) return;
    ShowSaved();
    const Slice base = saved_value_.get();
    valid_ = num_operands_ == 0 ||
             Merge(have_base ? &base : nullptr, /*newest_first=*/false);
  }

  const KeyOrder order_;
  ProcessOwned<DBIteratorInputs> in_;
  bool valid_ = false;
  bool forward_ = true;
  bool merged_ = false;  // if forward_, whether the value is saved_value_
  Slice key_;            // the entry shown, while valid_
  Slice value_;
  KeyBuffer key_buffer_;
  // The last key that was shown or is gone, in key_buffer_. Backward or with
  // merged_, it is the key shown.
  Slice saved_key_;
  SavedValue saved_value_;  // the value shown, backward or with merged_
  // The first num_operands_ are saved_key_'s; the others only keep memory.
  std::vector<std::string> operands_;
  size_t num_operands_ = 0;
  std::vector<Slice> operand_list_;
  std::string merge_result_;
  PrefixRun shown_;  // its is_one_prefix() equals scope->one_prefix
  Status status_;
};

}  // namespace

std::unique_ptr<Iterator> NewDBIterator(const KeyOrder& order,
                                        DBIteratorInputs inputs) {
  return std::make_unique<DBIterator>(order, std::move(inputs));
}

}  // namespace tamis
