// SPDX-License-Identifier: Apache-2.0
//
// The properties that tell what jobs and writes have done: each kind of job
// counts exactly what it did, once.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/clock.h"
#include "tamis/compaction_filter.h"
#include "tamis/experimental.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

using P = DB::Properties;

// As maps have bytes: in GiB.
std::string GiB(uint64_t bytes) {
  return std::to_string(static_cast<double>(bytes) / (1 << 30));
}
std::string Count(uint64_t n) { return std::to_string(n) + ".000000"; }

class DBStatsTest : public DBTest {
 protected:
  DBStatsTest() { options_.disable_auto_compactions = true; }

  std::map<std::string, std::string> Map(const std::string& property) {
    std::map<std::string, std::string> map;
    EXPECT_TRUE(db_->GetMapProperty(property, &map)) << property;
    return map;
  }
  // "0.000000" for a level that is not in the map, which has no files and jobs.
  std::string Figure(const std::string& level, const std::string& column) {
    const auto map = Map(P::kCFStats);
    const auto found = map.find("compaction." + level + "." + column);
    return found == map.end() ? Count(0) : found->second;
  }
  std::string Text(const std::string& property) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty(property, &text)) << property;
    return text;
  }
  // The line that begins like this, without its end.
  std::string Line(const std::string& property, const std::string& begin) {
    const std::string text = Text(property);
    const size_t at = text.find("\n" + begin);
    EXPECT_NE(at, std::string::npos) << begin << " in\n" << text;
    if (at == std::string::npos) return "";
    return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }
  void ExpectNoJobs(const std::string& level) {
    EXPECT_EQ(Figure(level, "CompCount"), Count(0));
    EXPECT_EQ(Figure(level, "ReadGB"), GiB(0));
    EXPECT_EQ(Figure(level, "WriteGB"), GiB(0));
  }
  // Has calls of `operation` on tables fail.
  void FailTables(const std::string& operation) {
    fs_->SetFaultHook([operation](const SimulatedFileSystem::Call& call) {
      return call.operation == operation && call.path.ends_with(".sst")
                 ? Status::IOError(call.path, "it fails")
                 : Status::OK();
    });
  }
};

