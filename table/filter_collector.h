// SPDX-License-Identifier: Apache-2.0
//
// Buffers the filters of a table under construction until all data blocks are
// written, since filters come after the data. Keeps with each filter the
// separator at which it was cut.
//
// A filter is built later, by a thread that has time (util/jobs/
// deferred_tasks.h): the keys of up to kPendingMax partitions wait for one. The
// bytes of the table are the same.
//
// One thread at a time, unless stated otherwise.
#pragma once

#include <atomic>
#include <deque>
#include <string>

#include "filter/filter_placement.h"
#include "table/block_writer.h"
#include "table/index_builder.h"
#include "util/jobs/deferred_tasks.h"

namespace tamis {

class FilterCollector final : public FilterSink {
 public:
  // `index` must outlive *this. Its last separator is where a filter is cut.
  FilterCollector(const IndexBuilder* index, const Helpers& helpers)
      : index_(index), helpers_(helpers), builds_(helpers, kPendingMax) {}

  Status WriteFilter(size_t ordinal, PendingFilter filter,
                     const Slice* last_key) override;
  // Builds a filter that no thread has begun to build. Returns false if there
  // is none. Any thread.
  bool BuildOne() noexcept { return builds_.RunOne(); }

  bool empty() const { return filters_.empty(); }
  // REQUIRES: after WriteTo, which returned no error.
  Slice first() const { return *filters_.front().bytes; }
  // Returns the bytes of memory that the filters take, and the keys of those
  // not built yet.
  size_t ApproximateMemoryUsage() const {
    return memory_.load(std::memory_order_relaxed);
  }
  // Frees the filters.
  void Clear();
  // Writes the filters and, if partitioned, their index, once all are built.
  // Sets *payload_bytes to the total size without trailers. Returns the handle
  // for the metaindex, or the error of a filter or of `writer`.
  // REQUIRES: !empty()
  Result<BlockHandle> WriteTo(BlockWriter* writer, FilterPlacement placement,
                              const IndexEncoding& encoding,
                              uint64_t* payload_bytes);

 private:
  static constexpr size_t kPendingMax = 4;

  struct Filter {
    std::string separator;  // internal key; upper limit of the filter's keys
    PendingFilter pending;
    Result<std::string> bytes;  // once built
  };

  void Build(Filter* filter);

  const IndexBuilder* const index_;
  const Helpers helpers_;
  std::deque<Filter> filters_;  // their addresses stay
  std::atomic<size_t> memory_{0};
  DeferredTasks builds_;  // of filters_; must be destroyed first
};

}  // namespace tamis
