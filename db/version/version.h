// SPDX-License-Identifier: Apache-2.0
//
// A Version is the set of live tables of a column family at one time. The files
// of level 0 may overlap and are ordered by age. Those of each level below it
// are sorted and disjoint. The entries of a key in one level are newer than
// those in deeper levels.
//
// A Version is immutable. Readers on any thread share it through a VersionPtr;
// the tables of a Version are not deleted as long as it exists.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/version/level_index.h"
#include "db/version/table_cache.h"
#include "table/internal_iterator.h"

namespace tamis {

class RangeDelAggregator;

// Files of one level, in the level's order.
using LevelFiles = std::vector<TableFilePtr>;

class Version {
 public:
  using Levels = PerLevel<LevelFiles>;

  // `tables` must outlive *this. REQUIRES: level 0 is sorted newest first, and
  // the others by smallest key, as VersionBuilder sorts them.
  Version(const KeyOrder& order, const TableCache* tables, Levels levels);
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  const KeyOrder& order() const { return order_; }
  const LevelFiles& files(Level level) const { return levels_[level]; }
  uint64_t LevelBytes(Level level) const { return level_bytes_[level]; }
  // Returns the largest epoch number of a file, or 0 if there are no files.
  EpochNumber LargestEpoch() const { return largest_epoch_; }
  size_t NumFiles() const;
  // Returns whether a file above the deepest level that has some is marked.
  bool has_marked_files() const { return has_marked_files_; }

  static constexpr size_t kReadsMax = TableReader::kProbesMax;
  // Passes to each read the visible versions of its key, newest table first,
  // until no older one is needed. A read whose table is unreadable fails.
  // REQUIRES: at most kReadsMax reads; the caller is within a Guard of the
  // tables' epochs.
  void Get(std::span<PointRead* const> reads, ReadContext&& context) const;

  // Passes to the read the versions of its key in tables with changes after
  // `since`, newest table first, until it has one that is. Fails the read if a
  // table is unreadable. REQUIRES: the caller is within a Guard of the tables'
  // epochs.
  void GetChange(PointRead* read, SequenceNumber since,
                 ReadContext context) const;

  // Appends an iterator for each file of level 0 and for each other level with
  // files. *this and `tombstones` (see NewLevelIterator) must outlive them.
  void AddIterators(const ReadContext& context, RangeDelAggregator* tombstones,
                    std::vector<std::unique_ptr<InternalIterator>>* out) const;

  // Returns the files of the level that overlap [begin, end] in user keys. A
  // bound of nullptr does not limit. Adds the files without which a compaction
  // of the result could move a newer version below an older one: in level 0,
  // files that overlap a file of the result; in other levels, files that share
  // a user key with one.
  LevelFiles Overlapping(Level level, const Slice* begin,
                         const Slice* end) const;

  // Returns the files of deeper levels that overlap this file of the level.
  LevelFiles OverlappingBelow(Level level, const FileMetaData& file) const;

  struct Place {
    Level level;
    size_t index = 0;  // in files(level)
  };
  // Returns where the file of that number is; nullopt if it is not here.
  std::optional<Place> Find(FileNumber number) const;

  // Returns file i of the level and, transitively, all files that share a user
  // key with a file of the result. A file does not contain the exclusive end of
  // a range tombstone. REQUIRES: level > 0.
  LevelFiles SharingKeysWith(Level level, size_t i) const;

  // Returns whether the file ends before the key. A file that ends in a
  // tombstone does not contain the key at which it ends.
  bool EndsBefore(const TableFile& file, const Slice& user_key) const;

  // Returns whether a file in a level deeper than `level` may hold the key.
  bool MayExistBelow(Level level, const Slice& user_key) const;
  // Returns the same for any key in [begin, end).
  bool MayOverlapBelow(Level level, const Slice& begin, const Slice& end) const;

  // Returns a line for each file, under its level; for the debugger and test
  // failures.
  std::string DebugString() const;

 private:
  // Up to kReadsMax reads, or one. The compiler makes straight code of the
  // loops over one.
  using Reads = std::span<PointRead* const>;
  using OneRead = std::span<PointRead* const, 1>;
  template <typename ReadsOrOne>
  static constexpr size_t kMost =
      ReadsOrOne::extent == std::dynamic_extent ? kReadsMax : 1;
  // The files that may hold a key, by level of sorted_levels_ and by read.
  template <typename ReadsOrOne>
  using CandidateRanges =
      PerLevel<std::array<LevelIndex::Range, kMost<ReadsOrOne>>>;
  // The number of level-0 files whose filters are prefetched. With more, lines
  // would be evicted again before they are probed.
  static constexpr size_t kFiltersAheadMax = 8;

  const LevelIndex& index(Level level) const {
    return indexes_[static_cast<size_t>(level.value())];
  }
  // `weight` is that of the lookups in the files' counts, 0 for most.
  template <typename ReadsOrOne>
  void Search(ReadsOrOne reads, uint64_t weight, ReadContext* context) const;
  template <typename ReadsOrOne>
  void PrefetchFilters(ReadsOrOne reads,
                       const CandidateRanges<ReadsOrOne>& ranges) const;
  enum class Round : uint8_t { kFirst, kNextOfLevel };
  // Looks up the keys of one file each, which file_of(i) returns for read i;
  // nullptr if no file may hold its key. Returns whether there was such a file,
  // and sets *answered if no read needs an older version.
  template <typename ReadsOrOne, typename FileOf>
  bool Probe(ReadsOrOne reads, uint64_t weight, const ReadContext& context,
             Round round, bool* answered, const FileOf& file_of) const;
  // Returns the reader of the file, and passes the range tombstone over the key
  // to the read. Keeps the reader in *counted if it needs a reference. If the
  // file cannot be opened, fails the read and returns nullptr.
  const TableReader* ReaderFor(PointRead* read, const TableFile& file,
                               const ReadContext& context,
                               TableReaderPtr* counted) const;
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
  std::vector<LevelIndex> indexes_;   // by level
  std::vector<LevelIndex> newest_;    // of each file of level 0
  std::vector<Level> sorted_levels_;  // levels below 0 with files
  PerLevel<uint64_t> level_bytes_{};
  EpochNumber largest_epoch_;
  bool has_marked_files_ = false;
};
using VersionPtr = std::shared_ptr<const Version>;

// Return the number of tables, or their bytes, of each level down to the
// deepest with tables, for LOG: "4,0,17"; "0" if there are none.
std::string TablesByLevel(const Version& version);
std::string BytesByLevel(const Version& version);

// Calls visit(level, file) for every file of the version, level 0 first.
template <typename Visit>
void ForEachFile(const Version& version, Visit&& visit) {
  for (const Level level : kLevels) {
    for (const TableFilePtr& file : version.files(level)) visit(level, file);
  }
}

}  // namespace tamis
