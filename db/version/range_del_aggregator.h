// SPDX-License-Identifier: Apache-2.0
//
// The range tombstones that may hide the entries of one iterator. Those of the
// memtables are added first. The iterator of a level adds those of each file
// that it opens, and removes those of files that it has passed. So no file is
// opened for its tombstones alone, and few lists are searched at a time.
//
// When the iterators of all sources are at or after an entry, every tombstone
// that may hide the entry is here (level_iterator.cc proves it).
//
// One thread.
#pragma once

#include <algorithm>
#include <vector>

#include "db/memtable/tombstone_tree.h"
#include "table/range_tombstones.h"

namespace tamis {

class RangeDelAggregator {
 public:
  RangeDelAggregator() = default;
  RangeDelAggregator(const RangeDelAggregator&) = delete;
  RangeDelAggregator& operator=(const RangeDelAggregator&) = delete;

  // What the reader sees; until it is called there is nothing.
  void ReadAt(SequenceNumber visible_at) { visible_at_ = visible_at; }

  // For good, at the sequence number of ReadAt; not owned. Empty ones
  // are left out.
  void Keep(const TombstoneTree::View& view) {
    if (!view.empty()) lists_.push_back({nullptr, nullptr, view, {}});
  }
  // Until `source` forgets them; not owned.
  void Add(const void* source, const RangeTombstoneFragments* fragments) {
    lists_.push_back({source, fragments, {}, {}});
  }
  void Forget(const void* source) {
    std::erase_if(lists_,
                  [source](const List& list) { return list.source == source; });
  }

  bool empty() const { return lists_.empty(); }
  // The newest tombstone over the key that the reader sees; 0: none. It hides
  // the versions of the key that are older than it.
  SequenceNumber Covering(const Slice& user_key);
  // True only if no version up to `newest` of any key from `first` to `last` is
  // visible to the reader. May be false even then: each list is checked alone.
  bool HidesAll(const KeyOrder& order, const Slice& first, const Slice& last,
                SequenceNumber newest) const;

 private:
  struct List {
    const void* source;                        // nullptr: kept for good
    const RangeTombstoneFragments* fragments;  // nullptr: `view` it is
    TombstoneTree::View view;
    TombstoneTree::Stretch last;  // of the view
  };

  SequenceNumber visible_at_ = 0;
  std::vector<List> lists_;
};

}  // namespace tamis
