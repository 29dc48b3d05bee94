// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which a database names its parts. Each kind is a type of its
// own; the MANIFEST, file names and messages contain them as plain integers.
//
// Sequence numbers are plain integers (tamis/types.h): the public interface
// and the tail of an internal key use them as such.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "util/base/check.h"
#include "util/base/strong_number.h"

namespace tamis {

// Of a table, log, MANIFEST or other numbered file. One counter per database
// gives them.
using FileNumber = StrongNumber<struct FileNumberTag, uint64_t>;
inline constexpr FileNumber kNoFile{0};
inline constexpr FileNumber kFileNumberMax{(uint64_t{1} << 62) - 1};

// Of a column family. Never used twice; 0 is the default family.
using FamilyId = StrongNumber<struct FamilyIdTag, uint32_t>;
inline constexpr FamilyId kDefaultFamilyId{0};
inline constexpr FamilyId kFamilyIdMax{UINT32_MAX};

// Orders the tables of level 0 by age, per family: a flush gives its table a
// larger epoch number than all tables of the family have.
using EpochNumber = StrongNumber<struct EpochNumberTag, uint64_t>;
inline constexpr EpochNumber kUnknownEpoch{0};
inline constexpr EpochNumber kEpochNumberMax{UINT64_MAX};
// RocksDB's, of files that were ingested behind all others.
inline constexpr EpochNumber kEpochIngestedBehind{1};

// Identifies a level of a tree. Deeper levels have larger numbers; for one key,
// their data is older.
using Level = StrongNumber<struct LevelTag, int>;
// The most levels that a tree may have; RocksDB's default for num_levels, which
// its tools assume.
inline constexpr int kNumLevels = 7;
inline constexpr Level kLevelZero{0};
inline constexpr Level kLastLevel{kNumLevels - 1};

// Returns whether trees have the level. A decoded one may be out of range.
constexpr bool IsLevel(Level level) {
  return level >= kLevelZero && level <= kLastLevel;
}

// Holds a T for each level of a tree, level 0 first.
template <typename T>
struct PerLevel : std::array<T, kNumLevels> {
  // REQUIRES: IsLevel(level)
  constexpr T& operator[](Level level) {
    TAMIS_DCHECK(IsLevel(level));
    return Array::operator[](static_cast<size_t>(level.value()));
  }
  constexpr const T& operator[](Level level) const {
    TAMIS_DCHECK(IsLevel(level));
    return Array::operator[](static_cast<size_t>(level.value()));
  }

 private:
  using Array = typename PerLevel::array;
};

// Contain all levels of a tree, from level 0 down and from the last level up.
inline constexpr std::array<Level, kNumLevels> kLevels = [] {
  std::array<Level, kNumLevels> levels;
  Level next = kLevelZero;
  for (Level& level : levels) level = next++;
  return levels;
}();
inline constexpr std::array<Level, kNumLevels> kLevelsDeepestFirst = [] {
  std::array<Level, kNumLevels> levels = kLevels;
  std::reverse(levels.begin(), levels.end());
  return levels;
}();

// Returns the levels deeper than `level`, the next one first. REQUIRES:
// IsLevel(level)
constexpr std::span<const Level> LevelsBelow(Level level) {
  return std::span(kLevels).subspan(static_cast<size_t>(level.value()) + 1);
}

}  // namespace tamis
