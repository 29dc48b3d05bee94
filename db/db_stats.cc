// SPDX-License-Identifier: Apache-2.0
//
// This file implements the properties of DBImpl that tell what jobs and writes
// have done: it collects the figures, and db/stats_report.h makes the text.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "db/cache_report.h"
#include "db/compaction/compaction_picker.h"
#include "db/compaction/universal_picker.h"
#include "db/db_impl.h"
#include "db/stats_report.h"

namespace tamis {

namespace {

using Time = std::chrono::steady_clock::time_point;
using P = DBProperties;

double SecondsSince(Time begin, Time now) {
  return std::chrono::duration<double>(now - begin).count();
}

bool IsOfCache(const std::string& name) {
  return name == P::kBlockCacheEntryStats ||
         name == P::kFastBlockCacheEntryStats;
}

// How urgent a compaction of the level is: it is due from 1 on.
double ScoreOf(const ColumnFamily& family, Level level) {
  const ColumnFamilyOptions& options = family.options();
  const Version& version = *family.version();
  switch (options.compaction_style) {
    case kCompactionStyleLevel:
      return CompactionScore(version, level, options);
    case kCompactionStyleUniversal:
      if (level != kLevelZero) return 0;
      return static_cast<double>(SortedRunsOf(version).size()) /
             std::max(1, options.level0_file_num_compaction_trigger);
    case kCompactionStyleFIFO:
      if (level != kLevelZero) return 0;
      return static_cast<double>(version.LevelBytes(kLevelZero)) /
             static_cast<double>(std::max<uint64_t>(
                 1, options.compaction_options_fifo.max_table_files_size));
    case kCompactionStyleNone:
      break;
  }
  return 0;
}

}  // namespace

PerLevel<LevelFacts> DBImpl::LevelFactsOf(const ColumnFamily& family) const {
  PerLevel<LevelFacts> levels;
  for (const Level level : kLevels) {
    const LevelFiles& files = family.version()->files(level);
    LevelFacts& facts = levels[level];
    facts.files = files.size();
    facts.bytes = family.version()->LevelBytes(level);
    facts.score = ScoreOf(family, level);
    for (const TableFilePtr& file : files) {
      if (scheduler_.IsBusy(file->meta.number)) ++facts.busy;
    }
  }
  return levels;
}

FamilyReport DBImpl::ReportOf(const ColumnFamily& family) const {
  const Time now = std::chrono::steady_clock::now();
  const Reported<FamilyStats>& reported = family.reported_stats();
  FamilyReport report;
  report.name = family.name();
  report.levels = LevelFactsOf(family);
  report.total = {family.stats(), SecondsSince(reported.begin, now)};
  report.last = reported.last;
  report.seconds_since_last = SecondsSince(reported.last_at, now);
  return report;
}

std::string DBImpl::NextFamilyStats(ColumnFamily* family) {
  std::string text = FamilyStatsText(ReportOf(*family));
  family->reported_stats().last = family->stats();
  family->reported_stats().last_at = std::chrono::steady_clock::now();
  return text;
}

Since<WriteCounts> DBImpl::WritesSinceReset() const {
  return {
      context_.write_stats->Now() - writes_before_reset_,
      SecondsSince(reported_writes_.begin, std::chrono::steady_clock::now())};
}

std::string DBImpl::NextWriteStats() {
  const Time now = std::chrono::steady_clock::now();
  const Since<WriteCounts> total = WritesSinceReset();
  const Since<WriteCounts> interval = {
      total.figures - reported_writes_.last,
      SecondsSince(reported_writes_.last_at, now)};
  std::string text = WriteStatsText(total, interval);
  reported_writes_.last = total.figures;
  reported_writes_.last_at = now;
  return text;
}

std::string DBImpl::NextStats(ColumnFamily* family) {
  return NextFamilyStats(family) +
         ReadLatenciesText(family->name(), family->tables().read_latencies());
}

std::string DBImpl::StatsForLog() {
  std::string text;
  std::set<const BlockCache*> caches;
  ColumnFamilySet::ViewPtr families;  // kept after the mutex is released
  {
    MutexLock lock(&mutex_);
    families = versions_.families().view();
    text = NextWriteStats();
    for (const ColumnFamilyPtr& family : *families) {
      text += NextStats(family.get());
    }
  }
  for (const ColumnFamilyPtr& family : *families) {
    const BlockCache& cache = family->tables().block_cache();
    if (caches.insert(&cache).second) text += CacheText(cache);
  }
  return text;
}

bool DBImpl::GetStatsText(ColumnFamily* family, const std::string& name,
                          std::string* value) {
  StatsMap stalls;
  if ((name == P::kCFWriteStallStats || name == P::kDBWriteStallStats) &&
      GetStatsMap(*family, name, &stalls)) {
    *value = StallsText(stalls);
    return true;
  }
  if (IsOfCache(name)) {
    *value = CacheText(family->tables().block_cache());
    return true;
  }
  MutexLock lock(&mutex_);
  if (name == P::kCFStatsNoFileHistogram) {
    *value = NextFamilyStats(family);
  } else if (name == P::kCFFileHistogram) {
    *value =
        ReadLatenciesText(family->name(), family->tables().read_latencies());
  } else if (name == P::kCFStats) {
    *value = NextStats(family);
  } else if (name == P::kStats) {
    *value = NextStats(family) + NextWriteStats();
  } else if (name == P::kDBStats) {
    *value = NextWriteStats();
  } else if (name == P::kLevelStats) {
    *value = LevelStatsText(LevelFactsOf(*family));
  } else {
    return false;
  }
  return true;
}

bool DBImpl::GetStatsMap(const ColumnFamily& family, const std::string& name,
                         StatsMap* values) {
  if (IsOfCache(name)) {
    CacheMap(family.tables().block_cache(), values);
    return true;
  }
  MutexLock lock(&mutex_);
  if (name == P::kCFStats) {
    FamilyStatsMap(ReportOf(family), values);
  } else if (name == P::kDBStats) {
    WriteStatsMap(WritesSinceReset(), values);
  } else if (name == P::kCFWriteStallStats) {
    FamilyStallsMap(family.stats().stalls, values);
  } else if (name == P::kDBWriteStallStats) {
    WriteStallsMap(WritesSinceReset().figures, values);
  } else {
    return false;
  }
  return true;
}

Status DBImpl::ResetStats() {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  MutexLock lock(&mutex_);
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    family->stats() = {};
    family->tables().ClearReadLatencies();
    family->reported_stats() = {};
  }
  writes_before_reset_ = context_.write_stats->Now();
  reported_writes_ = {};
  return Status::OK();
}

}  // namespace tamis
