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

#include "table/range_tombstone_set.h"

namespace tamis {

class WalkTombstones {
 public:
  WalkTombstones() = default;
  WalkTombstones(const WalkTombstones&) = delete;
  WalkTombstones& operator=(const WalkTombstones&) = delete;

  // For the whole walk. nullptr and empty lists are left out.
  void Keep(std::shared_ptr<const RangeTombstoneFragments> fragments) {
    kept_.Add(std::move(fragments));
    empty_ = kept_.empty() && passing_.empty();
  }
  // Until `walk` forgets them; not owned.
  void Add(const void* walk, const RangeTombstoneFragments* fragments) {
    passing_.push_back({walk, fragments});
    empty_ = false;
  }
  void Forget(const void* walk) {
    std::erase_if(passing_,
                  [walk](const Passing& list) { return list.walk == walk; });
    empty_ = kept_.empty() && passing_.empty();
  }

  bool empty() const { return empty_; }
  // As RangeTombstoneSet says.
  SequenceNumber Covering(const Slice& user_key,
                          SequenceNumber visible_at) const {
    SequenceNumber newest = kept_.Covering(user_key, visible_at);
    for (const Passing& list : passing_) {
      newest = std::max(newest, list.fragments->Covering(user_key, visible_at));
    }
    return newest;
  }

 private:
  struct Passing {
    const void* walk;
    const RangeTombstoneFragments* fragments;
  };

  bool empty_ = true;
  RangeTombstoneSet kept_;
  std::vector<Passing> passing_;
};

}  // namespace tamis
