// SPDX-License-Identifier: Apache-2.0
//
// The names of the properties of a database, for DB::GetProperty.
#pragma once

#include <string>

#include "tamis/export.h"

namespace tamis {

struct TAMIS_EXPORT DBProperties {
  // "rocksdb.num-files-at-level<N>" is the number of files at level N.
  static const std::string kNumFilesAtLevelPrefix;
  // kSSTables has one line per table.
  static const std::string kSSTables;
  // kLevelStats has one line per level, with files and MiB.
  static const std::string kLevelStats;
  // What flushes, compactions and ingestions of the family have read and
  // written since the open, or DB::ResetStats, by level and by priority; how
  // often writes stalled, and why. A text with RocksDB's lines, or a map with
  // its keys, such as "compaction.L0.SizeBytes" and
  // "io_stalls.total_slowdown". Each text begins a new interval. As text,
  // kCFStats has kCFFileHistogram, too.
  static const std::string kCFStats;
  static const std::string kCFStatsNoFileHistogram;
  // Latencies of reads of tables, by level. Needs DBOptions::statistics.
  static const std::string kCFFileHistogram;
  // Writes, the log and stalls of the database since then: a text, or a map.
  static const std::string kDBStats;
  // kCFStats, then kDBStats.
  static const std::string kStats;
  // How often the family's writes began to slow down ("-delays") and stopped
  // ("-stops"), by cause; and how often all writes waited for the
  // write_buffer_manager. Texts, or maps. RocksDB counts a family's stalls at
  // each change of its tables, which gives higher numbers.
  static const std::string kCFWriteStallStats;
  static const std::string kDBWriteStallStats;
  // kBackgroundErrors is "1" if a background error blocks writes, else "0".
  // kBackgroundError is its text.
  static const std::string kBackgroundErrors;
  static const std::string kBackgroundError;
  // Of a secondary instance, other databases have neither. kFollowerLag is how
  // many microseconds ago the last look began that succeeded: all that the
  // primary had logged by then is shown. kFollowerStatus is what the last look
  // of DB::OpenAsFollower returned, "OK" or an error.
  static const std::string kFollowerLag;
  static const std::string kFollowerStatus;
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
  // "rocksdb.compression-ratio-at-level<N>": the bytes of keys and values per
  // byte of the tables at level N that are open; -1 if none is.
  static const std::string kCompressionRatioAtLevelPrefix;
  // What filters hold, promise and do (docs/filters.md, "Filters of an open
  // database"): a table, a line for each level and codec of the family. As a
  // map, "<level>.<codec>.<column>". Reads all filters from their files, and
  // opens all tables.
  static const std::string kFilterReport;
  // What the block cache of the family holds, by the roles that RocksDB names:
  // a text, or a map, "count.data-block" and so on. The first scans the cache;
  // the second is the same, since scans are quick.
  static const std::string kBlockCacheEntryStats;
  static const std::string kFastBlockCacheEntryStats;
  // "rocksdb.live-sst-files-size-at-temperature<N>": the bytes of live tables
  // with the temperature N. All have 0, which means that it is unknown.
  static const std::string kLiveSstFilesSizeAtTemperature;
  // There are no blob files: these are zeros, as in a RocksDB without them.
  static const std::string kBlobStats;
  static const std::string kNumBlobFiles;
  static const std::string kTotalBlobFileSize;
  static const std::string kLiveBlobFileSize;
  static const std::string kLiveBlobFileGarbageSize;
  // The others are integers: counts and bytes.
  static const std::string kNumImmutableMemTable;
  static const std::string kMemTableFlushPending;
  static const std::string kNumRunningFlushes;
  static const std::string kCompactionPending;
  static const std::string kNumRunningCompactions;
  static const std::string kCurSizeActiveMemTable;
  static const std::string kCurSizeAllMemTables;
  // Memtables that have been flushed, but are in use by iterators or other
  // reads; and the bytes of all, these included.
  static const std::string kNumImmutableMemTableFlushed;
  static const std::string kSizeAllMemTables;
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
  // Unix seconds of Snapshot::GetUnixTime; 0 if there is no snapshot.
  static const std::string kOldestSnapshotTime;
  // The number of the oldest log that an open would replay.
  static const std::string kMinLogNumberToKeep;
  // The level that level 0 is compacted into.
  static const std::string kBaseLevel;
  // The bytes of tables without those that overlap a deeper table: what is left
  // if all that they overwrite or delete were gone.
  static const std::string kEstimateLiveDataSize;
  static const std::string kNumLiveVersions;
  // Grows when the family's memtables or tables are replaced. Each open starts
  // anew.
  static const std::string kCurrentSuperVersionNumber;
  // The bytes per second that writes are slowed down to, 0 while they are not.
  // It is 1 if they are with a delayed_write_rate of 0, which is no limit of
  // bytes.
  static const std::string kActualDelayedWriteRate;
  // 1 if a write that needs a new memtable has to wait for flushes or
  // compactions of some family, else 0.
  static const std::string kIsWriteStopped;
  // When the oldest entry of a table was written, in Unix seconds. There is no
  // such property unless the family has kCompactionStyleFIFO without
  // allow_compaction, and a table that tells.
  static const std::string kEstimateOldestKeyTime;
  // 2^64 - 1: which tables can be deleted does not depend on their numbers.
  static const std::string kMinObsoleteSstNumberToKeep;
  static const std::string kTotalSstFilesSize;
  // Of tables of all families that nothing uses any more, but that were not
  // deleted yet, as after DisableFileDeletions.
  static const std::string kObsoleteSstFilesSize;
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
