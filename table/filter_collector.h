// SPDX-License-Identifier: Apache-2.0
//
// Buffers the filters of a table under construction until all data blocks are
// written, since filters come after the data. Keeps with each filter the
// separator at which it was cut.
//
// One thread.
#pragma once

#include <string>
#include <vector>

#include "filter/filter_placement.h"
#include "table/block_writer.h"
#include "table/index_builder.h"

namespace tamis {

class FilterCollector final : public FilterSink {
 public:
  // `index` must outlive *this. Its last separator is where a filter is cut.
  explicit FilterCollector(const IndexBuilder* index) : index_(index) {}

  Status WriteFilter(size_t ordinal, const Slice& filter) override;

  bool empty() const { return filters_.empty(); }
  // Returns the bytes of memory that the filters take.
  size_t ApproximateMemoryUsage() const { return memory_; }
  // Frees the filters.
  void Clear() {
    filters_ = {};
    memory_ = 0;
  }
  // Writes the filters and, if partitioned, their index. Sets *payload_bytes to
  // the total size without trailers. Returns the handle for the metaindex, or
  // the error of `writer`. REQUIRES: !empty()
  Result<BlockHandle> WriteTo(BlockWriter* writer, FilterPlacement placement,
                              const IndexEncoding& encoding,
                              uint64_t* payload_bytes) const;

 private:
  struct Filter {
    std::string separator;  // internal key; upper limit of the filter's keys
    std::string bytes;
  };

  const IndexBuilder* const index_;
  std::vector<Filter> filters_;
  size_t memory_ = 0;
};

}  // namespace tamis
