// SPDX-License-Identifier: Apache-2.0
#include "filter/range_filter.h"

#include "tamis/table.h"

#include "filter/fence_filter.h"
#include "filter/grafite.h"
#include "filter/surf_filter.h"

namespace tamis {

std::unique_ptr<RangeFilterBuilder> NewRangeFilterBuilder(
    const BlockBasedTableOptions& options) {
  switch (options.range_filter) {
    case BlockBasedTableOptions::kNoRangeFilter:
      return nullptr;
    case BlockBasedTableOptions::kGrafite:
      return GrafiteCodec()->NewBuilder(options.range_filter_bits_per_key);
    case BlockBasedTableOptions::kFence:
      return FenceCodec()->NewBuilder(options.range_filter_bits_per_key);
    case BlockBasedTableOptions::kSurf:
      return SurfCodec()->NewBuilder(options.range_filter_bits_per_key);
  }
  return nullptr;
}

}  // namespace tamis
