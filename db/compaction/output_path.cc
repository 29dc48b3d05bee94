// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/output_path.h"

#include <algorithm>
#include <vector>

#include "db/compaction/level_targets.h"

namespace tamis {

uint8_t PathOfLevel(Level level, const ColumnFamilyOptions& options) {
  const std::vector<DbPath>& paths = options.cf_paths;
  if (paths.size() <= 1) return 0;
  uint8_t path = 0;
  uint64_t room = paths[0].target_size;
  for (Level at = kLevelZero;; at++) {
    const uint64_t need = LevelBytesMax(std::max(at, Level{1}), options);
    while (need > room) {
      room = paths[++path].target_size;
      if (path + size_t{1} == paths.size()) return path;
    }
    if (at == level) return path;
    room -= need;
  }
}

uint8_t PathOfMerge(uint64_t bytes, const ColumnFamilyOptions& options) {
  const std::vector<DbPath>& paths = options.cf_paths;
  if (paths.size() <= 1) return 0;
  // The next merge has about this much before it includes the output.
  const unsigned ratio =
      std::min(100u, options.compaction_options_universal.size_ratio);
  const double newer =
      static_cast<double>(bytes) * static_cast<double>(100 - ratio) / 100;
  double before = 0;  // of the paths before
  uint8_t path = 0;
  for (; path + size_t{1} < paths.size(); ++path) {
    const uint64_t target = paths[path].target_size;
    if (target > bytes &&
        before + static_cast<double>(target - bytes) > newer) {
      break;
    }
    before += static_cast<double>(target);
  }
  return path;
}

uint8_t PathOfOutput(Level level, uint64_t bytes,
                     const ColumnFamilyOptions& options) {
  return options.compaction_style == kCompactionStyleUniversal
             ? PathOfMerge(bytes, options)
             : PathOfLevel(level, options);
}

}  // namespace tamis
