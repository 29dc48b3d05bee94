// SPDX-License-Identifier: Apache-2.0
//
// A Version is the set of live tables at one time: level 0, whose files
// overlap and are ordered by age, and the levels below it, each sorted and
// disjoint. For one key, everything in a level is newer than everything below.
//
// Immutable, any thread; shared by whoever reads from it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/base/db_context.h"
#include "db/version/level_index.h"
#include "db/version/table_cache.h"
#include "table/internal_iterator.h"

namespace tamis {

class RangeDelAggregator;

// The files of a level that overlap a range, and the range they span together.
using LevelFiles = std::vector<TableFilePtr>;

class Version {
 public:
  using Levels = std::array<LevelFiles, kNumLevels>;

  // Level 0 newest first, the others by smallest key (VersionBuilder sees to
  // that). `tables` outlives the version.
  Version(const KeyOrder& order, const TableCache* tables, Levels levels);
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  const KeyOrder& order() const { return order_; }
  const LevelFiles& files(int level) const {
    return levels_[static_cast<size_t>(level)];
  }
  uint64_t LevelBytes(int level) const {
    return level_bytes_[static_cast<size_t>(level)];
  }
  // The largest of all files; 0: there is none.
  uint64_t LargestEpoch() const { return largest_epoch_; }
  size_t NumFiles() const;
  // The deepest level that holds a file; -1: none does.
  int DeepestLevel() const;

  static constexpr size_t kReadsMax = TableReader::kProbesMax;
  // Passes to each read the visible versions of its key, newest table first,
  // until no older one is needed. A table that cannot be read fails the read.
  // Uses up the context. REQUIRES: at most kReadsMax; within a Guard of the
  // tables' epochs.
  void Get(std::span<PointRead* const> reads, ReadContext&& context) const;

  // One iterator per file of level 0 and per level below. The version outlives
  // them, `tombstones` too, which learns of the range tombstones on their way.
  void AddIterators(const ReadContext& context, RangeDelAggregator* tombstones,
                    std::vector<std::unique_ptr<InternalIterator>>* out) const;

  // Files of the level that overlap [begin, end] in user keys; nullptr:
  // unbounded. Below level 0 in key order; in level 0 also what overlaps a file
  // already chosen, so that no older version stays above a newer one.
  LevelFiles Overlapping(int level, const Slice* begin, const Slice* end) const;

  // File i of a level below 0, with those that hold versions of its first or
  // last key. One that merely touches it, at the end of a range tombstone, is
  // not among them.
  LevelFiles SharingKeysWith(int level, size_t i) const;

  // Whether the file ends before the key. Where a tombstone ends a file, the
  // key it ends at is no longer in there.
  bool EndsBefore(const TableFile& file, const Slice& user_key) const;

  // Whether a file in a level deeper than `level` may hold the key.
  bool MayExistBelow(int level, const Slice& user_key) const;
  // The same for any key in [begin, end).
  bool MayOverlapBelow(int level, const Slice& begin, const Slice& end) const;

  // A line for each file, under its level; for the debugger and test failures.
  std::string DebugString() const;

 private:
  // A key, and a file that may hold it.
  struct Candidate {
    PointRead* read;
    const TableFile* file;
  };
  // On each level of sorted_levels_, for each key: the files that may hold it.
  using CandidateRanges =
      std::array<std::array<LevelIndex::Range, kReadsMax>, kNumLevels>;
  // Files of level 0 whose filters are prefetched; with more of them, lines
  // would be evicted again before they are probed.
  static constexpr size_t kFiltersAheadMax = 8;

  void PrefetchFilters(std::span<PointRead* const> reads,
                       const CandidateRanges& ranges) const;
  void Probe(std::span<const Candidate> candidates,
             const ReadContext& context) const;
  bool Overlaps(const TableFile& file, const Slice* begin,
                const Slice* end) const;
  LevelFiles OverlappingLevel0(const Slice* begin, const Slice* end) const;
  LevelFiles OverlappingSorted(const LevelFiles& sorted, const Slice* begin,
                               const Slice* end) const;
  LevelFiles WithSharedKeys(const LevelFiles& sorted,
                            LevelFiles::const_iterator from,
                            LevelFiles::const_iterator to) const;
  LevelFiles::const_iterator FirstReaching(const LevelFiles& sorted,
                                           const Slice& user_key) const;

  const KeyOrder order_;
  const TableCache* const tables_;
  const Levels levels_;
  std::vector<LevelIndex> indexes_;    // of each level
  std::vector<size_t> sorted_levels_;  // those below 0 with files
  std::array<uint64_t, kNumLevels> level_bytes_{};
  uint64_t largest_epoch_ = 0;
};
using VersionPtr = std::shared_ptr<const Version>;

// Every file of the version, with its level, level 0 first.
template <typename Visit>
void ForEachFile(const Version& version, Visit&& visit) {
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version.files(level)) visit(level, file);
  }
}

}  // namespace tamis
