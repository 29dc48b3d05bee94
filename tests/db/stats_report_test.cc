// SPDX-License-Identifier: Apache-2.0
//
// The texts and maps of figures, for given figures.
#include "db/stats_report.h"

#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;
constexpr Level kLevel1{1};

FamilyReport Report() {
  FamilyReport report;
  report.name = "users";
  report.levels[kLevelZero] = {
      .files = 3, .busy = 1, .bytes = 3 * kMiB / 2, .score = 0.75};
  report.levels[kLevel1] = {.files = 12345, .bytes = 5 * kGiB, .score = 1.25};
  FamilyStats& stats = report.total.figures;
  JobStats flushes;
  flushes.jobs = 4;
  flushes.micros = 2'000'000 - 1;
  flushes.cpu_micros = 1'500'000;
  flushes.written = 2 * kGiB;
  stats.Add(kLevelZero, JobThreads::kHigh, flushes);
  JobStats merges;
  merges.jobs = 2;
  merges.micros = 4'000'000 - 1;
  merges.read_above = 2 * kGiB;
  merges.read_at_output = 4 * kGiB;
  merges.written = 5 * kGiB;
  merges.moved = 3 * kGiB;
  merges.entries_read = 12'345'678;
  merges.entries_dropped = 12'345;
  stats.Add(kLevel1, JobThreads::kLow, merges);
  stats.flushed_bytes = 2 * kGiB;
  report.total.seconds = 100;
  report.last = stats;
  report.seconds_since_last = 10;
  return report;
}

TEST(StatsReportTest, LevelsHaveALineWithRocksDBsColumns) {
  const std::string text = FamilyStatsText(Report());
  const std::string table =
      "\n** Compaction Stats [users] **\n"
      "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) "
      "Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) "
      "Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) Wblob(GB)\n" +
      std::string(192, '-') +
      "\n"
      "  L0      3/1    1.50 MB   0.8      0.0     0.0      0.0       2.0      "
      "2.0       0.0   1.0      0.0   1024.0      2.00              1.50       "
      "  4    0.500       0      0       0.0       0.0\n"
      "  L1  12345/0    5.00 GB   1.2      6.0     2.0      4.0       5.0      "
      "1.0       3.0   2.5   1536.0   1280.0      4.00              0.00       "
      "  2    2.000     12M    12K       0.0       0.0\n"
      " Sum  12348/1    5.00 GB   0.0      6.0     2.0      4.0       7.0      "
      "3.0       3.0   3.5   1024.0   1194.7      6.00              1.50       "
      "  6    1.000     12M    12K       0.0       0.0\n"
      " Int      0/0    0.00 KB   0.0      0.0     0.0      0.0       0.0      "
      "0.0       0.0   0.0      0.0      0.0      0.00              0.00       "
      "  0    0.000       0      0       0.0       0.0\n";
  EXPECT_EQ(text.substr(0, table.size()), table);
  const size_t priorities = text.find("\nPriority");
  ASSERT_NE(priorities, std::string::npos);
  const size_t low = text.find("\n Low      0/0", priorities);
  const size_t high = text.find("\nHigh      0/0", priorities);
  EXPECT_LT(low, high);
  EXPECT_NE(high, std::string::npos);
  EXPECT_EQ(text.find("\nUser"), std::string::npos) << "no such jobs";
}

TEST(StatsReportTest, NamesAreEscaped) {
  FamilyReport report = Report();
  report.name = "two\nlines";
  EXPECT_TRUE(FamilyStatsText(report).starts_with(
      "\n** Compaction Stats [two\\x0Alines] **\nLevel "));
  EXPECT_EQ(ReadLatenciesText(report.name, nullptr),
            "\n** File Read Latency Histogram By Level [two\\x0Alines] **\n");
}