TEST_F(DBStatsTest, AFlushCountsAtLevel0) {
  Open();
  ExpectNoJobs("L0");
  PutMany(1000, 1000);
  Flush();
  EXPECT_EQ(Figure("L0", "NumFiles"), Count(1));
  EXPECT_EQ(Figure("L0", "SizeBytes"), Count(LiveBytes()));
  EXPECT_EQ(Figure("L0", "Score"), "0.250000");
  EXPECT_EQ(Figure("L0", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L0", "WriteGB"), GiB(LiveBytes()));
  EXPECT_EQ(Figure("L0", "WnewGB"), GiB(LiveBytes()));
  EXPECT_EQ(Figure("L0", "ReadGB"), GiB(0));
  EXPECT_EQ(Figure("L0", "KeyIn"), Count(0));
  EXPECT_EQ(Figure("L0", "WriteAmp"), "1.000000");
  EXPECT_NE(Figure("L0", "CompSec"), "0.000000");
  EXPECT_NE(Figure("L0", "CompMergeCPU"), "0.000000");
  EXPECT_EQ(Figure("Sum", "CompCount"), Count(1));
  EXPECT_EQ(Line(P::kCFStats, "Flush(GB)"),
            "Flush(GB): cumulative 0.001, interval 0.001");
  EXPECT_EQ(Line(P::kCFStats, "High").substr(0, 13), "High      0/0");
}

TEST_F(DBStatsTest, ACompactionCountsAtItsOutputLevel) {
  Open();
  PutMany(1000, 1000);
  Flush();
  PutMany(500, 1000);
  Delete(Key(999));
  Flush();
  const uint64_t level0 = LiveBytes();
  Compact();
  const uint64_t level1 = LiveBytes();
  EXPECT_EQ(Figure("L0", "CompCount"), Count(2));
  EXPECT_EQ(Figure("L0", "NumFiles"), Count(0));
  EXPECT_EQ(Figure("L1", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L1", "RnGB"), GiB(level0));
  EXPECT_EQ(Figure("L1", "Rnp1GB"), GiB(0));
  EXPECT_EQ(Figure("L1", "WriteGB"), GiB(level1));
  EXPECT_EQ(Figure("L1", "KeyIn"), Count(1501));
  EXPECT_EQ(Figure("L1", "KeyDrop"), Count(502));
  EXPECT_NE(Figure("L1", "CompMergeCPU"), "0.000000");
  PutMany(1000, 1000);
  Flush();
  const uint64_t added = LiveBytes() - level1;
  Compact();
  EXPECT_EQ(Figure("L1", "CompCount"), Count(2));
  EXPECT_EQ(Figure("L1", "RnGB"), GiB(level0 + added));
  EXPECT_EQ(Figure("L1", "Rnp1GB"), GiB(level1));
  EXPECT_EQ(Figure("L1", "WriteGB"), GiB(level1 + LiveBytes()));
  EXPECT_EQ(Figure("L1", "WnewGB"), GiB(LiveBytes()));
  EXPECT_EQ(Figure("L1", "KeyIn"), Count(1501 + 1999));
  EXPECT_EQ(Figure("Sum", "CompCount"), Count(5));
  EXPECT_EQ(Line(P::kCFStats, " Low").substr(0, 13), " Low      0/0");
}

TEST_F(DBStatsTest, AnIntervalBeginsWithEachText) {
  Open();
  Put("a", "1");
  Flush();
  Map(P::kCFStats);  // does not begin one
  const std::string first = Line(P::kCFStatsNoFileHistogram, " Int");
  const std::string second = Line(P::kCFStatsNoFileHistogram, " Int");
  const auto jobs = [](const std::string& line) {
    return line.substr(line.size() - 54, 10);
  };
  EXPECT_EQ(jobs(first), "         1") << first;
  EXPECT_EQ(jobs(second), "         0") << second;
  EXPECT_EQ(jobs(Line(P::kCFStatsNoFileHistogram, " Sum")), "         1");
}

TEST_F(DBStatsTest, AMoveCountsItsBytesAndNoJob) {
  Open();
  PutMany(1000, 1000);
  Flush();
  ASSERT_EQ(experimental::PromoteL0(db_.get(), nullptr, 1), Status::OK());
  EXPECT_EQ(Figure("L1", "NumFiles"), Count(1));
  EXPECT_EQ(Figure("L1", "MovedGB"), GiB(LiveBytes()));
  ExpectNoJobs("L1");
}

TEST_F(DBStatsTest, AFlushThatFailsCountsItsTimeAlone) {
  Open();
  PutMany(1000, 1000);
  FailTables("sync");
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(Figure("L0", "CompCount"), Count(1));
  EXPECT_NE(Figure("L0", "CompSec"), "0.000000");
  EXPECT_EQ(Figure("L0", "WriteGB"), GiB(0));
  EXPECT_EQ(Line(P::kCFStats, "Flush(GB)"),
            "Flush(GB): cumulative 0.000, interval 0.000");
  ASSERT_TRUE(db_->Resume().ok());
  EXPECT_EQ(Figure("L0", "CompCount"), Count(2));
  EXPECT_EQ(Figure("L0", "WriteGB"), GiB(LiveBytes()));
}

TEST_F(DBStatsTest, ACompactionThatFailsCountsItsTimeAlone) {
  Open();
  for (int i = 0; i < 2; ++i) {
    PutMany(1000, 1000);
    Flush();
  }
  FailTables("append");
  EXPECT_FALSE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(Figure("L1", "CompCount"), Count(1));
  EXPECT_NE(Figure("L1", "CompSec"), "0.000000");
  for (const char* column : {"ReadGB", "WriteGB", "KeyIn", "KeyDrop"}) {
    EXPECT_EQ(Figure("L1", column), "0.000000") << column;
  }
}

TEST_F(DBStatsTest, ACompactionInPartsIsOneJob) {
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 64 << 10;
  options_.compression = kNoCompression;
  Open();
  for (int i = 0; i < 2; ++i) {
    PutMany(1000, 1000);
    Flush();
  }
  const uint64_t before = LiveBytes();
  Compact();
  HistogramData parts;
  options_.statistics->histogramData(NUM_SUBCOMPACTIONS_SCHEDULED, &parts);
  EXPECT_GT(parts.max, 1);
  EXPECT_EQ(Figure("L1", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L1", "RnGB"), GiB(before));
  EXPECT_EQ(Figure("L1", "WriteGB"), GiB(LiveBytes()));
  EXPECT_EQ(Figure("L1", "KeyIn"), Count(2000));
  EXPECT_EQ(Figure("L1", "KeyDrop"), Count(1000));
}

TEST_F(DBStatsTest, CompactFilesCounts) {
  Open();
  for (int i = 0; i < 2; ++i) {
    PutMany(1000, 1000);
    Flush();
  }
  const uint64_t before = LiveBytes();
  std::vector<std::string> names;
  for (const auto& file : LiveFiles()) names.push_back(file.name);
  ASSERT_EQ(db_->CompactFiles(CompactionOptions(), names, 3), Status::OK());
  EXPECT_EQ(Figure("L3", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L3", "RnGB"), GiB(before));
  EXPECT_EQ(Figure("L3", "KeyDrop"), Count(1000));
}

TEST_F(DBStatsTest, RewritesOfFiltersReadAndWriteAtTheirLevel) {
  BlockBasedTableOptions table;
  SetTable(table);
  Open();
  PutMany(1000, 1000);
  Flush();
  const uint64_t before = LiveBytes();
  db_.reset();
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  SetTable(table);
  Open();
  ASSERT_EQ(db_->RewriteFilters({}), Status::OK());
  EXPECT_EQ(Figure("L0", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L0", "Rnp1GB"), GiB(before));
  EXPECT_EQ(Figure("L0", "RnGB"), GiB(0));
  EXPECT_EQ(Figure("L0", "WriteGB"), GiB(LiveBytes()));
  EXPECT_EQ(Figure("L0", "KeyIn"), Count(1000));
  EXPECT_EQ(Figure("L0", "KeyDrop"), Count(0));
}

TEST_F(DBStatsTest, IngestedFilesCountAsJobsOfTheUser) {
  Open();
  const auto ingest = [&](const std::string& name, bool link) {
    const std::string path = "/parent/" + name + ".sst";
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open(path), Status::OK());
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(
          writer.Put(name + Key(i), Noise(1000, static_cast<uint64_t>(i))),
          Status::OK());
    }
    EXPECT_EQ(writer.Finish(), Status::OK());
    IngestExternalFileOptions options;
    options.link_files = link;
    EXPECT_EQ(db_->IngestExternalFile({path}, options), Status::OK());
  };
  ingest("a", false);
  const uint64_t first = LiveBytes();
  EXPECT_EQ(Figure("L6", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L6", "WriteGB"), GiB(first));
  EXPECT_EQ(Figure("L6", "MovedGB"), GiB(0));
  ingest("b", true);
  EXPECT_EQ(Figure("L6", "CompCount"), Count(2));
  EXPECT_EQ(Figure("L6", "WriteGB"), GiB(first));
  EXPECT_EQ(Figure("L6", "MovedGB"), GiB(LiveBytes() - first));
  EXPECT_EQ(Line(P::kCFStats, "User").substr(0, 13), "User      0/0");
  EXPECT_EQ(Line(P::kCFStats, "AddFile(Total"),
            "AddFile(Total Files): cumulative 2, interval 0");
  EXPECT_EQ(Line(P::kCFStats, "AddFile(L0"),
            "AddFile(L0 Files): cumulative 0, interval 0");
  EXPECT_EQ(Line(P::kCFStats, "AddFile(Keys"),
            "AddFile(Keys): cumulative 2000, interval 0");
  EXPECT_EQ(Line(P::kCFStats, "AddFile(GB"),
            "AddFile(GB): cumulative 0.002, interval 0.000");
}

TEST_F(DBStatsTest, FilesThatFifoDeletesAreNoJobs) {
  options_.disable_auto_compactions = false;
  options_.compaction_style = kCompactionStyleFIFO;
  options_.compaction_options_fifo.max_table_files_size = 250'000;
  Open();
  for (int i = 0; i < 5; ++i) {
    PutMany(100, 1000);
    Flush();
  }
  RunJobs();
  EXPECT_LT(LiveFiles().size(), 5u);
  EXPECT_EQ(Figure("L0", "CompCount"), Count(5));  // the flushes
  EXPECT_EQ(Figure("L0", "ReadGB"), GiB(0));
  const std::string score = Figure("L0", "Score");
  EXPECT_NEAR(std::stod(score), static_cast<double>(LiveBytes()) / 250'000,
              1e-3);
}

TEST_F(DBStatsTest, FamiliesCountApartAndAnOpenStartsAnew) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other),
            Status::OK());
  ASSERT_EQ(db_->Put(WriteOptions(), other, "a", "1"), Status::OK());
  ASSERT_EQ(db_->Flush(FlushOptions(), other), Status::OK());
  ExpectNoJobs("L0");
  std::map<std::string, std::string> map;
  ASSERT_TRUE(db_->GetMapProperty(other, P::kCFStats, &map));
  EXPECT_EQ(map["compaction.L0.CompCount"], Count(1));
  std::string text;
  ASSERT_TRUE(db_->GetProperty(other, P::kCFStats, &text));
  EXPECT_NE(text.find("** Compaction Stats [other] **"), std::string::npos);
  ASSERT_EQ(db_->DropColumnFamily(other), Status::OK());
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(other), Status::OK());
  Put("a", "1");
  Flush();
  Reopen();
  ExpectNoJobs("L0");
  EXPECT_EQ(Figure("L0", "NumFiles"), Count(1));
}

TEST_F(DBStatsTest, TheReplayOfALogCountsAsTheUsersJob) {
  Open();
  PutMany(1000, 1000);
  Reopen();
  EXPECT_EQ(Figure("L0", "CompCount"), Count(1));
  EXPECT_EQ(Figure("L0", "WriteGB"), GiB(LiveBytes()));
  EXPECT_EQ(Line(P::kCFStats, "User").substr(0, 13), "User      0/0");
}

TEST_F(DBStatsTest, ResetStatsSetsAllToZero) {
  Open();
  PutMany(1000, 1000);
  Flush();
  ASSERT_TRUE(
      db_->GetProperty(P::kCFStats, std::make_unique<std::string>().get()));
  EXPECT_EQ(Map(P::kDBStats)["db.user_keys_written"], "1000");
  ASSERT_EQ(db_->ResetStats(), Status::OK());
  ExpectNoJobs("L0");
  EXPECT_EQ(Figure("L0", "NumFiles"), Count(1)) << "is no figure of a job";
  EXPECT_EQ(Text(P::kCFStats).find("\nHigh"), std::string::npos);
  for (const auto& [name, value] : Map(P::kDBStats)) {
    if (name == "db.uptime") continue;
    EXPECT_EQ(value, "0") << name;
  }
  Put("a", "1");
  Flush();
  EXPECT_EQ(Figure("L0", "CompCount"), Count(1));
  EXPECT_EQ(Map(P::kDBStats)["db.user_keys_written"], "1");
  EXPECT_EQ(Line(P::kDBStats, "Interval writes").substr(0, 25),
            "Interval writes: 1 writes");
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_TRUE(db_->ResetStats().IsShutdownInProgress());
}

TEST_F(DBStatsTest, WritesAndTheLog) {
  Open();
  Put("a", "12345");
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("b", "1").ok());
  ASSERT_TRUE(batch.Delete("c").ok());
  WriteOptions sync;
  sync.sync = true;
  ASSERT_EQ(db_->Write(sync, &batch), Status::OK());
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_EQ(db_->Put(unlogged, "d", "1"), Status::OK());
  auto map = Map(P::kDBStats);
  EXPECT_EQ(map["db.user_writes_by_self"], "3");
  EXPECT_EQ(map["db.user_writes_by_other"], "0");
  EXPECT_EQ(map["db.user_keys_written"], "4");
  EXPECT_EQ(map["db.user_bytes_written"], std::to_string(Tick(BYTES_WRITTEN)));
  EXPECT_EQ(map["db.user_writes_with_wal"], "2");
  EXPECT_EQ(map["db.wal_bytes_written"], std::to_string(Tick(WAL_FILE_BYTES)));
  EXPECT_LT(Tick(WAL_FILE_BYTES), Tick(BYTES_WRITTEN));
  EXPECT_EQ(map["db.wal_syncs"], "1");
  EXPECT_EQ(Line(P::kDBStats, "Interval writes").substr(0, 49),
            "Interval writes: 3 writes, 4 keys, 3 commit group");
  EXPECT_EQ(Line(P::kDBStats, "Interval writes").substr(0, 25),
            "Interval writes: 0 writes");
  EXPECT_EQ(Line(P::kDBStats, "Cumulative WAL").substr(0, 51),
            "Cumulative WAL: 2 writes, 1 syncs, 2.00 writes per ");
}

TEST_F(DBStatsTest, StatsIsAllInOneText) {
  Open();
  Put("a", "1");
  Flush();
  const std::string text = Text(P::kStats);
  size_t at = 0;
  for (const char* part :
       {"** Compaction Stats [default] **", "\nPriority", "\nUptime(secs)",
        "\nStalls(count)", "** File Read Latency Histogram By Level [default]",
        "\n** DB Stats **", "\nInterval stall"}) {
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(Text(P::kCFStatsNoFileHistogram).find("Latency"),
            std::string::npos);
}

TEST_F(DBStatsTest, ReadsOfTablesAreTimedByLevel) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  SetTable(table);
  Open();
  PutMany(1000, 1000);
  Flush();
  const auto reads = [&](const std::string& level) -> uint64_t {
    const std::string text = Text(P::kCFFileHistogram);
    const std::string head =
        "** Level " + level + " read latency histogram (micros):\nCount: ";
    const size_t at = text.find(head);
    return at == std::string::npos ? 0
                                   : std::stoul(text.substr(at + head.size()));
  };
  EXPECT_EQ(Get(Key(1)), Noise(1000, 1));
  const uint64_t level0 = reads("0");
  EXPECT_GT(level0, 0u);
  EXPECT_EQ(Get(Key(2)), Noise(1000, 2));
  EXPECT_EQ(reads("0"), level0 + 1);
  EXPECT_EQ(reads("1"), 0u);
  Compact();
  EXPECT_EQ(Get(Key(3)), Noise(1000, 3));
  EXPECT_EQ(reads("0"), level0 + 1);
  EXPECT_GT(reads("1"), 0u);
  ASSERT_EQ(db_->ResetStats(), Status::OK());
  EXPECT_EQ(reads("1"), 0u);
  db_.reset();
  options_.statistics = nullptr;
  Open();
  EXPECT_EQ(Get(Key(1)), Noise(1000, 1));
  EXPECT_EQ(reads("1"), 0u) << "there are no statistics";
}

TEST_F(DBStatsTest, FilesOfRunningCompactionsAreShown) {
  Open();
  MakeLevel0Files(4);
  ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "false"}}).ok());
  // It is scheduled, and runs when a call waits.
  EXPECT_EQ(Figure("L0", "CompactedFiles"), Count(4));
  EXPECT_EQ(Figure("Sum", "CompactedFiles"), Count(4));
  RunJobs();
  EXPECT_EQ(Figure("Sum", "CompactedFiles"), Count(0));
  EXPECT_EQ(Figure("Sum", "NumFiles"), Count(1));
}

TEST_F(DBStatsTest, UniversalScoreIsThatOfSortedRuns) {
  options_.compaction_style = kCompactionStyleUniversal;
  Open();
  MakeLevel0Files(3);
  EXPECT_EQ(Figure("L0", "Score"), "0.750000");
}

TEST_F(DBStatsTest, NoMapsOfOtherTexts) {
  Open();
  std::map<std::string, std::string> map;
  for (const std::string& name : {P::kStats, P::kCFStatsNoFileHistogram,
                                  P::kCFFileHistogram, P::kLevelStats}) {
    EXPECT_FALSE(db_->GetMapProperty(name, &map)) << name;
    uint64_t number = 0;
    EXPECT_FALSE(db_->GetIntProperty(name, &number)) << name;
  }
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_FALSE(db_->GetMapProperty(P::kCFStats, &map));
  std::string text;
  EXPECT_FALSE(db_->GetProperty(P::kCFStats, &text));
}

TEST_F(DBStatsTest, CompactionsByReasonAndTheirProcessorTime) {
  options_.ttl = 100;
  options_.periodic_compaction_seconds = 0;
  options_.disable_auto_compactions = false;
  Open();
  PutMany(100, 1000);
  Compact();
  Compact(/*force=*/true);
  Delete(Key(1));
  Flush();
  EXPECT_EQ(Tick(COMPACT_READ_BYTES_TTL), 0u);
  const uint64_t before = LiveBytes();
  clock_->SleepForMicroseconds(1'000'000'000);
  Put("zzz", "1");
  Flush();
  RunJobs();
  EXPECT_GT(Tick(COMPACT_READ_BYTES_TTL), before / 2);
  EXPECT_GT(Tick(COMPACT_WRITE_BYTES_TTL), before / 2);
  EXPECT_EQ(Tick(COMPACT_READ_BYTES_PERIODIC), 0u);
  EXPECT_EQ(Tick(COMPACT_READ_BYTES_MARKED), 0u);
  HistogramData cpu;
  options_.statistics->histogramData(COMPACTION_CPU_TIME, &cpu);
  HistogramData time;
  options_.statistics->histogramData(COMPACTION_TIME, &time);
  EXPECT_EQ(cpu.count, time.count);
  EXPECT_GT(cpu.sum, 0u);
}

TEST_F(DBStatsTest, BytesOfPeriodicCompactions) {
  options_.disable_auto_compactions = false;
  options_.periodic_compaction_seconds = 100;
  Open();
  PutMany(100, 1000);
  Flush();
  const uint64_t before = LiveBytes();
  clock_->SleepForMicroseconds(1'000'000'000);
  Put("zzz", "1");
  Flush();
  RunJobs();
  EXPECT_GE(Tick(COMPACT_READ_BYTES_PERIODIC), before);
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES_PERIODIC), Tick(COMPACT_WRITE_BYTES));
  EXPECT_GT(Tick(COMPACT_WRITE_BYTES), 0u);
  EXPECT_EQ(Tick(COMPACT_READ_BYTES_TTL), 0u);
}

TEST_F(DBStatsTest, BytesOfMarkedCompactions) {
  options_.disable_auto_compactions = false;
  Open();
  PutMany(100, 1000);
  Flush();
  Compact();
  PutMany(100, 1000);
  Flush();
  const uint64_t before = Tick(COMPACT_READ_BYTES);
  const uint64_t bytes = LiveBytes();
  ASSERT_EQ(
      db_->SuggestCompactRange(db_->DefaultColumnFamily(), nullptr, nullptr),
      Status::OK());
  RunJobs();
  EXPECT_EQ(Tick(COMPACT_READ_BYTES_MARKED), bytes);
  EXPECT_EQ(Tick(COMPACT_READ_BYTES), before + bytes);
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES_MARKED), LiveBytes());
}

