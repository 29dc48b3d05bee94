// SPDX-License-Identifier: Apache-2.0
//
// Ranges of user keys, and how their sizes are estimated.
#pragma once

#include <cstdint>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

// [start, limit). The bytes belong to the caller.
struct TAMIS_EXPORT Range {
  Range() = default;
  // Sets both members.
  Range(const Slice& range_start, const Slice& range_limit)
      : start(range_start), limit(range_limit) {}

  // The first user key, and the first one after the range.
  Slice start;
  Slice limit;
};

// Like Range, but nullptr means unbounded. Each call says whether the limit
// belongs to the range.
struct TAMIS_EXPORT RangePtr {
  RangePtr() = default;
  // Sets both members.
  RangePtr(const Slice* range_start, const Slice* range_limit)
      : start(range_start), limit(range_limit) {}

  // The first user key, and the limit.
  const Slice* start = nullptr;
  const Slice* limit = nullptr;
};

// What DB::GetApproximateSizes counts. At least one of the first two must be
// set.
struct SizeApproximationOptions {
  // Whether entries of memtables count, and those of tables.
  bool include_memtables = false;
  bool include_files = true;
  // If positive, tables that lie only in part in a range are counted as half,
  // as long as this cannot change the size of the tables by more than this
  // fraction of it. Such tables need not be opened. Not for memtables.
  double files_size_error_margin = -1;
};

// The same, as bits. Its name in programs is DB::SizeApproximationFlags.
enum class SizeApproximationFlags : uint8_t {
  NONE = 0,
  INCLUDE_MEMTABLES = 1 << 0,
  INCLUDE_FILES = 1 << 1,
};

// Combine flags, as of an integer.
constexpr SizeApproximationFlags operator|(SizeApproximationFlags a,
                                           SizeApproximationFlags b) {
  return static_cast<SizeApproximationFlags>(static_cast<uint8_t>(a) |
                                             static_cast<uint8_t>(b));
}
constexpr SizeApproximationFlags operator&(SizeApproximationFlags a,
                                           SizeApproximationFlags b) {
  return static_cast<SizeApproximationFlags>(static_cast<uint8_t>(a) &
                                             static_cast<uint8_t>(b));
}

}  // namespace tamis
