// SPDX-License-Identifier: Apache-2.0
//
// Builds the range filter of a table and writes it: one filter of all keys, or
// with BlockBasedTableOptions::partition_filters partitions of about
// metadata_block_size and an index of them (filter/FORMAT.md). Buffers
// partitions until all data blocks are written.
//
//   keys       a b c d e f│g h i j │k l       a partition ends at its last key
//
// One thread. Calls: Add* Finish WriteTo
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/table.h"

#include "filter/filter_registry.h"
#include "filter/range_filter.h"
#include "table/block_writer.h"
#include "table/index_builder.h"

namespace tamis {

class RangeFilterWriter {
 public:
  // Returns a writer of the filter that new tables get, or nullptr if they get
  // none. `options` must outlive the writer.
  static std::unique_ptr<RangeFilterWriter> New(
      const BlockBasedTableOptions& options);

  const RangeFilterCodec& codec() const { return builder_->codec(); }
  FilterPlacement placement() const {
    return is_partitioned() ? FilterPlacement::kPartitioned
                            : FilterPlacement::kFull;
  }

  // REQUIRES: keys ascend; equal ones may follow each other.
  void Add(const Slice& user_key);

  // Builds what is not built yet.
  void Finish();
  // Returns whether the filter would exclude few ranges, so that none should be
  // written. Called after Finish.
  bool empty() const { return finished_.empty(); }
  // Returns the bytes of memory that keys and partitions take.
  size_t ApproximateMemoryUsage() const {
    return builder_->ApproximateMemoryUsage() + finished_bytes_;
  }

  // Writes the filter and sets *payload_bytes to its size without trailers.
  // Returns the handle for the metaindex, or the error of `writer`.
  // REQUIRES: after Finish; not empty
  Result<BlockHandle> WriteTo(BlockWriter* writer,
                              const IndexEncoding& encoding,
                              uint64_t* payload_bytes);

 private:
  RangeFilterWriter(const BlockBasedTableOptions& options,
                    std::unique_ptr<RangeFilterBuilder> builder);
  bool is_partitioned() const { return keys_per_partition_ != 0; }
  void EndPartition();

  const BlockBasedTableOptions& options_;
  std::unique_ptr<RangeFilterBuilder> builder_;
  // 0 if the filter is not partitioned.
  const uint64_t keys_per_partition_;
  uint64_t keys_in_partition_ = 0;
  std::string last_key_;
  struct Partition {
    std::string last_key;
    std::string filter;  // empty if it would exclude few ranges
  };
  std::vector<Partition> finished_;  // the only one if not partitioned
  size_t finished_bytes_ = 0;
};

}  // namespace tamis
