// SPDX-License-Identifier: Apache-2.0
#include "db/version/range_del_aggregator.h"

namespace tamis {

namespace {

bool ListHidesAll(const RangeTombstoneFragments& list, const KeyOrder& order,
                  SequenceNumber visible_at, const Slice& first,
                  const Slice& last, SequenceNumber newest) {
  Slice covered_to = first;
  for (size_t i = list.FindFragment(first); i < list.size(); ++i) {
    const RangeTombstoneFragments::Fragment fragment = list.at(i);
    if (order.CompareUserKeys(fragment.begin, covered_to) > 0 ||
        list.Covering(fragment.begin, visible_at) <= newest) {
      return false;
    }
    if (order.CompareUserKeys(fragment.end, last) > 0) return true;
    covered_to = fragment.end;
  }
  return false;
}

}  // namespace

SequenceNumber RangeDelAggregator::Covering(const Slice& user_key) {
  SequenceNumber newest = 0;
  for (List& list : lists_) {
    newest =
        std::max(newest, list.fragments == nullptr
                             ? list.view.Covering(user_key, &list.last)
                             : list.fragments->Covering(user_key, visible_at_));
  }
  return newest;
}

bool RangeDelAggregator::HidesAll(const KeyOrder& order, const Slice& first,
                                  const Slice& last,
                                  SequenceNumber newest) const {
  for (const List& list : lists_) {
    if (list.fragments == nullptr
            ? list.view.HidesAll(first, last, newest)
            : ListHidesAll(*list.fragments, order, visible_at_, first, last,
                           newest)) {
      return true;
    }
  }
  return false;
}

}  // namespace tamis
