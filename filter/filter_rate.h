// SPDX-License-Identifier: Apache-2.0
//
// The expected false-positive rate of all filters of a table together, for
// every placement. The codecs know the rate of one filter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tamis/slice.h"

#include "filter/filter_registry.h"
#include "util/base/result.h"

namespace tamis {

// Returns the chunks of a block-based filter (block_based_placement.h) that
// hold keys. They point into the block. Corruption: the block is malformed.
Result<std::vector<Slice>> SplitFilterChunks(const Slice& block);

// Returns the expected share of absent entries that a table's filters let pass:
// the mean over the filters (chunks or partitions, or the only one), weighted
// by size. Each is assumed to hold a share of the `entries` proportional to its
// size. Returns 1 if there are no filters, or if no codec reads one of them.
double PredictedFilterRate(const FilterLocator& where,
                           std::span<const Slice> filters, uint64_t entries);

// Returns the expected share of empty ranges of one possible key that the range
// filters of a table let pass: the mean over the filters (partitions, or the
// only one). An empty filter lets all pass. Returns 1 if there are none.
double PredictedRangeFilterRate(const RangeFilterCodec& codec,
                                std::span<const Slice> filters);

}  // namespace tamis
