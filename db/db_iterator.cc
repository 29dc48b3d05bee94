// SPDX-License-Identifier: Apache-2.0
//
// Forward, the iterator below stands on the version that is shown; its key is
// copied when the scan moves on, to tell the older versions. Backward it stands
// before all versions of the key that is shown, since the newest one is met
// last: key and value are then held here.
//
//   forward:   ... | a@3 | b@9 | b@4 | c@1 | ...     shows b@9
//                          ^ entries_
//   backward:  ... | a@3 | b@9 | b@4 | c@1 | ...     shows b@9, saved
//                    ^ entries_
//
// A key whose newest version is a merge operand shows what all operands down
// to the first other version come to. Forward, the iterator then stands where
// the last of them was found: on that version or behind it.
//
//   forward:   ... | b@9 merge | b@4 merge | b@2 put | b@1 | c@1 | ...
//                                            ^ entries_
//
// A version that a range tombstone hides counts as a deletion.
#include "db/db_iterator.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "db/version/prefix_run.h"
#include "table/key_buffer.h"
#include "table/merge_operands.h"
#include "util/base/exceptions.h"
#include "util/base/process.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

class DBIterator final : public Iterator {
 public:
  DBIterator(const KeyOrder& order, DBIteratorInputs inputs)
      : order_(order), in_(std::move(inputs)) {
    in_->tombstones->ReadAt(in_->sequence);
  }
  ~DBIterator() override {
    if (!in_.owner().IsCurrent()) return;
    in_->entries.reset();
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
    Guarded([this] { DoSeekToFirst(); });
  }
  void Seek(const Slice& target) override {
    Guarded([&] { DoSeek(target); });
  }
  void SeekToLast() override {
    Guarded([this] { DoSeekToLast(); });
  }
  void SeekForPrev(const Slice& target) override {
    Guarded([&] { DoSeekForPrev(target); });
  }
  void Next() override {
    Guarded([this] { DoNext(); });
  }
  void Prev() override {
    Guarded([this] { DoPrev(); });
  }

 private:
  // Moves in the owner's process alone; what is thrown ends the iteration.
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
  void Fail(Status status) {
    valid_ = false;
    status_ = std::move(status);
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
      // entries_ stands before the versions of the key that is shown, or at
      // the end if there is nothing before them.
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
    in_->scope->one_prefix = false;
    RecordTick(in_->statistics, NUMBER_DB_SEEK);
  }

