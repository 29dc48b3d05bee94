// SPDX-License-Identifier: Apache-2.0
//
// A PointRead is one point read. It holds the key, in the forms that memtables,
// filters and tables take, and the result so far.
//
// One thread.
#pragma once

#include "filter/filter_key.h"
#include "table/filter_counts.h"
#include "table/get_context.h"
#include "table/internal_key.h"

namespace tamis {

struct PointRead {
  // All must outlive *this, also the objects of merge_with.
  PointRead(const Slice& user_key, SequenceNumber sequence,
            const MergeWith& merge_with, PinnableSlice* value)
      : key(user_key, sequence),
        filter_key(user_key),
        get(value, merge_with, user_key) {}

  const LookupKey key;
  const FilterKey filter_key;
  GetContext get;
  // Of the last table that was searched for the key.
  FilterOutcome filter_outcome = FilterOutcome::kNotProbed;
};

}  // namespace tamis
