// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/level_targets.h"

#include <algorithm>
#include <limits>

namespace tamis {

namespace {

constexpr double kMost = 9e18;  // below 2^63

uint64_t ToBytes(double bytes) {
  return static_cast<uint64_t>(std::min(bytes, kMost));
}

// How many times larger the level is than the one above it.
double MultiplierOf(Level level, const ColumnFamilyOptions& options) {
  const auto& additional = options.max_bytes_for_level_multiplier_additional;
  const auto above = static_cast<size_t>(level.value()) - 1;
  return options.max_bytes_for_level_multiplier *
         (above < additional.size() ? additional[above] : 1);
}

LevelTargets StaticTargets(const ColumnFamilyOptions& options) {
  LevelTargets targets;
  targets.last = LastLevelOf(options);
  for (Level level{1}; level <= targets.last; level++) {
    targets.bytes_max[level] = LevelBytesMax(level, options);
  }
  return targets;
}

// Goes up from the last level, with the size of the largest one in *bytes,
// until a level is at most `base_bytes`, or to level 1. Returns that level, and
// its size in *bytes.
Level GoUp(const ColumnFamilyOptions& options, double base_bytes,
           double* bytes) {
  Level level = LastLevelOf(options);
  while (level > kLevelZero.Next() && *bytes > base_bytes) {
    *bytes /= MultiplierOf(level, options);
    level = Level{level.value() - 1};
  }
  return level;
}

}  // namespace

Level LastLevelOf(const ColumnFamilyOptions& options) {
  TAMIS_DCHECK(options.num_levels >= 1);
  TAMIS_DCHECK(options.num_levels <= kNumLevels);
  return Level{options.num_levels - (options.cf_allow_ingest_behind ? 2 : 1)};
}

uint64_t LevelBytesMax(Level level, const ColumnFamilyOptions& options) {
  TAMIS_DCHECK(level > kLevelZero);
  auto bytes = static_cast<double>(options.max_bytes_for_level_base);
  for (Level below{2}; below <= level; below++) {
    bytes *= MultiplierOf(below, options);
  }
  return ToBytes(bytes);
}

LevelTargets LevelTargetsOf(const Version& version,
                            const ColumnFamilyOptions& options) {
  if (!options.level_compaction_dynamic_level_bytes) {
    return StaticTargets(options);
  }
  LevelTargets targets;
  targets.dynamic = true;
  targets.last = LastLevelOf(options);
  targets.base = targets.needed = targets.last;
  uint64_t largest = 0;
  for (const Level level : kLevelsDeepestFirst) {
    if (level == kLevelZero || level > targets.last ||
        version.files(level).empty()) {
      continue;
    }
    targets.base = std::min(level, targets.last);
    largest = std::max(largest, version.LevelBytes(level));
  }
  const auto base_bytes = static_cast<double>(options.max_bytes_for_level_base);
  auto bytes = static_cast<double>(largest);
  targets.needed = GoUp(options, base_bytes, &bytes);
  targets.base = std::min(targets.base, targets.needed);
  // If level 1 were too small for the data, all levels are as in a static tree
  // with a larger base.
  bytes = std::min(std::max(bytes, 1.0), base_bytes);
  for (Level level = targets.base; level <= targets.last; level++) {
    if (level > targets.needed) bytes *= MultiplierOf(level, options);
    targets.bytes_max[level] = ToBytes(std::max(bytes, base_bytes));
  }
  return targets;
}

uint64_t PendingCompactionBytes(const Version& version,
                                const ColumnFamilyOptions& options) {
  const LevelTargets targets = LevelTargetsOf(version, options);
  double pending = 0;
  double arrives = 0;  // in the level, from above
  const auto trigger =
      static_cast<size_t>(options.level0_file_num_compaction_trigger);
  if (version.files(kLevelZero).size() >= trigger) {
    arrives = static_cast<double>(version.LevelBytes(kLevelZero));
    pending = arrives + static_cast<double>(version.LevelBytes(targets.base));
  }
  for (Level level = targets.base; level < targets.last; level++) {
    const double bytes =
        static_cast<double>(version.LevelBytes(level)) + arrives;
    arrives =
        std::max(0.0, bytes - static_cast<double>(targets.bytes_max[level]));
    if (arrives == 0) continue;
    const auto below = static_cast<double>(version.LevelBytes(level.Next()));
    pending += arrives * (1 + below / bytes);
  }
  return ToBytes(pending);
}

uint64_t TableBytesMax(Level level, Level base,
                       const ColumnFamilyOptions& options) {
  auto bytes = static_cast<double>(options.target_file_size_base);
  if (bytes >= kMost) return options.target_file_size_base;
  for (Level above = base; above < level; above++) {
    bytes *= options.target_file_size_multiplier;
  }
  return ToBytes(bytes);
}

uint64_t CompactionBytesMax(const ColumnFamilyOptions& options) {
  constexpr uint64_t kOfTables = 25;
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  if (options.max_compaction_bytes != 0) return options.max_compaction_bytes;
  return options.target_file_size_base > kMax / kOfTables
             ? kMax
             : kOfTables * options.target_file_size_base;
}

}  // namespace tamis