TEST(StatsReportTest, LinesBelowTheTables) {
  FamilyReport report = Report();
  FamilyStats& stats = report.total.figures;
  stats.flushed_bytes += kGiB / 2;
  stats.ingested_bytes += kGiB / 4;
  stats.ingested_files += 3;
  stats.ingested_level0_files += 1;
  stats.ingested_entries += 77;
  JobStats more;
  more.jobs = 1;
  more.micros = 1'000'000;
  more.written = 20 * kMiB;
  more.read_above = 10 * kMiB;
  stats.Add(kLevel1, JobThreads::kLow, more);
  stats.stalls[StallCause::kLevel0] = {.delays = 1, .stops = 2};
  stats.stalls.with_compaction = {.delays = 3, .stops = 4};
  stats.stalls[StallCause::kPendingBytes] = {.delays = 5, .stops = 6};
  stats.stalls[StallCause::kMemTables] = {.delays = 0, .stops = 8};
  const std::string text = FamilyStatsText(report);
  const size_t at = text.find("\nUptime");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at + 1),
            "Uptime(secs): 100.0 total, 10.0 interval\n"
            "Flush(GB): cumulative 2.500, interval 0.500\n"
            "AddFile(GB): cumulative 0.250, interval 0.250\n"
            "AddFile(Total Files): cumulative 3, interval 3\n"
            "AddFile(L0 Files): cumulative 1, interval 1\n"
            "AddFile(Keys): cumulative 77, interval 77\n"
            "Cumulative compaction: 7.02 GB write, 71.88 MB/s write, 6.01 GB "
            "read, 61.54 MB/s read, 7.0 seconds\n"
            "Interval compaction: 0.02 GB write, 2.00 MB/s write, 0.01 GB "
            "read, 1.00 MB/s read, 1.0 seconds\n"
            "Stalls(count): 1 level0_slowdown, 3 "
            "level0_slowdown_with_compaction, 2 level0_numfiles, 4 "
            "level0_numfiles_with_compaction, 6 stop for "
            "pending_compaction_bytes, 5 slowdown for "
            "pending_compaction_bytes, 8 memtable_compaction, 0 "
            "memtable_slowdown, interval 22 total count\n");
}

TEST(StatsReportTest, TheMapHasWhatTheTextHas) {
  FamilyReport report = Report();
  report.total.figures.stalls[StallCause::kMemTables].stops = 8;
  report.total.figures.stalls[StallCause::kLevel0].delays = 3;
  StatsMap map;
  FamilyStatsMap(report, &map);
  EXPECT_EQ(map["compaction.L0.NumFiles"], "3.000000");
  EXPECT_EQ(map["compaction.L0.CompactedFiles"], "1.000000");
  EXPECT_EQ(map["compaction.L0.SizeBytes"], "1572864.000000");
  EXPECT_EQ(map["compaction.L1.Score"], "1.250000");
  EXPECT_EQ(map["compaction.L1.ReadGB"], "6.000000");
  EXPECT_EQ(map["compaction.L1.RnGB"], "2.000000");
  EXPECT_EQ(map["compaction.L1.Rnp1GB"], "4.000000");
  EXPECT_EQ(map["compaction.L1.WriteGB"], "5.000000");
  EXPECT_EQ(map["compaction.L1.WnewGB"], "1.000000");
  EXPECT_EQ(map["compaction.L1.MovedGB"], "3.000000");
  EXPECT_EQ(map["compaction.L1.WriteAmp"], "2.500000");
  EXPECT_EQ(map["compaction.L1.ReadMBps"], "1536.000000");
  EXPECT_EQ(map["compaction.L1.WriteMBps"], "1280.000000");
  EXPECT_EQ(map["compaction.L1.CompSec"], "3.999999");
  EXPECT_EQ(map["compaction.L0.CompMergeCPU"], "1.500000");
  EXPECT_EQ(map["compaction.L0.CompCount"], "4.000000");
  EXPECT_EQ(map["compaction.L0.AvgSec"], "0.500000");
  EXPECT_EQ(map["compaction.L1.KeyIn"], "12345678.000000");
  EXPECT_EQ(map["compaction.L1.KeyDrop"], "12345.000000");
  EXPECT_EQ(map["compaction.Sum.WriteAmp"], "3.500000");
  EXPECT_EQ(map["io_stalls.memtable_compaction"], "8");
  EXPECT_EQ(map["io_stalls.level0_slowdown"], "3");
  EXPECT_EQ(map["io_stalls.total_stop"], "8");
  EXPECT_EQ(map["io_stalls.total_slowdown"], "3");
  EXPECT_FALSE(map.contains("compaction.L2.NumFiles")) << "it is empty";
}

