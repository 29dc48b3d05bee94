// SPDX-License-Identifier: Apache-2.0
//
// The range tombstones of several sources (memtables, tables) asked as one.
//
// Filled by one thread; then const and any thread.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "table/range_tombstones.h"

namespace tamis {

class RangeTombstoneSet {
 public:
  // nullptr and empty lists are left out.
  void Add(std::shared_ptr<const RangeTombstoneFragments> fragments) {
    if (fragments != nullptr && !fragments->empty()) {
      lists_.push_back(std::move(fragments));
    }
  }
  bool empty() const { return lists_.empty(); }

  // The newest tombstone over the key that a reader at `visible_at` sees; 0:
  // none. It hides the versions of the key that are older than it.
  SequenceNumber Covering(const Slice& user_key,
                          SequenceNumber visible_at) const {
    SequenceNumber newest = 0;
    for (const auto& list : lists_) {
      newest = std::max(newest, list->Covering(user_key, visible_at));
    }
    return newest;
  }

  // Every fragment with each of its sequence numbers, in no order.
  std::vector<RangeTombstone> All() const {
    std::vector<RangeTombstone> all;
    for (const auto& list : lists_) {
      for (size_t i = 0; i < list->size(); ++i) {
        const RangeTombstoneFragments::Fragment fragment = list->at(i);
        for (const SequenceNumber sequence : fragment.sequences) {
          all.push_back(
              {fragment.begin.ToString(), fragment.end.ToString(), sequence});
        }
      }
    }
    return all;
  }

 private:
  std::vector<std::shared_ptr<const RangeTombstoneFragments>> lists_;
};

}  // namespace tamis
