// SPDX-License-Identifier: Apache-2.0
//
// A range tombstone [begin, end) at a sequence number hides all older versions
// of the keys in it. Tombstones may overlap; for fast lookups they are split
// into fragments that do not:
//
//   [a ─────────── k)  5            fragments   [a, d)  5
//         [d ───────────── p)  9                [d, k)  9, 5
//                                               [k, p)  9
//
// Fragments are immutable; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "table/internal_key.h"
#include "table/range_tombstone.h"

namespace tamis {

class RangeTombstoneFragments {
 public:
  struct Fragment {
    Slice begin;
    Slice end;
    std::span<const SequenceNumber> sequences;  // newest first, distinct
  };

  // `tombstones` may be in any order. Those with end <= begin cover nothing.
  RangeTombstoneFragments(const KeyOrder& order,
                          const std::vector<RangeTombstone>& tombstones);
  RangeTombstoneFragments(const RangeTombstoneFragments&) = delete;
  RangeTombstoneFragments& operator=(const RangeTombstoneFragments&) = delete;

  bool empty() const { return fragments_.empty(); }
  size_t size() const { return fragments_.size(); }
  // Returns fragment i in key order, valid as long as *this. REQUIRES: i <
  // size()
  Fragment at(size_t i) const;

  // Appends each fragment as one tombstone per sequence number.
  void AppendTo(std::vector<RangeTombstone>* tombstones) const;

  // Returns the sequence number of the newest tombstone that covers the key and
  // is visible at `visible_at`; 0 if there is none.
  SequenceNumber Covering(const Slice& user_key,
                          SequenceNumber visible_at) const;
  // Returns where the run of keys from this one on ends that tombstones visible
  // at `visible_at` and newer than `newest` cover without a gap: its end,
  // excluded, or its first key. Valid as long as *this. REQUIRES:
  // Covering(user_key, visible_at) > newest
  Slice EndOfRun(const Slice& user_key, SequenceNumber visible_at,
                 SequenceNumber newest) const;
  Slice BeginOfRun(const Slice& user_key, SequenceNumber visible_at,
                   SequenceNumber newest) const;
  // Returns true if, and only if, every key from `first` to `last`, both
  // included, is covered by such a tombstone. Looks at no fragment after
  // `last`.
  bool HidesAll(const Slice& first, const Slice& last,
                SequenceNumber visible_at, SequenceNumber newest) const;
  // Returns the index of the first fragment that ends after the key; size() if
  // there is none.
  size_t FindFragment(const Slice& user_key) const;

 private:
  struct Span {
    size_t begin;  // index in boundaries_
    size_t end;
    size_t first_sequence;  // index in sequences_; ends at the next fragment's
    size_t run;             // index in runs_
  };
  // Fragments without a gap between them.
  struct Run {
    size_t first;  // index in fragments_
    size_t last;
    SequenceNumber oldest;  // of the newest ones of the fragments
  };
  void FindRuns();
  SequenceNumber NewestOf(size_t i, SequenceNumber visible_at) const;
  // Returns whether every fragment of the run shows a tombstone newer than
  // `newest`; false if that is not known.
  bool IsCoveredBy(const Run& run, SequenceNumber visible_at,
                   SequenceNumber newest) const {
    return visible_at >= newest_ && run.oldest > newest;
  }
  std::span<const SequenceNumber> SequencesOf(size_t i) const;

  const KeyOrder order_;
  std::vector<std::string> boundaries_;  // ascending, distinct
  std::vector<Span> fragments_;
  std::vector<Run> runs_;
  std::vector<SequenceNumber> sequences_;
  SequenceNumber newest_ = 0;  // of all
};

}  // namespace tamis
