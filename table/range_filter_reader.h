// SPDX-License-Identifier: Apache-2.0
//
// Probes the range filter of an open table. The filter is a RootBlock: kept
// while the table is open, or left to the block cache.
//
// Const after Open; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "filter/range_filter.h"
#include "table/root_block.h"

namespace tamis {

class RangeFilterReader {
 public:
  // `block` is the payload at `handle`. For leave_to_cache see RootBlock::Open.
  // `codec` and `fetcher` must outlive the result.
  static Result<std::unique_ptr<const RangeFilterReader>> Open(
      const RangeFilterCodec* codec, ByteBuffer block,
      const BlockHandle& handle, const BlockFetcher* fetcher,
      bool leave_to_cache);

  // Returns false if the table holds no key in [begin, end). An error counts as
  // a match. Counts the probe. REQUIRES: begin < end.
  bool MayMatch(const Slice& begin, const Slice& end,
                const ReadContext& context) const;

  // Returns false if the table does not hold the key. Counts the probe. Returns
  // true, uncounted, unless the codec answers_for_keys().
  bool KeyMayMatch(const Slice& user_key, const ReadContext& context) const;

  size_t memory_usage() const { return sizeof(*this) + root_.memory_usage(); }

 private:
  RangeFilterReader(const RangeFilterCodec* codec, const BlockHandle& handle,
                    const BlockFetcher* fetcher)
      : codec_(*codec),
        fetcher_(*fetcher),
        root_(handle, BlockKind::kFilter, /*form=*/nullptr, fetcher) {}

  const RangeFilterCodec& codec_;
  const BlockFetcher& fetcher_;
  RootBlock root_;
  std::optional<RangeFilterView> kept_;  // if root_ keeps the block
};

}  // namespace tamis
