// SPDX-License-Identifier: Apache-2.0
//
// A Version is the set of live tables at one time: level 0, whose files may
// overlap and are ordered by age, and the levels below it, each sorted and
// disjoint. For one key, all of a level is newer than all of deeper levels.
//
// Immutable; any thread. Readers share it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/version/level_index.h"
#include "db/version/table_cache.h"
#include "table/internal_iterator.h"

namespace tamis {

class RangeDelAggregator;

// Files of one level, in its order.
using LevelFiles = std::vector<TableFilePtr>;

class Version {
 public:
  using Levels = std::array<LevelFiles, kNumLevels>;

  // `tables` must outlive *this. REQUIRES: level 0 is sorted newest first, the
  // others by smallest key. VersionBuilder ensures it.
  Version(const KeyOrder& order, const TableCache* tables, Levels levels);
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  const KeyOrder& order() const { return order_; }
  const LevelFiles& files(int level) const {
    TAMIS_DCHECK(level >= 0);
    TAMIS_DCHECK(level < kNumLevels);
    return levels_[static_cast<size_t>(level)];
  }
  uint64_t LevelBytes(int level) const {
    TAMIS_DCHECK(level >= 0);
    TAMIS_DCHECK(level < kNumLevels);
    return level_bytes_[static_cast<size_t>(level)];
  }
  // The largest epoch number of a file; 0: none.
  EpochNumber LargestEpoch() const { return largest_epoch_; }
  size_t NumFiles() const;
  // The deepest level with a file; -1: none.
  int DeepestLevel() const;

  static constexpr size_t kReadsMax = TableReader::kProbesMax;
  // Passes to each read the visible versions of its key, newest table first,
  // until no older one is needed. An unreadable table fails the read. Changes
  // the context. REQUIRES: at most kReadsMax reads; called within a Guard of
  // the tables' epochs.
  void Get(std::span<PointRead* const> reads, ReadContext&& context) const;

  // Appends an iterator for each file of level 0 and for each other level with
  // files. *this and `tombstones` (see NewLevelIterator) must outlive them.
  void AddIterators(const ReadContext& context, RangeDelAggregator* tombstones,
                    std::vector<std::unique_ptr<InternalIterator>>* out) const;

  // The files of the level that overlap [begin, end] in user keys; nullptr:
  // unbounded. Includes files whose omission could leave an older version above
  // a newer one: in level 0 those that overlap an included file, below it those
  // that share a user key with one.
  LevelFiles Overlapping(int level, const Slice* begin, const Slice* end) const;

  // File i of a level below 0, and the files that share a user key with it, or
  // with another of them. The exclusive end of a range tombstone is not shared.
  LevelFiles SharingKeysWith(int level, size_t i) const;

  // Whether the file ends before the key. A file that ends in a tombstone does
  // not contain the key at which it ends.
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
  // For each level of sorted_levels_ and each key: the files that may hold it.
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
  std::vector<LevelIndex> indexes_;    // by level
  std::vector<size_t> sorted_levels_;  // levels below 0 with files
  std::array<uint64_t, kNumLevels> level_bytes_{};
  EpochNumber largest_epoch_;
};
using VersionPtr = std::shared_ptr<const Version>;

// Calls visit(level, file) for every file of the version, level 0 first.
template <typename Visit>
void ForEachFile(const Version& version, Visit&& visit) {
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version.files(level)) visit(level, file);
  }
}

}  // namespace tamis
