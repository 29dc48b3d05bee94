// SPDX-License-Identifier: Apache-2.0
//
// Forward, `entries` is at the version shown. Next saves its key, to recognize
// and skip the older versions. Backward, `entries` is before all versions of
// the key shown, because the newest version comes last; both are saved.
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

#include <string>
#include <utility>

#include "db/db_iterator_parts.h"
#include "db/saved_value.h"
#include "db/version/prefix_run.h"
#include "table/key_buffer.h"
#include "table/merge_operands.h"
#include "util/base/exceptions.h"
#include "util/base/process.h"
#include "util/base/result.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

class DBIterator final : public Iterator {
 public:
  DBIterator(const KeyOrder& order, DBIteratorInputs inputs)
      : order_(order), in_(std::move(inputs)) {
    in_->tombstones->ReadAt(in_->sequence);
    if (in_->options.pin_data) pinned_ = std::make_unique<PinnedKeys>();
    max_skipped_ = in_->options.max_skippable_internal_keys - 1;
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
    GuardedSeek([this] { DoSeekToFirst(); });
  }
  void Seek(const Slice& target) override {
    GuardedSeek([this](const Slice& to) { DoSeek(to); }, target);
  }
  void SeekToLast() override {
    GuardedSeek([this] { DoSeekToLast(); });
  }
  void SeekForPrev(const Slice& target) override {
    GuardedSeek([this](const Slice& to) { DoSeekForPrev(to); }, target);
  }
  Status Refresh() override {
    if (!in_.owner().IsCurrent())
      return OfOtherProcess("an iterator", in_.owner());
    return CatchExceptions([this] { return DoRefresh(); });
  }
  Status GetProperty(std::string name, std::string* value) override {
    const Status status = Iterator::GetProperty(std::move(name), value);
    if (status.ok() && valid_ && pinned_ != nullptr) *value = "1";
    return status;
  }
  void Next() override {
    Guarded([this] {
      if (in_->catch_up) [[unlikely]] {
        FollowToNext();
      } else {
        DoNext();
      }
    });
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
  // Calls seek(target...) by the same rules. `target` may be in memory of this
  // iterator.
  template <typename Seek, typename... Target>
  void GuardedSeek(const Seek& seek, const Target&... target) {
    Guarded([&] {
      const SeekTimer timer(in_->statistics);
      if (!in_->catch_up) [[likely]]
        return seek(target...);
      const auto follow = [&](const auto&... copy) {
        if (CatchUp()) seek(Slice(copy)...);
      };
      follow(target.ToString()...);
    });
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
    TAMIS_RETURN_IF_ERROR(Renew());
    if (pinned_ != nullptr) pinned_ = std::make_unique<PinnedKeys>();
    return Status::OK();
  }

  // With ReadOptions::tailing: makes the inputs show the present state. Returns
  // false after an error, which is in status_.
  bool CatchUp() {
    if (in_->catch_up(&*in_)) return true;
    Status status = Renew();
    if (!status.ok()) Fail(std::move(status));
    return status_.ok();
  }

  // Next, with ReadOptions::tailing. If the inputs must be renewed, finds the
  // place again.
  void FollowToNext() {
    if (in_->catch_up(&*in_)) return DoNext();
    const std::string key = key_.ToString();
    if (!CatchUp()) return;
    DoSeek(key);
    if (valid_ && AreSameKey(order_, key_, key)) DoNext();
  }

  Status Renew() {
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
      SeekBeforeKey(*in_->options.iterate_upper_bound, in_->entries.get());
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
      SeekBeforeKey(*upper, in_->entries.get());
    } else {
      SeekToOldestOrBefore(target, in_->entries.get());
    }
    FindPrevious();
    CountSeek();
  }

  void DoNext() {
    skipped_ = 0;
    RecordTick(in_->statistics, NUMBER_DB_NEXT);
    const StepTimer timer(&tls_perf_context.iter_next_cpu_nanos);
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
    skipped_ = 0;
    RecordTick(in_->statistics, NUMBER_DB_PREV);
    const StepTimer timer(&tls_perf_context.iter_prev_cpu_nanos);
    if (forward_) {
      forward_ = false;
      SeekBeforeKey(key_, in_->entries.get());
    }
    FindPrevious();
    if (valid_) RecordTick(in_->statistics, NUMBER_DB_PREV_FOUND);
    CountBytes();
  }

  void Start(bool forward) {
    valid_ = false;
    skipped_ = 0;
    forward_ = forward;
    status_ = Status::OK();
    shown_.End();
    saved_value_.Release();
    BeginSeek(in_->scope.get());
    RecordTick(in_->statistics, NUMBER_DB_SEEK);
  }

  // With prefix_same_as_start, shows only keys with the prefix of `key` until
  // the next Start. A change of direction seeks every table at the key shown,
  // which has that prefix, so tables that filters skip have no key to show.
  void StayInPrefixOf(const Slice& key) {
    if (!in_->options.prefix_same_as_start) return;
    shown_.Begin(in_->prefix_extractor, key);
    in_->scope->one_prefix_of = shown_.extractor();
  }

  void CountSeek() {
    if (valid_) RecordTick(in_->statistics, NUMBER_DB_SEEK_FOUND);
    CountBytes();
  }
  void CountBytes() {
    if (!valid_) return;
    if (pinned_ != nullptr) key_ = pinned_->Keep(key_);
    const uint64_t bytes = key_.size() + value_.size();
    TAMIS_PERF_COUNT(iter_read_bytes, bytes);
    RecordTick(in_->statistics, ITER_BYTES_READ, bytes);
  }

