// SPDX-License-Identifier: Apache-2.0
//
// Range tombstones: [begin, end) at a sequence number hides every older version
// of the keys in it. They overlap as they come; to be asked quickly they are
// cut into fragments that do not:
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
    std::span<const SequenceNumber> sequences;  // newest first, none twice
  };

  // In any order. One whose end is not behind its begin covers nothing.
  RangeTombstoneFragments(const KeyOrder& order,
                          const std::vector<RangeTombstone>& tombstones);
  RangeTombstoneFragments(const RangeTombstoneFragments&) = delete;
  RangeTombstoneFragments& operator=(const RangeTombstoneFragments&) = delete;

  bool empty() const { return fragments_.empty(); }
  size_t size() const { return fragments_.size(); }
  // In key order. REQUIRES: i < size(). Lives as long as *this.
  Fragment at(size_t i) const;

  // Adds every fragment, once with each of its sequence numbers.
  void AppendTo(std::vector<RangeTombstone>* tombstones) const;

  // The newest tombstone over the key that a reader at `visible_at` sees; 0:
  // none.
  SequenceNumber Covering(const Slice& user_key,
                          SequenceNumber visible_at) const;
  // The first fragment that ends behind the key; size(): none does.
  size_t FindFragment(const Slice& user_key) const;

 private:
  struct Span {
    size_t begin;  // of boundaries_
    size_t end;
    size_t first_sequence;  // of sequences_, up to that of the next fragment
  };
  std::span<const SequenceNumber> SequencesOf(size_t i) const;

  const KeyOrder order_;
  std::vector<std::string> boundaries_;  // ascending, none twice
  std::vector<Span> fragments_;
  std::vector<SequenceNumber> sequences_;
};

}  // namespace tamis
