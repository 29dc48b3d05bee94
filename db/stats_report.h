// SPDX-License-Identifier: Apache-2.0
//
// The figures of jobs and writes as RocksDB prints them: the same lines and
// columns as those of RocksDB 7.8.3, and the same keys of maps. Tools of
// operators parse both.
#pragma once

#include <map>
#include <string>

#include "db/base/write_stats.h"
#include "db/family/job_stats.h"
#include "util/stats/histogram.h"

namespace tamis {

using StatsMap = std::map<std::string, std::string>;

// Returns 12345678 bytes as "11.77 MB".
std::string BytesText(double bytes);

struct LevelFacts {
  uint64_t files = 0;
  uint64_t busy = 0;  // files that compactions read
  uint64_t bytes = 0;
  double score = 0;
};

// Figures since their begin, and how long ago that was.
template <typename Figures>
struct Since {
  Figures figures;
  double seconds = 0;
};

struct FamilyReport {
  std::string name;
  PerLevel<LevelFacts> levels;
  Since<FamilyStats> total;
  FamilyStats last;  // what the last report had as its total
  double seconds_since_last = 0;
};

// rocksdb.cfstats-no-file-histogram
std::string FamilyStatsText(const FamilyReport& report);
// rocksdb.cf-file-histogram, of a family with that name. `latencies` may be
// nullptr.
std::string ReadLatenciesText(const std::string& family,
                              const PerLevel<Histogram>* latencies);
// rocksdb.cfstats
void FamilyStatsMap(const FamilyReport& report, StatsMap* values);
// rocksdb.cf-write-stall-stats
void FamilyStallsMap(const StallCounts& stalls, StatsMap* values);

// rocksdb.dbstats. `interval`: since the last report.
std::string WriteStatsText(const Since<WriteCounts>& total,
                           const Since<WriteCounts>& interval);
void WriteStatsMap(const Since<WriteCounts>& total, StatsMap* values);
// rocksdb.db-write-stall-stats
void WriteStallsMap(const WriteCounts& total, StatsMap* values);

// The text of the two properties of stalls.
std::string StallsText(const StatsMap& values);

// rocksdb.levelstats
std::string LevelStatsText(const PerLevel<LevelFacts>& levels);

}  // namespace tamis
