// SPDX-License-Identifier: Apache-2.0
//
// What of a sorted walk over versions has to be written: flush and compaction
// both read their input through this. An older version that no snapshot can
// tell from a newer one is dropped, a tombstone with nothing left to hide too,
// and at the bottom of the tree a version that everybody sees loses its
// sequence number.
//
//   versions of one key, newest first, and two snapshots (5 and 9):
//     k@12 put | k@10 put | k@8 delete | k@3 put
//     kept       dropped    kept         kept      (k@12 hides k@10: both are
//                                                   newer than snapshot 9)
//
// Within one stripe (snapshot_stripes.h) besides:
//   merge, merge, put      one put, by the merge operator; without a base in
//                          the stripe one operand, where the operator can
//   single delete, put     nothing
//   what a range tombstone of the stripe covers    nothing
//
// What the merge operator cannot put together stays as it is: a flush never
// fails for it.
//
// One thread. Calls: (SeekToFirst | Seek) (Next)*
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/merge_operator.h"

#include "db/base/snapshot_stripes.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/range_tombstones.h"
#include "util/base/byte_buffer.h"

namespace tamis {

class CompactionIterator {
 public:
  struct Options {
    explicit Options(const KeyOrder& key_order) : order(key_order) {}
    KeyOrder order;
    // Held snapshots, ascending, taken with the Version the input is from.
    std::vector<SequenceNumber> snapshots;
    // Nothing below the output overlaps the range of the input: sequence
    // numbers may be zeroed.
    bool bottommost = false;
    // nullptr: operands stay as they are.
    const MergeOperator* merge_operator = nullptr;
    // Of the input; nullptr: none.
    const RangeTombstoneFragments* tombstones = nullptr;
  };
  struct Counts {
    uint64_t entries_read = 0;
    // Hidden by something newer, or gone into a merge.
    uint64_t dropped_hidden = 0;
    uint64_t dropped_obsolete = 0;  // tombstones with nothing below
  };
  // Whether a level below the output may hold the user key. Asked in
  // ascending order.
  using MayExistBelow = std::function<bool(const Slice& user_key)>;

  // `input` and what the options point to outlive the iterator.
  // may_exist_below: empty means always.
  CompactionIterator(InternalIterator* input, const Options& options,
                     MayExistBelow may_exist_below);

  void SeekToFirst();
  // To the first version of the first key at or behind this one.
  void Seek(const Slice& user_key);
  void Next();
  bool Valid() const { return valid_; }
  // NotSupported, naming it, for a kind of entry this release cannot compact.
  const Status& status() const { return status_; }

  // REQUIRES: Valid(). Live until the next move.
  Slice key() const {
    return {key_.data(), current_bytes_ + kInternalKeyTailBytes};
  }
  Slice value() const {
    return queue_.empty() ? input_->value() : Slice(queue_[queue_at_].value);
  }
  Slice user_key() const { return current(); }
  // The key of the entry is the same as that of the entry before it.
  bool same_user_key_as_previous() const { return same_as_previous_; }

  const Counts& counts() const { return counts_; }

 private:
  struct Entry {
    std::string key;
    std::string value;
  };
  // What already shown, or dropped, hides the rest of a stripe.
  enum class Newer : uint8_t { kNothing, kPut, kDeletion };
  // What a run of operands stands on.
  enum class Base : uint8_t { kUnknown, kNothing, kPut };

  void FindNextToKeep();
  bool ParseInput(ParsedInternalKey* parsed);
  void Enter(const ParsedInternalKey& parsed);
  void Advance();
  void DropHidden();

  // Each handles the entry of the input; true: there is something to show.
  bool Take(const ParsedInternalKey& parsed);
  bool TakePut(const ParsedInternalKey& parsed);
  bool TakeDeletion(const ParsedInternalKey& parsed);
  bool TakeSingleDeletion(const ParsedInternalKey& parsed);
  bool TakeOperands();

  // The input stands at a further version of the current key, of a kind that
  // can be compacted.
  bool AtSameKey(ParsedInternalKey* parsed) const;
  Slice current() const { return {key_.data(), current_bytes_}; }
  void SetCurrent(const Slice& user_key);
  bool IsCurrent(const Slice& user_key) const;
  bool Covered(const ParsedInternalKey& parsed) const {
    return parsed.sequence < covering_;
  }
  bool InStripe(const ParsedInternalKey& parsed) const {
    return stripes_.StripeOf(parsed.sequence) == stripe_;
  }
  bool NothingBelow(const Slice& user_key) const {
    return may_exist_below_ && !may_exist_below_(user_key);
  }
  Base BaseOfOperands() const;
  bool MergeFully(const Slice* base);
  void MergePartially();
  std::vector<Slice> OperandsOldestFirst() const;
  bool ShowQueue();
  void Show(const Slice& user_key, SequenceNumber sequence, ValueType type);

  InternalIterator* const input_;
  const Options options_;
  const SnapshotStripes stripes_;
  const MayExistBelow may_exist_below_;
  bool valid_ = false;
  Status status_;
  // The user key that the walk stands in, and behind it the tail of what is
  // shown.
  ByteBuffer key_;
  size_t current_bytes_ = 0;  // of the user key
  // Not empty: what is shown comes from here, and the input stands at an entry
  // that was not looked at. Empty: the input stands at what is shown.
  std::vector<Entry> queue_;
  size_t queue_at_ = 0;

  bool has_current_ = false;
  size_t stripe_ = 0;            // of the last version of the key
  SequenceNumber covering_ = 0;  // the newest tombstone that its readers see
  Newer newer_ = Newer::kNothing;
  bool shown_current_ = false;  // a version of it was kept
  bool same_as_previous_ = false;
  Counts counts_;
};

}  // namespace tamis
