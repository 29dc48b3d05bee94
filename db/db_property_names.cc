// SPDX-License-Identifier: Apache-2.0
//
// The names of properties, and their parts.
#include <charconv>
#include <string>
#include <system_error>

#include "tamis/db_properties.h"

#include "db/property_names.h"

namespace tamis {

const std::string DBProperties::kNumFilesAtLevelPrefix =
    "rocksdb.num-files-at-level";
const std::string DBProperties::kSSTables = "rocksdb.sstables";
const std::string DBProperties::kStats = "rocksdb.stats";
const std::string DBProperties::kCFStats = "rocksdb.cfstats";
const std::string DBProperties::kCFStatsNoFileHistogram =
    "rocksdb.cfstats-no-file-histogram";
const std::string DBProperties::kCFFileHistogram = "rocksdb.cf-file-histogram";
const std::string DBProperties::kDBStats = "rocksdb.dbstats";
const std::string DBProperties::kCFWriteStallStats =
    "rocksdb.cf-write-stall-stats";
const std::string DBProperties::kDBWriteStallStats =
    "rocksdb.db-write-stall-stats";
const std::string DBProperties::kLevelStats = "rocksdb.levelstats";
const std::string DBProperties::kBackgroundErrors = "rocksdb.background-errors";
const std::string DBProperties::kBackgroundError = "tamis.background-error";
const std::string DBProperties::kFollowerLag = "tamis.follower-lag-micros";
const std::string DBProperties::kFollowerStatus = "tamis.follower-status";
const std::string DBProperties::kIsFileDeletionsEnabled =
    "rocksdb.is-file-deletions-enabled";
const std::string DBProperties::kNumImmutableMemTable =
    "rocksdb.num-immutable-mem-table";
const std::string DBProperties::kMemTableFlushPending =
    "rocksdb.mem-table-flush-pending";
const std::string DBProperties::kNumRunningFlushes =
    "rocksdb.num-running-flushes";
const std::string DBProperties::kCompactionPending =
    "rocksdb.compaction-pending";
const std::string DBProperties::kNumRunningCompactions =
    "rocksdb.num-running-compactions";
const std::string DBProperties::kCurSizeActiveMemTable =
    "rocksdb.cur-size-active-mem-table";
const std::string DBProperties::kCurSizeAllMemTables =
    "rocksdb.cur-size-all-mem-tables";
const std::string DBProperties::kNumEntriesActiveMemTable =
    "rocksdb.num-entries-active-mem-table";
const std::string DBProperties::kEstimateNumKeys = "rocksdb.estimate-num-keys";
const std::string DBProperties::kNumEntriesImmMemTables =
    "rocksdb.num-entries-imm-mem-tables";
const std::string DBProperties::kNumDeletesActiveMemTable =
    "rocksdb.num-deletes-active-mem-table";
const std::string DBProperties::kNumDeletesImmMemTables =
    "rocksdb.num-deletes-imm-mem-tables";
const std::string DBProperties::kOldestSnapshotSequence =
    "rocksdb.oldest-snapshot-sequence";
const std::string DBProperties::kMinLogNumberToKeep =
    "rocksdb.min-log-number-to-keep";
const std::string DBProperties::kBaseLevel = "rocksdb.base-level";
const std::string DBProperties::kCompressionRatioAtLevelPrefix =
    "rocksdb.compression-ratio-at-level";
const std::string DBProperties::kFilterReport = "tamis.filter-report";
const std::string DBProperties::kNumImmutableMemTableFlushed =
    "rocksdb.num-immutable-mem-table-flushed";
const std::string DBProperties::kSizeAllMemTables =
    "rocksdb.size-all-mem-tables";
const std::string DBProperties::kOldestSnapshotTime =
    "rocksdb.oldest-snapshot-time";
const std::string DBProperties::kCurrentSuperVersionNumber =
    "rocksdb.current-super-version-number";
const std::string DBProperties::kActualDelayedWriteRate =
    "rocksdb.actual-delayed-write-rate";
const std::string DBProperties::kIsWriteStopped = "rocksdb.is-write-stopped";
const std::string DBProperties::kEstimateOldestKeyTime =
    "rocksdb.estimate-oldest-key-time";
const std::string DBProperties::kEstimatePendingCompactionBytes =
    "rocksdb.estimate-pending-compaction-bytes";
const std::string DBProperties::kEstimateLiveDataSize =
    "rocksdb.estimate-live-data-size";
const std::string DBProperties::kAggregatedTableProperties =
    "rocksdb.aggregated-table-properties";
const std::string DBProperties::kAggregatedTablePropertiesAtLevel =
    "rocksdb.aggregated-table-properties-at-level";
const std::string DBProperties::kOptionsStatistics =
    "rocksdb.options-statistics";
const std::string DBProperties::kBlockCacheEntryStats =
    "rocksdb.block-cache-entry-stats";
const std::string DBProperties::kFastBlockCacheEntryStats =
    "rocksdb.fast-block-cache-entry-stats";
const std::string DBProperties::kLiveSstFilesSizeAtTemperature =
    "rocksdb.live-sst-files-size-at-temperature";
const std::string DBProperties::kBlobStats = "rocksdb.blob-stats";
const std::string DBProperties::kNumBlobFiles = "rocksdb.num-blob-files";
const std::string DBProperties::kTotalBlobFileSize =
    "rocksdb.total-blob-file-size";
const std::string DBProperties::kLiveBlobFileSize =
    "rocksdb.live-blob-file-size";
const std::string DBProperties::kLiveBlobFileGarbageSize =
    "rocksdb.live-blob-file-garbage-size";
const std::string DBProperties::kMinObsoleteSstNumberToKeep =
    "rocksdb.min-obsolete-sst-number-to-keep";
const std::string DBProperties::kObsoleteSstFilesSize =
    "rocksdb.obsolete-sst-files-size";
const std::string DBProperties::kNumSnapshots = "rocksdb.num-snapshots";
const std::string DBProperties::kNumLiveVersions = "rocksdb.num-live-versions";
const std::string DBProperties::kTotalSstFilesSize =
    "rocksdb.total-sst-files-size";
const std::string DBProperties::kLiveSstFilesSize =
    "rocksdb.live-sst-files-size";
const std::string DBProperties::kBlockCacheCapacity =
    "rocksdb.block-cache-capacity";
const std::string DBProperties::kBlockCacheUsage = "rocksdb.block-cache-usage";
const std::string DBProperties::kBlockCachePinnedUsage =
    "rocksdb.block-cache-pinned-usage";
const std::string DBProperties::kEstimateTableReadersMem =
    "rocksdb.estimate-table-readers-mem";

std::optional<uint8_t> NumberIn(const std::string& name,
                                const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  uint8_t number = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + prefix.size(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<Level> LevelIn(const std::string& name,
                             const std::string& prefix) {
  const std::optional<uint8_t> number = NumberIn(name, prefix);
  if (!number || !IsLevel(Level(*number))) return std::nullopt;
  return Level(*number);
}

}  // namespace tamis
