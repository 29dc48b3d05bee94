// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/output_compression.h"

#include <algorithm>

namespace tamis {

OutputCompression CompressionOf(const ColumnFamilyOptions& options, Level level,
                                Level base, bool bottommost) {
  OutputCompression of{options.compression, options.compression_opts};
  if (bottommost && options.bottommost_compression_opts.enabled) {
    of.options = options.bottommost_compression_opts;
  }
  if (bottommost &&
      options.bottommost_compression != kDisableCompressionOption) {
    of.type = options.bottommost_compression;
    return of;
  }
  const auto& by_level = options.compression_per_level;
  if (!by_level.empty()) {
    const int below_base = std::max(0, level.value() - base.value());
    const auto place =
        level == kLevelZero ? size_t{0} : static_cast<size_t>(below_base) + 1;
    of.type = by_level[std::min(place, by_level.size() - 1)];
  }
  return of;
}

OutputCompression CompressionOfFlush(const ColumnFamilyOptions& options) {
  OutputCompression of = CompressionOf(options, kLevelZero, Level{1},
                                       /*bottommost=*/false);
  if (options.compaction_style == kCompactionStyleUniversal &&
      options.compaction_options_universal.compression_size_percent >= 0) {
    of.type = kNoCompression;
  }
  return of;
}

}  // namespace tamis
