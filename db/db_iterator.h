// SPDX-License-Identifier: Apache-2.0
//
// A DBIterator turns internal keys into the entries that users see. It shows
// the newest version of every key at one sequence number, and applies merge
// operands, tombstones, range tombstones and bounds.
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

// What a DBIterator reads, and owns where the type says so. The iterator's
// destructor destroys `entries`, `state` and `family` in this order, calls
// on_close, and then destroys the rest. In a forked child it does nothing.
struct DBIteratorInputs {
  // Both are nullptr if the iterator is not of a database; on_close then owns
  // the table and all that `entries` needs.
  ColumnFamilyPtr family;
  ReadStatePtr state;
  // Shows all versions that `sequence` may see, ascending by internal key.
  std::unique_ptr<InternalIterator> entries;
  SequenceNumber sequence = 0;
  // Objects that the options point to must outlive the iterator.
  ReadOptions options;
  // `entries` may point to it, and reads it at each seek.
  std::unique_ptr<ScanScope> scope = std::make_unique<ScanScope>();
  // `entries` may point to it, and adds the tombstones of tables to it.
  std::unique_ptr<RangeDelAggregator> tombstones =
      std::make_unique<RangeDelAggregator>();
  // These must outlive the iterator, or be owned by `family` or on_close.
  // Without a merge operator, the iterator stops at a key whose newest visible
  // version is an operand, with InvalidArgument.
  const MergeOperator* merge_operator = nullptr;
  // For prefix_same_as_start, which nullptr turns off.
  const SliceTransform* prefix_extractor = nullptr;
  Statistics* statistics = nullptr;  // nullptr: counts nothing
  std::function<void()> on_close;    // may be empty; must not throw
};

// Returns an iterator that is not positioned. May throw std::bad_alloc; calls
// on the iterator return exceptions in status(). One thread at a time.
std::unique_ptr<Iterator> NewDBIterator(const KeyOrder& order,
                                        DBIteratorInputs inputs);

}  // namespace tamis
