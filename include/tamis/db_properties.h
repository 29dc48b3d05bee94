// SPDX-License-Identifier: Apache-2.0
//
// The names of the properties of a database, for DB::GetProperty.
#pragma once

#include <string>

namespace tamis {

struct DBProperties {
  // "rocksdb.num-files-at-level<N>" is the number of files at level N.
  static const std::string kNumFilesAtLevelPrefix;
  // kSSTables has one line per table.
  static const std::string kSSTables;
  // kLevelStats has one line per level, with files and bytes. kStats adds the
  // running jobs and the background error.
  static const std::string kStats;
  static const std::string kLevelStats;
  // kBackgroundErrors is "1" if a background error blocks writes, else "0".
  // kBackgroundError is its text.
  static const std::string kBackgroundErrors;
  static const std::string kBackgroundError;
  // kIsFileDeletionsEnabled is 1, or 0 after DisableFileDeletions.
  static const std::string kIsFileDeletionsEnabled;
  // kAggregatedTableProperties has the sums of the tables' properties; so has
  // DB::GetMapProperty, by name. "rocksdb.aggregated-table-properties-at-
  // level<N>" is that of one level. Both open all tables.
  static const std::string kAggregatedTableProperties;
  static const std::string kAggregatedTablePropertiesAtLevel;
  // Statistics::ToString() of DBOptions::statistics; there is no such property
  // without them.
  static const std::string kOptionsStatistics;
  // The others are integers: counts and bytes.
  static const std::string kNumImmutableMemTable;
  static const std::string kMemTableFlushPending;
  static const std::string kNumRunningFlushes;
  static const std::string kCompactionPending;
  static const std::string kNumRunningCompactions;
  static const std::string kCurSizeActiveMemTable;
  static const std::string kCurSizeAllMemTables;
  // Of memtables, active or immutable: entries and, among them, deletions.
  static const std::string kNumEntriesActiveMemTable;
  static const std::string kNumEntriesImmMemTables;
  static const std::string kNumDeletesActiveMemTable;
  static const std::string kNumDeletesImmMemTables;
  static const std::string kEstimateNumKeys;
  // See soft_pending_compaction_bytes_limit. Only kCompactionStyleLevel has
  // any.
  static const std::string kEstimatePendingCompactionBytes;
  static const std::string kNumSnapshots;
  // 0 if there is no snapshot.
  static const std::string kOldestSnapshotSequence;
  // The number of the oldest log that an open would replay.
  static const std::string kMinLogNumberToKeep;
  // The level that level 0 is compacted into.
  static const std::string kBaseLevel;
  // The bytes of tables without those that overlap a deeper table: what is left
  // if all that they overwrite or delete were gone.
  static const std::string kEstimateLiveDataSize;
  static const std::string kNumLiveVersions;
  static const std::string kTotalSstFilesSize;
  static const std::string kLiveSstFilesSize;
  // kBlockCacheUsage includes kEstimateTableReadersMem of every family of
  // every database that uses the cache. By default, RocksDB counts these
  // apart.
  static const std::string kBlockCacheCapacity;
  static const std::string kBlockCacheUsage;
  static const std::string kBlockCachePinnedUsage;
  static const std::string kEstimateTableReadersMem;
};

}  // namespace tamis
