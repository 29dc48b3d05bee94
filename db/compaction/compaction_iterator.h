// SPDX-License-Identifier: Apache-2.0
//
// Reduces a sorted sequence of versions to those that must be written. Flushes
// and compactions read their input through it. It drops versions that a newer
// one hides from every snapshot, and tombstones with nothing left to hide. At
// the bottom of the tree, it zeroes the sequence number of a put that every
// reader sees.
//
//   versions of one key, newest first, and two snapshots (5 and 9):
//     k@12 put | k@10 put | k@8 delete | k@3 put
//     kept       dropped    kept         kept      (k@12 hides k@10: both are
//                                                   newer than snapshot 9)
//
// Within one stripe (snapshot_stripes.h), it also combines versions:
//   merge..., put            become one put
//   merge..., no base        become one put if no older value can exist
//   merge..., unknown base   become one operand if PartialMergeMulti can
//   single delete, put       are both dropped
//   single delete, delete    become the older tombstone, which may also be a
//                            single delete
//   single delete, merge     keep the operand, and a delete replaces the single
//                            delete
// It drops versions that a range tombstone of the stripe covers.
//
// Before that, it shows the user's compaction filter, if there is one, the
// newest version of each key, if that is a put, and operands:
//   put removed              becomes a delete, or a single delete (kPurge)
//   operand removed          is as if it had not been written
//   skip until a key         the newest version of each key before that one is
//                            removed, with operands and what they apply to
//
// It keeps operands if the merge operator fails or the result exceeds 1 GiB, so
// that neither fails a flush.
//
// One thread. Calls: (SeekToFirst | Seek) (Next)*, once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/base/snapshot_stripes.h"
#include "db/compaction/entry_filter.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/merge_operands.h"
#include "table/range_tombstones.h"
#include "util/base/byte_buffer.h"

namespace tamis {

class CompactionIterator {
 public:
  struct Options {
    explicit Options(const KeyOrder& key_order) : order(key_order) {}
    KeyOrder order;
    // The held snapshots, ascending. The caller takes them and the input's
    // Version or memtables without releasing the database mutex in between.
    std::vector<SequenceNumber> snapshots;
    // No level below the output overlaps the range of the input, so sequence
    // numbers may be zeroed.
    bool bottommost = false;
    // If nullptr, operands are kept unmerged.
    MergeWith merge_with;
    // The input's range tombstones; nullptr if it has none.
    const RangeTombstoneFragments* tombstones = nullptr;
    EntryFilter* filter = nullptr;  // nullptr if there is none
  };
  struct Counts {
    uint64_t entries_read = 0;
    // Versions that another version made unnecessary, and operands that were
    // merged.
    uint64_t dropped_hidden = 0;
    uint64_t dropped_covered = 0;   // by a range tombstone
    uint64_t dropped_obsolete = 0;  // tombstones that are no longer needed
    // Puts and operands that the filter removed. Those that became a deletion
    // may be shown; the others are in dropped_obsolete, too. Entries that were
    // skipped unread are in no count.
    uint64_t removed_by_filter = 0;

    uint64_t dropped() const {
      return dropped_hidden + dropped_covered + dropped_obsolete;
    }
  };
  // Returns whether a level below the output may hold the user key. The keys of
  // the calls ascend.
  using MayExistBelow = std::function<bool(const Slice& user_key)>;

  // `input` and the objects that the options point to must outlive the
  // iterator. An empty may_exist_below means always true.
  CompactionIterator(InternalIterator* input, const Options& options,
                     MayExistBelow may_exist_below);

  void SeekToFirst();
  // Moves to the first kept version of a user key >= user_key.
  void Seek(const Slice& user_key);
  // REQUIRES: Valid()
  void Next();
  bool Valid() const { return valid_; }
  // Returns the error that ended the iteration, or OK. It is the input's error,
  // Corruption if an entry has a type that is never stored, or NotSupported if
  // this release cannot compact the entry's type; the message names the entry.
  // Or it is the filter's error.
  const Status& status() const { return status_; }

  // REQUIRES, for the next four: Valid(). Slices are valid until the next move.
  Slice key() const {
    return {key_.data(), current_bytes_ + kInternalKeyTailBytes};
  }
  Slice value() const {
    return queue_.empty() ? input_->value() : Slice(queue_[queue_at_].value);
  }
  Slice user_key() const { return current(); }
  // Returns whether the previous entry shown had the same user key.
  bool same_user_key_as_previous() const { return same_as_previous_; }

  const Counts& counts() const { return counts_; }

 private:
  struct Entry {
    std::string key;
    std::string value;
  };
  // The newer version, shown or dropped, that hides the rest of the stripe.
  enum class Newer : uint8_t { kNothing, kPut, kDeletion };
  // The base of a run of operands.
  enum class Base : uint8_t { kUnknown, kNothing, kPut };

  void FindNextToKeep();
  bool ParseInput(ParsedInternalKey* parsed);
  void Enter(const ParsedInternalKey& parsed);
  void Advance();
  void DropHidden();

  // Each processes the input's entry, and returns whether the iterator then has
  // an entry to show.
  bool Take(const ParsedInternalKey& parsed);
  bool TakePut(const ParsedInternalKey& parsed);
  bool TakeDeletion(const ParsedInternalKey& parsed);
  bool TakeSingleDeletion(const ParsedInternalKey& parsed);
  bool TakeOperands(const ParsedInternalKey& newest);
  bool ShowPut(const ParsedInternalKey& parsed);

  // What the filter said of an operand.
  enum class Operand : uint8_t { kKept, kRemoved, kKeyRemoved, kFailed };

  bool TakeFilteredPut(const ParsedInternalKey& parsed);
  Operand FilterOperand(const ParsedInternalKey& parsed, std::string* changed);
  // Replaces the input's entry by a deletion, if one is needed.
  bool TakeRemoved(const Slice& user_key, SequenceNumber sequence);
  // Begins to skip. Returns false if skip_until is not after the key.
  bool BeginSkip(const Slice& user_key);
  // Seeks the input to the end of a skip if that is far, and nothing on the way
  // is needed.
  void SeekPastSkipped();

  // Whether the input is at another version of the current key, of a kind that
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
  // The current user key, followed by the tail of the entry shown.
  ByteBuffer key_;
  size_t current_bytes_ = 0;  // of the user key
  // The entries to show. If it is not empty, the input is after the last entry
  // processed. If it is empty, the input is at the entry shown.
  std::vector<Entry> queue_;
  size_t queue_at_ = 0;

  bool has_current_ = false;
  size_t stripe_ = 0;            // of the key's last version read
  SequenceNumber covering_ = 0;  // newest range tombstone its readers see
  Newer newer_ = Newer::kNothing;
  bool shown_current_ = false;  // a version of the key was shown
  bool same_as_previous_ = false;

  bool skipping_ = false;
  std::string skip_until_;  // a user key
  uint64_t skipped_ = 0;    // entries removed since the skip began
  Counts counts_;
};

}  // namespace tamis
