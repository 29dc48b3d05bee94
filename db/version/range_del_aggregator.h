// SPDX-License-Identifier: Apache-2.0
//
// A RangeDelAggregator holds the range tombstones that may hide the entries of
// one iterator. Those of the memtables are added first. The iterator of a level
// adds those of each file that it opens, and removes those of files that it has
// passed. So few lists are searched at a time.
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

  // Sets the reader's sequence number. Before, no tombstone is visible.
  void ReadAt(SequenceNumber visible_at) { visible_at_ = visible_at; }

  // Adds the tombstones of a memtable, which must outlive *this, for good.
  // REQUIRES: a view at the sequence number of ReadAt.
  void Keep(const TombstoneTree::View& view) {
    if (!view.empty()) lists_.push_back({nullptr, nullptr, view, {}});
  }
  // Adds `fragments` until Forget(source). They must live until then.
  void Add(const void* source, const RangeTombstoneFragments* fragments) {
    lists_.push_back({source, fragments, {}, {}});
  }
  void Forget(const void* source) {
    std::erase_if(lists_,
                  [source](const List& list) { return list.source == source; });
  }

  bool empty() const { return lists_.empty(); }
  // The newest visible tombstone over the key; 0: none. It hides the versions
  // of the key that are older than it.
  SequenceNumber Covering(const Slice& user_key);
  // True only if no version up to `newest` of any key from `first` to `last` is
  // visible to the reader. May be false even then: each list is checked alone.
  bool HidesAll(const KeyOrder& order, const Slice& first, const Slice& last,
                SequenceNumber newest) const;

 private:
  struct List {
    const void* source;                        // nullptr: never removed
    const RangeTombstoneFragments* fragments;  // nullptr: uses `view`
    TombstoneTree::View view;
    TombstoneTree::Stretch last;  // hint for `view`
  };

  SequenceNumber visible_at_ = 0;
  std::vector<List> lists_;
};

}  // namespace tamis
