// SPDX-License-Identifier: Apache-2.0
//
// A DBIterator turns internal keys into the entries that users see. It shows
// the newest version of every key visible at one sequence number, and applies
// merge operands, tombstones, range tombstones and bounds. One thread.
#pragma once

#include <functional>
#include <memory>

#include "tamis/iterator.h"
#include "tamis/options.h"

#include "db/family/column_family.h"
#include "db/version/range_del_aggregator.h"
#include "table/internal_iterator.h"
#include "util/io/read_context.h"

namespace tamis {

struct DBIteratorInputs {
  ColumnFamilyPtr family;  // nullptr: something else keeps `state` valid
  ReadStatePtr state;      // pinned by the iterator; nullptr: none is needed
  std::unique_ptr<InternalIterator> entries;  // over all of `state`
  SequenceNumber sequence = 0;
  ReadOptions options;
  // The scope that `entries` reads before each seek.
  std::unique_ptr<ScanScope> scope = std::make_unique<ScanScope>();
  // The aggregator that `entries` adds tombstones to.
  std::unique_ptr<RangeDelAggregator> tombstones =
      std::make_unique<RangeDelAggregator>();
  // Must outlive the iterator. nullptr: a key with operands ends the scan.
  const MergeOperator* merge_operator = nullptr;
  // For prefix_same_as_start; must outlive the iterator. nullptr: none.
  const SliceTransform* prefix_extractor = nullptr;
  Statistics* statistics = nullptr;
  std::function<void()> on_close;  // after entries, state and family are gone
};

std::unique_ptr<Iterator> NewDBIterator(const KeyOrder& order,
                                        DBIteratorInputs inputs);

}  // namespace tamis
