// SPDX-License-Identifier: Apache-2.0
//
// The range tombstones that one iterator has to know of. Those of memtables
// are held from the start; the walk over a level adds those of each file it
// opens and lets go of those that lie behind it, so that an iterator opens no
// file for its tombstones alone and asks few lists at a time.
//
// What is promised: when the walks of all sources stand at or beyond an entry,
// every tombstone that may hide it is among these (level_iterator.cc says why).
//
// One thread.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "table/range_tombstones.h"

namespace tamis {

class WalkTombstones {
 public:
  WalkTombstones() = default;
  WalkTombstones(const WalkTombstones&) = delete;
  WalkTombstones& operator=(const WalkTombstones&) = delete;

  // What the reader sees; until it is called HidesAll is always false.
  void ReadAt(SequenceNumber visible_at) { visible_at_ = visible_at; }

  // For the whole walk. nullptr and empty lists are left out.
  void Keep(std::shared_ptr<const RangeTombstoneFragments> fragments) {
    if (fragments == nullptr || fragments->empty()) return;
    lists_.push_back({nullptr, fragments.get()});
    kept_.push_back(std::move(fragments));
  }
  // Until `walk` forgets them; not owned.
  void Add(const void* walk, const RangeTombstoneFragments* fragments) {
    lists_.push_back({walk, fragments});
  }
  void Forget(const void* walk) {
    std::erase_if(lists_,
                  [walk](const List& list) { return list.walk == walk; });
  }

  bool empty() const { return lists_.empty(); }
  // The newest tombstone over the key that a reader at `visible_at` sees; 0:
  // none. It hides the versions of the key that are older than it.
  SequenceNumber Covering(const Slice& user_key,
                          SequenceNumber visible_at) const;
  // Whether the reader sees no version up to `newest` of any key from `first`
  // to `last`. May be false where it is so: lists are not put together.
  bool HidesAll(const KeyOrder& order, const Slice& first, const Slice& last,
                SequenceNumber newest) const;

 private:
  struct List {
    const void* walk;  // nullptr: of no walk, in kept_
    const RangeTombstoneFragments* fragments;
  };

  SequenceNumber visible_at_ = 0;
  std::vector<List> lists_;
  std::vector<std::shared_ptr<const RangeTombstoneFragments>> kept_;
};

}  // namespace tamis
