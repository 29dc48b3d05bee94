// SPDX-License-Identifier: Apache-2.0
#include "db/version/range_del_aggregator.h"

namespace tamis {

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

SequenceNumber RangeDelAggregator::CoveringOf(const List& list,
                                              const Slice& user_key) const {
  return list.fragments == nullptr
             ? list.view.Covering(user_key)
             : list.fragments->Covering(user_key, visible_at_);
}

Slice RangeDelAggregator::EndOfRun(const List& list, const Slice& user_key,
                                   bool forward, SequenceNumber newest) const {
  if (list.fragments == nullptr) {
    return forward ? list.view.EndOfRun(user_key, newest)
                   : list.view.BeginOfRun(user_key, newest);
  }
  return forward ? list.fragments->EndOfRun(user_key, visible_at_, newest)
                 : list.fragments->BeginOfRun(user_key, visible_at_, newest);
}

bool RangeDelAggregator::FindRun(const KeyOrder& order, const Slice& user_key,
                                 bool forward, SequenceNumber newest,
                                 std::string* end) const {
  bool found = false;
  for (const List& list : lists_) {
    if (CoveringOf(list, user_key) <= newest) continue;
    const Slice end_of_list = EndOfRun(list, user_key, forward, newest);
    const bool longer =
        !found || (forward ? order.CompareUserKeys(end_of_list, *end) > 0
                           : order.CompareUserKeys(end_of_list, *end) < 0);
    if (longer) end->assign(end_of_list.data(), end_of_list.size());
    found = true;
  }
  return found;
}

bool RangeDelAggregator::HidesAll(const Slice& first, const Slice& last,
                                  SequenceNumber newest) const {
  return std::any_of(lists_.begin(), lists_.end(), [&](const List& list) {
    return list.fragments == nullptr
               ? list.view.HidesAll(first, last, newest)
               : list.fragments->HidesAll(first, last, visible_at_, newest);
  });
}

}  // namespace tamis
