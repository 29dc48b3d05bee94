// SPDX-License-Identifier: Apache-2.0
//
// What one read may do and on whose account it does it. Made once by whoever
// begins the read, handed through every call below it, never changed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/options.h"
#include "tamis/statistics.h"

namespace tamis {

struct ReadContext {
  bool fill_cache = true;        // keep what is read resident
  bool verify_checksums = true;  // of blocks that come from a file
  ReadTier tier = kReadAllTier;
  Statistics* statistics = nullptr;
  int level = -1;  // of the table being read; -1: none

  // What a walk may show: a seek asks a prefix filter where these prove that
  // one prefix is all that is wanted. The bounds are those of ReadOptions.
  bool ask_prefix_filters = false;
  bool prefix_same_as_start = false;
  const Slice* lower_bound = nullptr;
  const Slice* upper_bound = nullptr;

  ReadContext() = default;
  ReadContext(const ReadOptions& options, Statistics* stats)
      : fill_cache(options.fill_cache),
        verify_checksums(options.verify_checksums),
        tier(options.read_tier),
        statistics(stats) {}

  // The read of an iterator.
  static ReadContext ForWalk(const ReadOptions& options, Statistics* stats) {
    ReadContext walk(options, stats);
    walk.ask_prefix_filters = !options.total_order_seek;
    walk.prefix_same_as_start = options.prefix_same_as_start;
    walk.lower_bound = options.iterate_lower_bound;
    walk.upper_bound = options.iterate_upper_bound;
    return walk;
  }
};

}  // namespace tamis
