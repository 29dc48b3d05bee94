// SPDX-License-Identifier: Apache-2.0
//
// The parameters of one read. The read creates a ReadContext and passes it down
// to the blocks; a Version adds the level, and a table's iterator its window. A
// value type; the objects that it points to must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tamis/options.h"
#include "tamis/rate_limiter.h"
#include "tamis/statistics.h"

namespace tamis {

class Clock;
class ReadaheadWindow;
class SliceTransform;

// When the reads of files must end, and at which rate they may go on. A read
// without limits has none.
struct ReadLimits {
  ReadLimits() = default;
  // `limiter` may be nullptr.
  ReadLimits(const ReadOptions& options, Clock* the_clock, RateLimiter* limiter)
      : clock(the_clock),
        deadline(static_cast<uint64_t>(options.deadline.count())),
        io_timeout(static_cast<uint64_t>(options.io_timeout.count())),
        rate_limiter(options.rate_limiter_priority < IO_TOTAL ? limiter
                                                              : nullptr),
        priority(options.rate_limiter_priority) {}
  static bool AreSet(const ReadOptions& options) {
    return (options.deadline.count() | options.io_timeout.count()) != 0 ||
           options.rate_limiter_priority < IO_TOTAL;
  }

  Clock* clock = nullptr;
  uint64_t deadline = 0;                // microseconds since the epoch; 0: none
  uint64_t io_timeout = 0;              // microseconds of one read; 0: none
  RateLimiter* rate_limiter = nullptr;  // grants the bytes; nullptr: no limit
  IOPriority priority = IO_TOTAL;
};

// The limits that a user's iterator passes to the iterators below it.
struct ScanScope {
  // Unless nullptr: only keys that have the seek target's prefix under this one
  // will be shown (ReadOptions::prefix_same_as_start). Set before each seek.
  const SliceTransform* one_prefix_of = nullptr;
  // The number of seeks that a sampled one represents; 0 if it is not sampled.
  // Set before each seek.
  uint64_t sample_weight = 0;
  // Unless empty: only tables for which it returns true are read
  // (ReadOptions::table_filter). Set before the first seek.
  std::function<bool(const TableProperties&)> table_filter;
  ReadLimits limits;  // set before the first seek
};

// Which of the blocks read become resident in the cache. kNothing is for all
// blocks, the other rules for data blocks: index and filter blocks become
// resident under both.
enum class CacheFill : uint8_t {
  kNothing,       // none
  kRoom,          // a block that displaces no other
  kReadRecently,  // the same, or one that was read before, recently
  kAlways         // every block, whatever it displaces
};

struct ReadContext {
  CacheFill fill = CacheFill::kReadRecently;
  bool verify_checksums = true;  // of blocks read from files
  ReadTier tier = kReadAllTier;
  Statistics* statistics = nullptr;
  int level = -1;                      // of the table being read; -1 if none
  const ReadLimits* limits = nullptr;  // nullptr: none

  // Whether seeks may use prefix filters, and the limits of the iteration. A
  // prefix filter is used only if these restrict the iteration to one prefix, a
  // range filter only if a bound ends it. The bounds are those of ReadOptions.
  bool use_prefix_filters = false;
  const ScanScope* scope = nullptr;  // nullptr if there is no limit
  const Slice* lower_bound = nullptr;
  const Slice* upper_bound = nullptr;

  // Whether a table's iterator prefetches, how many bytes (0 means automatic),
  // whether while the iterator uses others, and its window for reads of data
  // blocks. Without a window, each block is read alone.
  bool reads_ahead = false;
  size_t readahead_size = 0;
  bool async_io = false;
  ReadaheadWindow* window = nullptr;

  const SliceTransform* one_prefix_of() const {
    return scope != nullptr ? scope->one_prefix_of : nullptr;
  }

  ReadContext() = default;
  ReadContext(const ReadOptions& options, Statistics* stats)
      : fill(options.fill_cache ? CacheFill::kReadRecently
                                : CacheFill::kNothing),
        verify_checksums(options.verify_checksums),
        tier(options.read_tier),
        statistics(stats) {}

  // Returns a context for an iterator's reads. `scope` must outlive the result.
  static ReadContext ForScan(const ReadOptions& options, Statistics* stats,
                             const ScanScope* scope) {
    ReadContext scan(options, stats);
    scan.use_prefix_filters =
        !options.total_order_seek || options.auto_prefix_mode;
    scan.scope = scope;
    if (ReadLimits::AreSet(options)) scan.limits = &scope->limits;
    scan.lower_bound = options.iterate_lower_bound;
    scan.upper_bound = options.iterate_upper_bound;
    scan.reads_ahead = true;
    scan.readahead_size = options.readahead_size;
    scan.async_io = options.async_io;
    return scan;
  }

  // Returns a context that adds no blocks to the cache, for reads of a whole
  // table.
  static ReadContext PastTheCache() {
    ReadContext read;
    read.fill = CacheFill::kNothing;
    return read;
  }

  // Returns a copy that reads through the window, if prefetching is on.
  ReadContext Through(ReadaheadWindow* own_window) const {
    ReadContext read = *this;
    read.window = reads_ahead ? own_window : nullptr;
    return read;
  }
};

}  // namespace tamis
