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

class ReadaheadWindow;

// What the iterator that a user sees tells the walks below it.
struct WalkScope {
  // All that is shown from now on has the prefix of whatever key is sought: by
  // ReadOptions::prefix_same_as_start. Set before each seek.
  bool one_prefix = false;
};

struct ReadContext {
  bool fill_cache = true;        // keep what is read resident
  bool verify_checksums = true;  // of blocks that come from a file
  ReadTier tier = kReadAllTier;
  Statistics* statistics = nullptr;
  int level = -1;  // of the table being read; -1: none

  // What a walk may show: a seek asks a prefix filter where these prove that
  // one prefix is all that is wanted. The bounds are those of ReadOptions.
  bool ask_prefix_filters = false;
  const WalkScope* scope = nullptr;  // nullptr: nothing is promised
  const Slice* lower_bound = nullptr;
  const Slice* upper_bound = nullptr;

  // Whether a walk over a table shall read ahead, and how far (0: automatic).
  // It does so in a window of its own, which takes part in reads of data
  // blocks; nullptr: these are read one by one.
  bool reads_ahead = false;
  size_t readahead_size = 0;
  ReadaheadWindow* window = nullptr;

  bool one_prefix() const { return scope != nullptr && scope->one_prefix; }

  ReadContext() = default;
  ReadContext(const ReadOptions& options, Statistics* stats)
      : fill_cache(options.fill_cache),
        verify_checksums(options.verify_checksums),
        tier(options.read_tier),
        statistics(stats) {}

  // The read of an iterator. `scope` outlives it.
  static ReadContext ForWalk(const ReadOptions& options, Statistics* stats,
                             const WalkScope* scope) {
    ReadContext walk(options, stats);
    walk.ask_prefix_filters = !options.total_order_seek;
    walk.scope = scope;
    walk.lower_bound = options.iterate_lower_bound;
    walk.upper_bound = options.iterate_upper_bound;
    walk.reads_ahead = true;
    walk.readahead_size = options.readahead_size;
    return walk;
  }

  // The same read, through the window if it reads ahead.
  ReadContext Through(ReadaheadWindow* own_window) const {
    ReadContext read = *this;
    read.window = reads_ahead ? own_window : nullptr;
    return read;
  }
};

}  // namespace tamis
