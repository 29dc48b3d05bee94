// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that describe the database: named
// properties, live files, tables.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/compaction/level_targets.h"
#include "db/db_impl.h"
#include "db/filter_report.h"
#include "db/property_names.h"

namespace tamis {

namespace {

uint64_t AllLevelsBytes(const Version& version) {
  uint64_t bytes = 0;
  for (const Level level : kLevels) {
    bytes += version.LevelBytes(level);
  }
  return bytes;
}

// Returns the size of all tables of all live versions, each counted once.
uint64_t LiveTableBytes(ColumnFamily* family) {
  std::map<FileNumber, uint64_t> sizes;
  for (const VersionPtr& version : family->LiveVersions()) {
    ForEachFile(*version, [&](Level, const TableFilePtr& file) {
      sizes[file->meta.number] = file->meta.size;
    });
  }
  uint64_t bytes = 0;
  for (const auto& [number, size] : sizes) bytes += size;
  return bytes;
}

// Estimates the number of keys from the counts of memtables and tables.
uint64_t EstimateKeys(const ColumnFamily& family) {
  const ReadStatePtr state = family.AcquireReadState();
  uint64_t puts = state->memtable->num_entries();
  uint64_t deletes = state->memtable->num_deletes();
  for (const auto& memtable : state->immutables) {
    puts += memtable->num_entries();
    deletes += memtable->num_deletes();
  }
  // Takes tables at equal distances in the order of levels and keys, opens them
  // if necessary, and takes the others to be like them.
  constexpr size_t kOpenedMax = 256;
  size_t closed = 0;
  ForEachFile(*state->version, [&](Level, const TableFilePtr& file) {
    if (file->reader_if_open() == nullptr) ++closed;
  });
  const size_t tables = state->version->NumFiles();
  const size_t sample = closed <= kOpenedMax ? tables : kOpenedMax;
  size_t index = 0;
  uint64_t known_bytes = 0;
  uint64_t other_bytes = 0;
  uint64_t table_puts = 0;
  uint64_t table_deletes = 0;
  ForEachFile(*state->version, [&](Level, const TableFilePtr& file) {
    const bool sampled =
        index * sample / tables != (index + 1) * sample / tables;
    ++index;
    TableReaderPtr reader;
    if (sampled) {
      auto found = family.tables().Reader(*file);
      if (found.ok()) reader = *std::move(found);
    }
    (reader != nullptr ? known_bytes : other_bytes) += file->meta.size;
    if (reader == nullptr) return;
    table_puts += reader->properties()->num_entries;
    table_deletes += reader->properties()->num_deletions;
  });
  const double share = known_bytes == 0
                           ? 0
                           : 1 + static_cast<double>(other_bytes) /
                                     static_cast<double>(known_bytes);
  puts += static_cast<uint64_t>(static_cast<double>(table_puts) * share);
  deletes += static_cast<uint64_t>(static_cast<double>(table_deletes) * share);
  // A tombstone is an entry itself, and most hide another one.
  return puts > 2 * deletes ? puts - 2 * deletes : 0;
}

uint64_t TableReadersMemory(const ColumnFamily& family) {
  uint64_t bytes = 0;
  ForEachFile(*family.version(), [&](Level, const TableFilePtr& file) {
    const TableReaderPtr reader = file->FindReader();
    if (reader) bytes += reader->ApproximateMemoryUsage();
  });
  return bytes;
}

std::string TableList(const Version& version) {
  std::string text;
  ForEachFile(version, [&](Level level, const TableFilePtr& file) {
    const FileMetaData& meta = file->meta;
    text += "level " + level.ToString() + " table " + meta.number.ToString() +
            " bytes " + std::to_string(meta.size) + " [" +
            InternalKeyToString(meta.smallest) + " .. " +
            InternalKeyToString(meta.largest) + "] epoch " +
            meta.epoch_number.ToString() + "\n";
  });
  return text;
}

uint64_t LiveDataBytes(const Version& version) {
  uint64_t bytes = 0;
  for (const Level level : kLevelsDeepestFirst) {
    for (const TableFilePtr& file : version.files(level)) {
      const Slice smallest = ExtractUserKey(file->meta.smallest);
      const Slice largest = ExtractUserKey(file->meta.largest);
      const auto below = LevelsBelow(level);
      const bool overlaps =
          std::any_of(below.begin(), below.end(), [&](Level deeper) {
            return !version.Overlapping(deeper, &smallest, &largest).empty();
          });
      if (!overlaps) bytes += file->meta.size;
    }
  }
  return bytes;
}

uint64_t SumOfImmutables(const ColumnFamily& family,
                         uint64_t (MemTable::*count)() const) {
  uint64_t sum = 0;
  for (const auto& memtable : family.immutables()) {
    sum += ((*memtable).*count)();
  }
  return sum;
}

// Returns the bytes of the active memtable and the immutable ones.
uint64_t MemTableBytes(const ColumnFamily& family) {
  return family.memtable()->ApproximateMemoryUsage() +
         SumOfImmutables(family, &MemTable::ApproximateMemoryUsage);
}

// Returns false if the time is unknown. See DBProperties.
bool OldestKeyTime(const ColumnFamily& family, uint64_t* seconds) {
  const ColumnFamilyOptions& options = family.options();
  if (options.compaction_style != kCompactionStyleFIFO ||
      options.compaction_options_fifo.allow_compaction) {
    return false;
  }
  uint64_t oldest = UINT64_MAX;
  ForEachFile(*family.version(), [&](Level, const TableFilePtr& file) {
    const uint64_t time = file->meta.oldest_ancestor_time;
    if (time != 0) oldest = std::min(oldest, time);
  });
  if (oldest == UINT64_MAX) return false;
  *seconds = oldest;
  return true;
}

// Returns the bytes of keys and values per byte of the open tables of a level,
// or -1 if there are none.
double CompressionRatio(const Version& version, Level level) {
  uint64_t raw = 0;
  uint64_t stored = 0;
  for (const TableFilePtr& file : version.files(level)) {
    const TableReaderPtr reader = file->FindReader();
    if (reader == nullptr) continue;
    raw += reader->properties()->raw_key_size +
           reader->properties()->raw_value_size;
    stored += file->meta.size;
  }
  if (stored == 0) return -1;
  return static_cast<double>(raw) / static_cast<double>(stored);
}

bool IsLeveled(const ColumnFamilyOptions& options) {
  return options.compaction_style == kCompactionStyleLevel;
}

// Returns false if `name` is not a property of the family's data.
bool GetFamilyProperty(const ColumnFamily& family, const std::string& name,
                       uint64_t* value) {
  using P = DBProperties;
  if (name == P::kNumEntriesImmMemTables) {
    *value = SumOfImmutables(family, &MemTable::num_entries);
  } else if (name == P::kNumDeletesActiveMemTable) {
    *value = family.memtable()->num_deletes();
  } else if (name == P::kNumDeletesImmMemTables) {
    *value = SumOfImmutables(family, &MemTable::num_deletes);
  } else if (name == P::kBaseLevel) {
    const ColumnFamilyOptions& options = family.options();
    *value = 1;
    if (IsLeveled(options)) {
      *value = static_cast<uint64_t>(
          LevelTargetsOf(*family.version(), options).base.value());
    }
  } else if (name == P::kEstimateLiveDataSize) {
    *value = LiveDataBytes(*family.version());
  } else if (name == P::kLiveSstFilesSize) {
    *value = AllLevelsBytes(*family.version());
  } else if (name == P::kEstimateTableReadersMem) {
    *value = TableReadersMemory(family);
  } else if (name == P::kCurrentSuperVersionNumber) {
    *value = family.state_number();
  } else if (name == P::kEstimateOldestKeyTime) {
    return OldestKeyTime(family, value);
  } else {
    return false;
  }
  return true;
}

// Returns false if `name` is not a property of memtables that were flushed.
bool GetFlushedProperty(ColumnFamily* family, const std::string& name,
                        uint64_t* value) {
  const bool counts = name == DBProperties::kNumImmutableMemTableFlushed;
  if (!counts && name != DBProperties::kSizeAllMemTables) return false;
  const auto flushed = family->FlushedMemTables();
  *value = counts ? flushed.size() : MemTableBytes(*family);
  if (counts) return true;
  for (const auto& memtable : flushed) {
    *value += memtable->ApproximateMemoryUsage();
  }
  return true;
}

// Returns whether the property has one value for all families.
bool IsOfDatabase(const std::string& name) {
  using P = DBProperties;
  const std::string* const all[] = {
      &P::kNumRunningFlushes,    &P::kNumRunningCompactions,
      &P::kBackgroundErrors,     &P::kIsFileDeletionsEnabled,
      &P::kNumSnapshots,         &P::kOldestSnapshotSequence,
      &P::kOldestSnapshotTime,   &P::kMinLogNumberToKeep,
      &P::kIsWriteStopped,       &P::kActualDelayedWriteRate,
      &P::kObsoleteSstFilesSize, &P::kMinObsoleteSstNumberToKeep,
      &P::kFollowerLag};
  return std::any_of(std::begin(all), std::end(all),
                     [&](const std::string* one) { return *one == name; });
}

// Returns false if `name` is not a property with one value for all databases.
bool GetConstantProperty(const std::string& name, uint64_t* value) {
  using P = DBProperties;
  if (name == P::kMinObsoleteSstNumberToKeep) {
    *value = UINT64_MAX;
    return true;
  }
  *value = 0;
  return name == P::kNumBlobFiles || name == P::kTotalBlobFileSize ||
         name == P::kLiveBlobFileSize || name == P::kLiveBlobFileGarbageSize;
}

// Returns false if `name` is not a property of the block cache.
bool GetCacheProperty(const BlockCache& cache, const std::string& name,
                      uint64_t* value) {
  using P = DB::Properties;
  if (name == P::kBlockCacheCapacity) {
    *value = cache.GetCapacity();
  } else if (name == P::kBlockCacheUsage) {
    *value = cache.GetUsage();
  } else if (name == P::kBlockCachePinnedUsage) {
    *value = cache.GetPinnedUsage();
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool DBImpl::GetFollowerLag(uint64_t* micros) const {
  if (primary_ == nullptr) return false;
  *micros = (context_.clock()->NowNanos() - primary_->caught_up_at()) / 1000;
  return true;
}

bool DBImpl::GetIntProperty(ColumnFamilyHandle* handle, const Slice& property,
                            uint64_t* value) {
  if (!CheckOpen().ok()) return false;
  ColumnFamily& family = *FamilyOf(handle);
  const std::string name = property.ToString();
  if (name == DB::Properties::kEstimateNumKeys) {
    // May open tables, so the mutex must not be held.
    *value = EstimateKeys(family);
    return true;
  }
  if (GetConstantProperty(name, value)) return true;
  if (name == DB::Properties::kFollowerLag) return GetFollowerLag(value);
  // May release what other databases retired, so no mutex is held.
  if (GetCacheProperty(family.tables().block_cache(), name, value)) return true;
  MutexLock lock(&mutex_);
  using P = DB::Properties;
  if (name == P::kNumImmutableMemTable) {
    *value = family.immutables().size();
  } else if (name == P::kMemTableFlushPending) {
    *value = family.FlushIsDue() ? 1 : 0;
  } else if (name == P::kNumRunningFlushes) {
    *value = static_cast<uint64_t>(scheduler_.running_flushes());
  } else if (name == P::kCompactionPending) {
    *value = scheduler_.CompactionPending(family) ? 1 : 0;
  } else if (name == P::kNumRunningCompactions) {
    *value = static_cast<uint64_t>(scheduler_.running_compactions());
  } else if (name == P::kIsFileDeletionsEnabled) {
    *value = obsolete_.enabled() ? 1 : 0;
  } else if (name == P::kBackgroundErrors) {
    *value = errors_.ok() ? 0 : 1;
  } else if (name == P::kCurSizeActiveMemTable) {
    *value = family.memtable()->ApproximateMemoryUsage();
  } else if (name == P::kCurSizeAllMemTables) {
    *value = MemTableBytes(family);
  } else if (name == P::kNumEntriesActiveMemTable) {
    *value = family.memtable()->num_entries();
  } else if (name == P::kNumSnapshots) {
    *value = snapshots_.count();
  } else if (name == P::kOldestSnapshotSequence) {
    const std::vector<SequenceNumber> all = snapshots_.All();
    *value = all.empty() ? 0 : all.front();
  } else if (name == P::kOldestSnapshotTime) {
    *value = static_cast<uint64_t>(snapshots_.oldest_unix_time());
  } else if (name == P::kActualDelayedWriteRate) {
    *value = write_path_.stalls().MustDelay()
                 ? std::max<uint64_t>(
                       context_.Live<&DBOptions::delayed_write_rate>(), 1)
                 : 0;
  } else if (name == P::kIsWriteStopped) {
    *value =
        write_path_.stalls().MaySwitch(*versions_.families().view()) ? 0 : 1;
  } else if (name == P::kMinLogNumberToKeep) {
    *value = versions_.min_log_number_to_keep().value();
  } else if (name == P::kNumLiveVersions) {
    *value = family.LiveVersions().size();
  } else if (name == P::kEstimatePendingCompactionBytes) {
    const ColumnFamilyOptions& options = family.options();
    *value = IsLeveled(options) && !options.disable_auto_compactions
                 ? PendingCompactionBytes(*family.version(), options)
                 : 0;
  } else if (name == P::kObsoleteSstFilesSize) {
    *value = obsolete_.TableBytes();
  } else if (name == P::kTotalSstFilesSize) {
    *value = LiveTableBytes(&family);
  } else {
    return GetFlushedProperty(&family, name, value) ||
           GetFamilyProperty(family, name, value);
  }
  return true;
}

bool DBImpl::GetAggregatedIntProperty(const Slice& property, uint64_t* value) {
  if (!CheckOpen().ok()) return false;
  const std::string name = property.ToString();
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  std::set<const BlockCache*> caches;
  *value = 0;
  for (const ColumnFamilyPtr& family : *families) {
    uint64_t of_family = 0;
    const BlockCache& cache = family->tables().block_cache();
    if (GetCacheProperty(cache, name, &of_family)) {
      if (!caches.insert(&cache).second) continue;
    } else {
      ColumnFamilyHandleImpl handle(this, family);
      if (!GetIntProperty(&handle, property, &of_family)) return false;
    }
    *value += of_family;
    if (IsOfDatabase(name)) break;
  }
  return true;
}

bool DBImpl::GetProperty(ColumnFamilyHandle* handle, const Slice& property,
                         std::string* value) {
  uint64_t number = 0;
  if (GetIntProperty(handle, property, &number)) {
    *value = std::to_string(number);
    return true;
  }
  if (!CheckOpen().ok()) return false;
  const std::string name = property.ToString();
  if (name == DBProperties::kOptionsStatistics) {
    if (context_.statistics() == nullptr) return false;
    *value = context_.statistics()->ToString();
    return true;
  }
  std::optional<Level> level =
      LevelIn(name, DBProperties::kAggregatedTablePropertiesAtLevel);
  if (level || name == DBProperties::kAggregatedTableProperties) {
    TableProperties sum;
    if (!SumTableProperties(handle, level, &sum).ok()) return false;
    *value = sum.ToString();
    return true;
  }
  if (GetStatsText(FamilyOf(handle).get(), name, value)) return true;
  if (name == DBProperties::kFilterReport) {
    const auto report = MakeFilterReport(*FamilyOf(handle));
    if (!report.ok()) return false;
    *value = FilterReportText(*report);
    return true;
  }
  using P = DBProperties;
  MutexLock lock(&mutex_);
  const Version& version = *FamilyOf(handle)->version();
  level = LevelIn(name, DBProperties::kNumFilesAtLevelPrefix);
  if (level) {
    *value = std::to_string(version.files(*level).size());
  } else if ((level = LevelIn(name,
                              DBProperties::kCompressionRatioAtLevelPrefix))) {
    *value = std::to_string(CompressionRatio(version, *level));
  } else if (const auto temperature =
                 NumberIn(name, P::kLiveSstFilesSizeAtTemperature)) {
    // No table has another temperature than 0.
    *value = std::to_string(*temperature == 0 ? AllLevelsBytes(version) : 0);
  } else if (name == DB::Properties::kBlobStats) {
    *value =
        "Number of blob files: 0\nTotal size of blob files: 0\nTotal size of "
        "garbage in blob files: 0\nBlob file space amplification: 0\n";
  } else if (name == DB::Properties::kSSTables) {
    *value = TableList(version);
  } else if (name == DB::Properties::kBackgroundError) {
    *value = errors_.error().ToString();
  } else if (name == DB::Properties::kFollowerStatus && follower_ != nullptr) {
    *value = follower_->last_look().ToString();
  } else {
    return false;
  }
  return true;
}

Options DBImpl::GetOptions(ColumnFamilyHandle* handle) const {
  return {GetDBOptions(), *FamilyOf(handle)->AcquireReadState()->options};
}

DBOptions DBImpl::GetDBOptions() const {
  DBOptions options = context_.options;
  context_.live_options.CopyTo(&options);
  if (context_.shared_runner) options.job_runner = nullptr;
  return options;
}

Status DBImpl::GetDbIdentity(std::string* identity) const {
  *identity = context_.db_id;
  return Status::OK();
}

Status DBImpl::GetDbSessionId(std::string* session_id) const {
  *session_id = context_.session_id;
  return Status::OK();
}

}  // namespace tamis
