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
  // Returns the index of the first fragment that ends after the key; size() if
  // there is none.
  size_t FindFragment(const Slice& user_key) const;

 private:
  struct Span {
    size_t begin;  // index in boundaries_
    size_t end;
    size_t first_sequence;  // index in sequences_; ends at the next fragment's
  };
  std::span<const SequenceNumber> SequencesOf(size_t i) const;

  const KeyOrder order_;
  std::vector<std::string> boundaries_;  // ascending, distinct
  std::vector<Span> fragments_;
  std::vector<SequenceNumber> sequences_;
};

}  // namespace tamis