// Takes a second for each value.
class SlowFilter : public CompactionFilter {
 public:
  explicit SlowFilter(Clock* clock) : clock_(*clock) {}
  const char* Name() const override { return "SlowFilter"; }
  bool Filter(int, const Slice&, const Slice&, std::string*,
              bool*) const override {
    clock_.SleepForMicroseconds(1'000'000);
    return false;
  }

 private:
  Clock& clock_;
};

// Time is that of DBOptions::clock: equal histories have equal lines in LOG.
TEST_F(DBStatsTest, JobsAreTimedByTheClock) {
  const SlowFilter filter(clock_.get());
  options_.compaction_filter = &filter;
  Open();
  PutMany(3);
  Flush();
  Compact();
  EXPECT_EQ(Figure("L1", "CompSec").substr(0, 4), "3.00");
  const std::vector<std::string> lines = LogLines("event=compaction_end");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(" micros=3000"), std::string::npos) << lines[0];
}

TEST_F(DBStatsTest, IteratorsOverTheLogCount) {
  Open();
  Put("a", "1");
  std::unique_ptr<TransactionLogIterator> updates;
  ASSERT_EQ(db_->GetUpdatesSince(1, &updates), Status::OK());
  EXPECT_EQ(Tick(GET_UPDATES_SINCE_CALLS), 1u);
}

}  // namespace
}  // namespace tamis
