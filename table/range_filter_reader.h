// SPDX-License-Identifier: Apache-2.0
//
// Probes the range filter of an open table, which is a full filter or
// partitioned. A FilterLoader loads it: a full filter, or the index of the
// partitions, is kept while the table is open, or left to the block cache.
//
// A partition ends at its last key. A range that reaches into the next
// partition therefore holds a key, and matches; any other asks one partition:
//
//   keys          a   b   c │ d   e   f │ g
//   a to b                                     asks the first partition
//   between c and d                            asks the second one
//   b to e                                     holds c, the last of the first
//
// Const after Open; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "filter/range_filter.h"
#include "table/filter_loader.h"

namespace tamis {

class RangeFilterReader {
 public:
  // `block` is the payload at `handle`: the filter, or the index of partitions.
  // `context` is for reading pinned partitions. `codec`, `format` and `fetcher`
  // must outlive *this.
  RangeFilterReader(const RangeFilterCodec* codec, FilterPlacement placement,
                    ByteBuffer block, const BlockHandle& handle,
                    const IndexFormat* format, const BlockFetcher* fetcher,
                    const MetadataPins& pins, const ReadContext& context);

  // Returns false if the table holds no key in [begin, end). An error counts as
  // a match. Counts the probe. REQUIRES: begin < end.
  bool MayMatch(const Slice& begin, const Slice& end,
                const ReadContext& context) const;
  // Returns false if the table does not hold the key. Counts the probe.
  bool KeyMayMatch(const Slice& user_key, const ReadContext& context) const;

  const FilterLoader& loader() const { return loader_; }
  size_t memory_usage() const { return sizeof(*this) + loader_.memory_usage(); }

 private:
  bool LoadedMayMatch(const Slice& begin, const Slice& end,
                      const ReadContext& context) const;

  const RangeFilterCodec& codec_;
  const BlockFetcher& fetcher_;
  const FilterLoader loader_;
  std::optional<RangeFilterView> kept_;  // if loader_ keeps a full filter
};

}  // namespace tamis
