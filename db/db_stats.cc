// SPDX-License-Identifier: Apache-2.0
//
// This file implements the properties of DBImpl that tell what jobs and writes
// have done: it collects the figures, and db/stats_report.h makes the text.
#include <algorithm>
#include <set>
#include <string>

#include "db/cache_report.h"
#include "db/compaction/compaction_picker.h"
#include "db/compaction/universal_picker.h"
#include "db/db_impl.h"
#include "db/stats_report.h"

namespace tamis {

namespace {

using P = DBProperties;

// From `begin` to `now`, which are of Clock::NowNanos.
double SecondsFrom(uint64_t begin, uint64_t now) {
  return static_cast<double>(now - begin) / 1e9;
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
  const uint64_t now = context_.clock()->NowNanos();
  const Reported<FamilyStats>& reported = family.reported_stats();
  FamilyReport report;
  report.name = family.name();
  report.levels = LevelFactsOf(family);
  report.total = {family.stats(), SecondsFrom(reported.begin_nanos, now)};
  report.last = reported.last;
  report.seconds_since_last = SecondsFrom(reported.last_nanos, now);
  return report;
}

std::string DBImpl::NextFamilyStats(ColumnFamily* family) {
  std::string text = FamilyStatsText(ReportOf(*family));
  family->reported_stats().last = family->stats();
  family->reported_stats().last_nanos = context_.clock()->NowNanos();
  return text;
}

Since<WriteCounts> DBImpl::WritesSinceReset() const {
  return {
      context_.write_stats->Now() - writes_before_reset_,
      SecondsFrom(reported_writes_.begin_nanos, context_.clock()->NowNanos())};
}

std::string DBImpl::NextWriteStats() {
  const uint64_t now = context_.clock()->NowNanos();
  const Since<WriteCounts> total = WritesSinceReset();
  const Since<WriteCounts> interval = {
      total.figures - reported_writes_.last,
      SecondsFrom(reported_writes_.last_nanos, now)};
  std::string text = WriteStatsText(total, interval);
  reported_writes_.last = total.figures;
  reported_writes_.last_nanos = now;
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
  const uint64_t now = context_.clock()->NowNanos();
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    family->stats() = {};
    family->tables().ClearReadLatencies();
    family->reported_stats() = Reported<FamilyStats>(now);
  }
  writes_before_reset_ = context_.write_stats->Now();
  reported_writes_ = Reported<WriteCounts>(now);
  return Status::OK();
}

}  // namespace tamis