  // prefix_same_as_start: from here on only keys with the prefix of `key` are
  // shown. Turning round seeks every table anew, at a key that is shown and so
  // has that prefix: what their filters let a seek skip is of no other prefix.
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
  // The last entry of a key before this one.
  void SeekEntriesBefore(const Slice& user_key) {
    PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
    const LookupKey first(user_key, kMaxSequenceNumber);
    in_->entries->SeekForPrev(first.internal_key());
    // `first` sorts before every stored version of user_key.
  }
  // The last entry, oldest version, of this key or one before it.
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
  // What is shown lies in saved_key_ and saved_value_.
  void ShowSaved() {
    key_ = saved_key_;
    value_ = saved_value_;
  }
  // Whether both are the same key. Mostly their last bytes tell.
  bool SameKey(const Slice& a, const Slice& b) const {
    if (a.size() >= sizeof(uint64_t) && a.size() == b.size() &&
        order_.equal_keys_have_equal_bytes() &&
        DecodeFixed64(a.end() - sizeof(uint64_t)) !=
            DecodeFixed64(b.end() - sizeof(uint64_t))) [[likely]] {
      return false;
    }
    return order_.CompareUserKeys(a, b) == 0;
  }
  bool IsBehindUpperBound(const Slice& user_key) const {
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

  // Of what entries_ stands at.
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
      status_ = Status::NotSupported(std::string("reading an entry of kind ") +
                                         ValueTypeName(parsed->type),
                                     PrintableInternalKey(in_->entries->key()));
      return false;
    }
    return true;
  }
  // Whether the version the iterator stands at, a visible one, is a tombstone
  // or hidden by one: it and all that is older than it are gone.
  bool IsGone(const ParsedInternalKey& parsed) const {
    return (parsed.type != kTypeValue && parsed.type != kTypeMerge) ||
           (!in_->tombstones->empty() &&
            in_->tombstones->Covering(parsed.user_key) > parsed.sequence);
  }

  // Moves forward to the first key whose newest visible version is not gone.
  // skip_saved: versions of saved_key_ are behind us.
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
      if (IsBehindUpperBound(parsed.user_key)) return;
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

  // entries_ stands on a merge operand, the newest visible version of
  // saved_key_. Moves on to what the operands were written over and shows what
  // they come to. False: no telling.
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
    // A scan that broke off may have missed older operands, or the base.
    return in_->entries->status().ok() &&
           Merge(/*base=*/nullptr, /*newest_first=*/true);
  }

  void AddOperand(const Slice& operand) {
    if (num_operands_ == operands_.size()) operands_.emplace_back();
    operands_[num_operands_++].assign(operand.data(), operand.size());
  }

  // saved_value_ = the operands over the base, which may lie in saved_value_.
  bool Merge(const Slice* base, bool newest_first) {
    operand_list_.assign(
        operands_.begin(),
        operands_.begin() + static_cast<std::ptrdiff_t>(num_operands_));
    if (newest_first) std::reverse(operand_list_.begin(), operand_list_.end());
    status_ = FullMerge(in_->merge_operator, saved_key_, base, operand_list_,
                        &merge_result_);
    if (!status_.ok()) return false;
    saved_value_.swap(merge_result_);
    ShowSaved();
    return true;
  }

  // entries_ stands on the oldest version of some key, or at the end. Moves
  // back to the first key whose newest visible version is not gone, and behind
  // it (that is: before all its versions). Versions come oldest first: each
  // may be replaced by the next.
  void FindPrevious() {
    valid_ = false;
    merged_ = false;
    bool found = false;  // a version of saved_key_ that is not gone
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
      // Newer than what was seen of this key so far.
      if (IsGone(parsed)) {
        TAMIS_PERF_COUNT(internal_delete_skipped_count, 1);
        found = false;
        continue;
      }
      const bool is_base = parsed.type == kTypeValue;
      // Every time: the order may call keys of other bytes the same.
      SaveKey(parsed.user_key);
      if (!found || is_base) {
        num_operands_ = 0;
        have_base = is_base;
        found = true;
      }
      const Slice value = in_->entries->value();
      if (is_base) {
        saved_value_.assign(value.data(), value.size());
      } else {
        AddOperand(value);
      }
    }
    // A scan that broke off may have missed the newest version.
    if (!found || !in_->entries->status().ok()) return;
    const Slice base(saved_value_);
    ShowSaved();
    valid_ = num_operands_ == 0 ||
             Merge(have_base ? &base : nullptr, /*newest_first=*/false);
  }

  const KeyOrder order_;
  ProcessOwned<DBIteratorInputs> in_;
  bool valid_ = false;
  bool forward_ = true;
  bool merged_ = false;  // forward: the value is saved_value_
  Slice key_;            // what is shown, while valid_
  Slice value_;
  KeyBuffer key_buffer_;
  // In key_buffer_: the last key that was shown or is gone; backward, and
  // merged_: the one that is shown.
  Slice saved_key_;
  std::string saved_value_;  // backward, or merged_: what is shown
  // Of saved_key_, while they are collected; they keep their memory.
  std::vector<std::string> operands_;
  size_t num_operands_ = 0;
  std::vector<Slice> operand_list_;
  std::string merge_result_;
  PrefixRun shown_;  // of one prefix: scope->one_prefix
  Status status_;
};

}  // namespace

std::unique_ptr<Iterator> NewDBIterator(const KeyOrder& order,
                                        DBIteratorInputs inputs) {
  return std::make_unique<DBIterator>(order, std::move(inputs));
}

}  // namespace tamis
