// SPDX-License-Identifier: Apache-2.0
//
// Holds the filters of a table under construction until the data blocks are
// all written, each with the separator at which it was cut: filters stand
// behind the data.
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
  // `index` outlives *this; its last separator is where a filter is cut.
  explicit FilterCollector(const IndexBuilder* index) : index_(index) {}

  Status WriteFilter(size_t ordinal, const Slice& filter) override;

  bool empty() const { return filters_.empty(); }
  // Writes what was collected, and for partitions the index of them, and gives
  // the handle for the metaindex. *payload_bytes: what all of it takes,
  // trailers apart. REQUIRES: !empty()
  Result<BlockHandle> WriteTo(BlockWriter* writer, FilterPlacement placement,
                              const IndexEncoding& encoding,
                              uint64_t* payload_bytes) const;

 private:
  struct Filter {
    std::string separator;  // an internal key; what it covers ends here
    std::string bytes;
  };

  const IndexBuilder* const index_;
  std::vector<Filter> filters_;
};

}  // namespace tamis