TEST(StatsReportTest, StallsAsRocksDB8NamesThem) {
  StallCounts stalls;
  stalls[StallCause::kLevel0] = {.delays = 1, .stops = 2};
  stalls.with_compaction = {.delays = 3, .stops = 4};
  stalls[StallCause::kPendingBytes] = {.delays = 5, .stops = 6};
  stalls[StallCause::kMemTables] = {.delays = 0, .stops = 8};
  StatsMap map;
  FamilyStallsMap(stalls, &map);
  EXPECT_EQ(
      StallsText(map),
      "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-"
      "compaction: 3, cf-l0-file-count-limit-stops-with-ongoing-compaction: 4, "
      "l0-file-count-limit-delays: 1, l0-file-count-limit-stops: 2, "
      "memtable-limit-delays: 0, memtable-limit-stops: 8, "
      "pending-compaction-bytes-delays: 5, pending-compaction-bytes-stops: 6, "
      "total-delays: 6, total-stops: 16\n");
  map.clear();
  WriteStallsMap({.buffer_stops = 9}, &map);
  EXPECT_EQ(StallsText(map),
            "Write Stall (count): write-buffer-manager-limit-stops: 9\n");
}

TEST(StatsReportTest, WritesOfTheDatabase) {
  const Since<WriteCounts> total = {{.batches = 123'456,
                                     .groups = 40'000,
                                     .entries = 20'000'000,
                                     .bytes = 3 * kGiB,
                                     .logged_batches = 9'999,
                                     .log_bytes = 2 * kGiB,
                                     .log_syncs = 10,
                                     .stall_micros = 3'723'004'000},
                                    10'000};
  const Since<WriteCounts> interval = {{.batches = 20,
                                        .groups = 10,
                                        .entries = 30,
                                        .bytes = 5 * kMiB,
                                        .logged_batches = 20,
                                        .log_bytes = 5 * kMiB,
                                        .stall_micros = 500'000},
                                       10};
  EXPECT_EQ(WriteStatsText(total, interval),
            "\n** DB Stats **\n"
            "Uptime(secs): 10000.0 total, 10.0 interval\n"
            "Cumulative writes: 123K writes, 20M keys, 40K commit groups, 3.1 "
            "writes per commit group, ingest: 3.00 GB, 0.31 MB/s\n"
            "Cumulative WAL: 9999 writes, 10 syncs, 999.90 writes per sync, "
            "written: 2.00 GB, 0.20 MB/s\n"
            "Cumulative stall: 01:02:3.004 H:M:S, 37.2 percent\n"
            "Interval writes: 20 writes, 30 keys, 10 commit groups, 2.0 writes "
            "per commit group, ingest: 5.00 MB, 0.50 MB/s\n"
            "Interval WAL: 20 writes, 0 syncs, 20.00 writes per sync, written: "
            "0.00 GB, 0.50 MB/s\n"
            "Interval stall: 00:00:0.500 H:M:S, 5.0 percent\n");
  StatsMap map;
  WriteStatsMap(total, &map);
  EXPECT_EQ(map["db.uptime"], "10000.000000");
  EXPECT_EQ(map["db.user_bytes_written"], std::to_string(3 * kGiB));
  EXPECT_EQ(map["db.user_keys_written"], "20000000");
  EXPECT_EQ(map["db.user_write_stall_micros"], "3723004000");
  EXPECT_EQ(map["db.user_writes_by_other"], "83456");
  EXPECT_EQ(map["db.user_writes_by_self"], "40000");
  EXPECT_EQ(map["db.user_writes_with_wal"], "9999");
  EXPECT_EQ(map["db.wal_bytes_written"], std::to_string(2 * kGiB));
  EXPECT_EQ(map["db.wal_syncs"], "10");
  EXPECT_EQ(map.size(), 9u);
}

TEST(StatsReportTest, LevelsAndLatencies) {
  PerLevel<LevelFacts> levels;
  levels[kLevelZero] = {.files = 2, .bytes = 3 * kMiB};
  levels[kLevel1] = {.files = 100, .bytes = 12 * kGiB};
  const std::string text = LevelStatsText(levels);
  const std::string begin =
      "Level Files Size(MB)\n"
      "--------------------\n"
      "  0        2        3\n"
      "  1      100    12288\n"
      "  2        0        0\n";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  PerLevel<Histogram> latencies;
  latencies[kLevel1].Add(7);
  latencies[kLevel1].Add(7);
  const std::string head =
      "\n** File Read Latency Histogram By Level [users] **\n";
  EXPECT_EQ(ReadLatenciesText("users", nullptr), head);
  const std::string of_level1 =
      head + "** Level 1 read latency histogram (micros):\nCount: 2 Average: 7";
  EXPECT_EQ(ReadLatenciesText("users", &latencies).substr(0, of_level1.size()),
            of_level1);
}

}  // namespace
}  // namespace tamis
