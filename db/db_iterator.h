// SPDX-License-Identifier: Apache-2.0
//
// A DBIterator turns internal keys into the entries that users see. For each
// key that is not deleted, it shows the newest version at one sequence number.
// It applies merge operands, tombstones, range tombstones and bounds.
#pragma once

#include <functional>
#include <memory>

#include "tamis/iterator.h"
#include "tamis/options.h"

#include "db/family/column_family.h"
#include "db/version/range_del_aggregator.h"
#include "table/internal_iterator.h"
#include "table/merge_operands.h"
#include "util/io/read_context.h"

namespace tamis {

// The inputs of a DBIterator, which owns them. Its destructor destroys
// `entries`, `state` and `family` in this order, calls on_close, and then
// destroys the rest. In a forked process, the destructor does nothing.
struct DBIteratorInputs {
  // Both are nullptr if the iterator is not of a database; on_close then owns
  // the table and all that `entries` needs.
  ColumnFamilyPtr family;
  ReadStatePtr state;
  // Shows all versions visible at `sequence`, and perhaps newer ones, ascending
  // by internal key.
  std::unique_ptr<InternalIterator> entries;
  SequenceNumber sequence = 0;
  // Objects that the options point to must outlive the iterator.
  ReadOptions options;
  // The iterator sets the scope before each seek; `entries` may point to the
  // scope and read it in a seek.
  std::unique_ptr<ScanScope> scope = std::make_unique<ScanScope>();
  // The range tombstones that hide entries. `entries` may point to the
  // aggregator, and adds the tombstones of tables.
  std::unique_ptr<RangeDelAggregator> tombstones =
      std::make_unique<RangeDelAggregator>();

  // The next three must outlive the iterator, or be owned by `family` or
  // on_close.
  // Without a merge operator, the iterator stops at a key whose newest visible
  // version is an operand, with InvalidArgument.
  MergeWith merge_with;
  // Used for prefix_same_as_start. If nullptr, that option has no effect.
  const SliceTransform* prefix_extractor = nullptr;
  Statistics* statistics = nullptr;  // may be nullptr

  std::function<void()> on_close;  // may be empty; must not throw
  // Sets *fresh to the inputs for the present state. Implements Refresh; if
  // empty, that is not supported.
  std::function<Status(const DBIteratorInputs& old, DBIteratorInputs* fresh)>
      renew;
  // With ReadOptions::tailing: makes the inputs show the present state, and
  // returns true; or returns false if they must be renewed. Otherwise empty.
  std::function<bool(DBIteratorInputs* in)> catch_up;
};

// Returns an iterator that is not positioned. May throw std::bad_alloc; calls
// on the iterator return exceptions in status(). One thread at a time.
std::unique_ptr<Iterator> NewDBIterator(const KeyOrder& order,
                                        DBIteratorInputs inputs);

}  // namespace tamis