  // Counts an entry that is not shown. Returns whether that makes more than
  // max_skippable_internal_keys; status_ is then Incomplete.
  bool HasSkippedTooMany() {
    if (skipped_++ <= max_skipped_) [[likely]]
      return false;
    status_ = Status::Incomplete("Too many internal keys skipped.");
    return true;
  }

  void SeekEntries(const Slice& user_key) {
    SeekToKey(user_key, in_->sequence, in_->entries.get());
  }

  void SaveKey(const Slice& user_key) {
    saved_key_ = key_buffer_.Assign(user_key);
  }
  void ShowSaved() {
    key_ = saved_key_;
    value_ = saved_value_.get();
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
    past_gone_.Begin();
    while (in_->entries->Valid()) {
      ParsedInternalKey parsed;
      if (!ParseStoredEntry(in_->entries->key(), &parsed, &status_)) return;
      const bool too_new = parsed.sequence > in_->sequence;
      if (too_new ||
          (skip_saved && AreSameKey(order_, parsed.user_key, saved_key_))) {
        CountSkipped(too_new);
        if (HasSkippedTooMany()) return;
        in_->entries->Next();
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
      if (HasSkippedTooMany()) return;
      skip_saved = true;
      past_gone_.Next(parsed, *in_->tombstones, in_->entries.get());
    }
  }

  // Moves over the operands to their base and shows the result. Returns false
  // after an error. REQUIRES: `entries` is at a merge operand, the newest
  // visible version of saved_key_.
  bool MergeForward() {
    merged_ = true;
    operands_.Clear();
    operands_.Add(in_->entries->value());
    for (in_->entries->Next(); in_->entries->Valid(); in_->entries->Next()) {
      ParsedInternalKey parsed;
      if (!ParseStoredEntry(in_->entries->key(), &parsed, &status_))
        return false;
      if (!AreSameKey(order_, parsed.user_key, saved_key_) || IsGone(parsed)) {
        return Merge(/*base=*/nullptr, /*newest_first=*/true);
      }
      if (parsed.type == kTypeValue) {
        const Slice base = in_->entries->value();
        return Merge(&base, /*newest_first=*/true);
      }
      operands_.Add(in_->entries->value());
    }
    // After an error, older operands or the base may be missing.
    return in_->entries->status().ok() &&
           Merge(/*base=*/nullptr, /*newest_first=*/true);
  }

  // Shows the operands applied to the base, which may be in saved_value_.
  bool Merge(const Slice* base, bool newest_first) {
    status_ = operands_.Merge(in_->merge_with, saved_key_, base, newest_first,
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
    past_gone_.Begin();
    while (in_->entries->Valid()) {
      ParsedInternalKey parsed;
      if (!ParseStoredEntry(in_->entries->key(), &parsed, &status_)) return;
      if (parsed.sequence > in_->sequence) {
        TAMIS_PERF_COUNT(internal_recent_skipped_count, 1);
        if (HasSkippedTooMany()) return;
        in_->entries->Prev();
        continue;
      }
      // If another key comes, all versions of saved_key_ were seen.
      if (found && !AreSameKey(order_, parsed.user_key, saved_key_)) break;
      if (IsBeforeLowerBound(parsed.user_key)) break;
      if (IsOfOtherPrefix(parsed.user_key)) break;
      // This version is newer than all seen before of this key.
      if (IsGone(parsed)) {
        TAMIS_PERF_COUNT(internal_delete_skipped_count, 1);
        if (HasSkippedTooMany()) return;
        found = false;
        past_gone_.Prev(parsed, *in_->tombstones, in_->entries.get());
        continue;
      }
      if (found && HasSkippedTooMany()) return;  // an older version
      const bool is_base = parsed.type == kTypeValue;
      // Saved each time, because equal keys may have different bytes.
      SaveKey(parsed.user_key);
      if (!found || is_base) {
        operands_.Clear();
        have_base = is_base;
        found = true;
      }
      if (is_base) {
        saved_value_.Save(in_->entries.get());
      } else {
        operands_.Add(in_->entries->value());
      }
      in_->entries->Prev();
    }
    // After an error, the newest version may be missing.
    if (!found || !in_->entries->status().ok()) return;
    ShowSaved();
    const Slice base = saved_value_.get();
    valid_ = operands_.empty() ||
             Merge(have_base ? &base : nullptr, /*newest_first=*/false);
  }

  const KeyOrder order_;
  ProcessOwned<DBIteratorInputs> in_;
  bool valid_ = false;
  bool forward_ = true;
  uint64_t max_skipped_;                // less 1: 0, no limit, is the largest
  uint64_t skipped_ = 0;                // entries, by the present call
  std::unique_ptr<PinnedKeys> pinned_;  // with pin_data
  bool merged_ = false;  // if forward_, whether the value is saved_value_
  Slice key_;            // the entry shown, while valid_
  Slice value_;
  KeyBuffer key_buffer_;
  // The last key that was shown or is gone, in key_buffer_. Backward or with
  // merged_, it is the key shown.
  Slice saved_key_;
  SavedValue saved_value_;    // the value shown, backward or with merged_
  OperandList operands_;      // of saved_key_
  std::string merge_result_;  // scratch
  PastGone past_gone_{order_};
  PrefixRun shown_;  // its extractor() is scope->one_prefix_of
  Status status_;
};

}  // namespace

std::unique_ptr<Iterator> NewDBIterator(const KeyOrder& order,
                                        DBIteratorInputs inputs) {
  return std::make_unique<DBIterator>(order, std::move(inputs));
}

}  // namespace tamis
