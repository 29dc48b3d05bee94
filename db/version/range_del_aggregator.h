// SPDX-License-Identifier: Apache-2.0
//
// A RangeDelAggregator holds the range tombstones that may hide the entries of
// one iterator. The tombstones of the memtables are added first and remain. The
// iterator of a level adds those of each file that it opens, and removes those
// of files that it has passed, so that few lists are searched at a time.
//
// When the iterators of all sources are at or after an entry, the aggregator
// has every tombstone that may hide the entry (level_iterator.cc proves it).
//
// One thread.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "db/memtable/tombstone_tree.h"
#include "table/range_tombstones.h"

namespace tamis {

class RangeDelAggregator {
 public:
  RangeDelAggregator() = default;
  RangeDelAggregator(const RangeDelAggregator&) = delete;
  RangeDelAggregator& operator=(const RangeDelAggregator&) = delete;

  // Sets the reader's sequence number. Before this call, the reader sees none
  // of the tombstones of Add.
  void ReadAt(SequenceNumber visible_at) { visible_at_ = visible_at; }

  // Makes Keep and Add do nothing. REQUIRES: nothing was added.
  void IgnoreAll() { ignores_all_ = true; }

  bool ignores_all() const { return ignores_all_; }

  // Adds the tombstones of a memtable, which must outlive *this. They are never
  // removed. REQUIRES: the view is at the sequence number of ReadAt.
  void Keep(const TombstoneTree::View& view) {
    if (!view.empty() && !ignores_all_)
      lists_.push_back({nullptr, nullptr, view, {}});
  }
  // Adds `fragments`, which must be valid until Forget(source). With a `source`
  // of nullptr, they must outlive *this.
  void Add(const void* source, const RangeTombstoneFragments* fragments) {
    if (!ignores_all_) lists_.push_back({source, fragments, {}, {}});
  }
  // Removes all fragments of the source. REQUIRES: source != nullptr.
  void Forget(const void* source) {
    std::erase_if(lists_,
                  [source](const List& list) { return list.source == source; });
  }

  bool empty() const { return lists_.empty(); }
  // Returns the sequence number of the newest visible tombstone that covers the
  // key, or 0 if none does. The tombstone hides all older versions of the key.
  SequenceNumber Covering(const Slice& user_key);
  // Returns whether a tombstone newer than `newest` covers the key. If so, sets
  // *end to the end of the longest run of keys from this one on that such
  // tombstones of one list cover: forward, the first key that is not in it;
  // backward, its first key.
  bool FindRun(const KeyOrder& order, const Slice& user_key, bool forward,
               SequenceNumber newest, std::string* end) const;
  // Returns true if the tombstones of one list hide every version up to
  // `newest` of all keys from `first` to `last`, both included. Returns false
  // if only several lists together hide them.
  bool HidesAll(const Slice& first, const Slice& last,
                SequenceNumber newest) const;

 private:
  struct List {
    const void* source;                        // nullptr if never removed
    const RangeTombstoneFragments* fragments;  // nullptr if `view` is used
    TombstoneTree::View view;
    TombstoneTree::Stretch last;  // hint for `view`
  };

  SequenceNumber CoveringOf(const List& list, const Slice& user_key) const;
  // REQUIRES: CoveringOf(list, user_key) > newest
  Slice EndOfRun(const List& list, const Slice& user_key, bool forward,
                 SequenceNumber newest) const;

  SequenceNumber visible_at_ = 0;
  bool ignores_all_ = false;
  std::vector<List> lists_;
};

}  // namespace tamis
