// SPDX-License-Identifier: Apache-2.0
//
// The names of properties.
#include <string>

#include "tamis/db_properties.h"

namespace tamis {

const std::string DBProperties::kNumFilesAtLevelPrefix =
    "rocksdb.num-files-at-level";
const std::string DBProperties::kSSTables = "rocksdb.sstables";
const std::string DBProperties::kStats = "rocksdb.stats";
const std::string DBProperties::kLevelStats = "rocksdb.levelstats";
const std::string DBProperties::kBackgroundErrors = "rocksdb.background-errors";
const std::string DBProperties::kBackgroundError = "tamis.background-error";
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

}  // namespace tamis
