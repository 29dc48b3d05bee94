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
// One thread. Calls: SeekToFirst (Next)*
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "table/internal_iterator.h"
#include "table/internal_key.h"

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
  };
  struct Counts {
    uint64_t entries_read = 0;
    uint64_t dropped_hidden = 0;    // hidden by a newer version
    uint64_t dropped_obsolete = 0;  // tombstones with nothing below
  };
  // Whether a level below the output may hold the user key. Asked in
  // ascending order.
  using MayExistBelow = std::function<bool(const Slice& user_key)>;

  // `input` outlives the iterator. may_exist_below: empty means always.
  CompactionIterator(InternalIterator* input, const Options& options,
                     MayExistBelow may_exist_below);

  void SeekToFirst();
  void Next();
  bool Valid() const { return valid_; }
  // NotSupported, naming it, for a kind of entry this release cannot compact.
  const Status& status() const { return status_; }

  // REQUIRES: Valid(). Live until the next move.
  Slice key() const { return key_; }
  Slice value() const { return input_->value(); }
  Slice user_key() const { return ExtractUserKey(key_); }
  // The key of the entry is the same as that of the entry before it.
  bool same_user_key_as_previous() const { return same_as_previous_; }

  const Counts& counts() const { return counts_; }

 private:
  void FindNextToKeep();
  bool Keep(const ParsedInternalKey& parsed);
  // Versions in one stripe look the same to every reader: the index of the
  // first snapshot that sees the sequence.
  size_t StripeOf(SequenceNumber sequence) const;

  InternalIterator* const input_;
  const Options options_;
  const MayExistBelow may_exist_below_;
  bool valid_ = false;
  Status status_;
  std::string key_;  // of the entry shown

  bool has_current_ = false;
  std::string current_user_key_;
  size_t newer_stripe_ = 0;     // of the newer version of the same key
  bool shown_current_ = false;  // a version of it was kept
  bool same_as_previous_ = false;
  Counts counts_;
};

}  // namespace tamis
