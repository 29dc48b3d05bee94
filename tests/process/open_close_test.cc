// SPDX-License-Identifier: Apache-2.0
//
// A process that repeatedly opens and closes databases does not grow: no round
// leaves more descriptors, threads or mappings than the warm-up rounds, and
// memory stays within one percent. A round opens a database under each of
// several settings, writes, reads, iterates, flushes, compacts, makes a
// checkpoint, adds and drops a family, and closes.
//
//   TAMIS_OPEN_CLOSE_SECONDS=n   how long; 2 by default
//   TMPDIR=/var/tmp              on a disk, which makes it slower
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <malloc.h>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/job_runner.h"
#include "tamis/statistics.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/process/footprint.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/locked.h"

namespace tamis::process {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kKeys = 300;
// A database is made anew after so many rounds. Memory is compared between as
// many: its median, as one round differs from the next by what threads happen
// to allocate at a time.
constexpr int kPeriod = 8;
constexpr size_t kTolerance = 100;  // 1 / kTolerance
constexpr size_t kResidentSlack = 1 << 20;

struct Setting {
  const char* name;
  void (*change)(Options* options, BlockBasedTableOptions* table);
};

const Setting kSettings[] = {
    {"plain", [](Options*, BlockBasedTableOptions*) {}},
    {"own_cache",
     [](Options* options, BlockBasedTableOptions* table) {
       table->block_cache = NewLRUCache(1 << 20);
       table->cache_index_and_filter_blocks = true;
       options->statistics = CreateDBStatistics();
     }},
    {"small",
     [](Options* options, BlockBasedTableOptions* table) {
       options->write_buffer_size = 64 << 10;
       options->max_open_files = 8;
       options->level0_file_num_compaction_trigger = 2;
       table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
       table->partition_filters = true;
     }},
    {"many_threads",
     [](Options* options, BlockBasedTableOptions*) {
       options->max_background_jobs = 6;
       options->max_subcompactions = 3;
       options->compression = kZSTD;
       options->compression_opts.parallel_threads = 2;
     }},
    {"own_threads",
     [](Options* options, BlockBasedTableOptions*) {
       options->job_runner = NewThreadJobRunner(1, 2);
       options->atomic_flush = true;
     }},
};

void ExpectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status; }

std::string Key(int i) { return "key" + std::to_string(i * 7919 % kKeys); }

class OpenCloseTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Which arena a thread gets, and what stays in it, is not the engine's.
    ::mallopt(M_ARENA_MAX, 1);
  }

  // From nothing to nothing; the directory stays.
  void UseDatabase(const Setting& setting, int round);
  void Change(DB* db, ColumnFamilyHandle* family);
  void Read(DB* db, ColumnFamilyHandle* family);
  void CopyAndCompare(DB* db);

  const TemporaryDirectory temporary_{MemoryParent()};
};

void OpenCloseTest::Change(DB* db, ColumnFamilyHandle* family) {
  WriteBatch batch;
  for (int i = 0; i < kKeys; ++i) {
    ExpectOk(db->Put({}, family, Key(i), std::string(200, 'v')));
    ExpectOk(batch.Delete(family, "gone" + Key(i)));
    if (i == kKeys / 2) ExpectOk(db->Flush(FlushOptions(), family));
  }
  WriteOptions synced;
  synced.sync = true;
  ExpectOk(db->Write(synced, &batch));
}

void OpenCloseTest::Read(DB* db, ColumnFamilyHandle* family) {
  const Snapshot* const snapshot = db->GetSnapshot();
  ReadOptions options;
  options.snapshot = snapshot;
  {
    const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
    int forward = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++forward;
    int backward = 0;
    for (it->SeekToLast(); it->Valid(); it->Prev()) ++backward;
    ExpectOk(it->status());
    EXPECT_EQ(forward, kKeys);
    EXPECT_EQ(backward, kKeys);
  }
  std::vector<std::string> values;
  for (const Status& status :
       db->MultiGet(options, std::vector<ColumnFamilyHandle*>(3, family),
                    {Slice("key1"), Slice("key2"), Slice("key299")}, &values)) {
    ExpectOk(status);
  }
  db->ReleaseSnapshot(snapshot);
  PinnableSlice pinned;
  for (int i = 0; i < kKeys; ++i) {
    ExpectOk(db->Get({}, family, Key(i), &pinned));
    EXPECT_TRUE(db->Get({}, family, "no" + Key(i), &pinned).IsNotFound());
  }
}

void OpenCloseTest::CopyAndCompare(DB* db) {
  const std::string copy = temporary_.Path("copy");
  std::unique_ptr<Checkpoint> checkpoint;
  ExpectOk(Checkpoint::Create(db, &checkpoint));
  ExpectOk(checkpoint->CreateCheckpoint(copy));
  {
    std::unique_ptr<DB> read_only;
    ExpectOk(DB::OpenForReadOnly(Options(), copy, &read_only));
    Read(read_only.get(), read_only->DefaultColumnFamily());
  }
  ExpectOk(DestroyDB(copy, Options()));
}

void OpenCloseTest::UseDatabase(const Setting& setting, int round) {
  SCOPED_TRACE(setting.name);
  const std::string directory = temporary_.Path(setting.name);
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  setting.change(&options, &table);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  if (round % kPeriod == 0) ExpectOk(DestroyDB(directory, options));

  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> families;
  const Status opened =
      DB::Open(options, directory,
               {{kDefaultColumnFamilyName, options}, {"second", options}},
               &families, &db);
  ASSERT_TRUE(opened.ok()) << opened;
  std::unique_ptr<DB> other;
  EXPECT_TRUE(SaysLocked(DB::Open(options, directory, &other)));
  for (ColumnFamilyHandle* family : families) {
    Change(db.get(), family);
    Read(db.get(), family);
  }
  ColumnFamilyHandle* passing = nullptr;
  ExpectOk(db->CreateColumnFamily(options, "passing", &passing));
  Change(db.get(), passing);
  ExpectOk(db->DropColumnFamily(passing));
  ExpectOk(db->DestroyColumnFamilyHandle(passing));
  ExpectOk(db->CompactRange({}, families[1], nullptr, nullptr));
  CopyAndCompare(db.get());
  for (ColumnFamilyHandle* family : families) {
    ExpectOk(db->DestroyColumnFamilyHandle(family));
  }
  // Half of them end by their destructor.
  if (round % 2 == 0) ExpectOk(db->Close());
}

class Period {
 public:
  void Add(const Footprint& round) { rounds_.push_back(round); }
  bool full() const { return rounds_.size() == kPeriod; }

  Footprint Most() const { return Of(kPeriod - 1); }
  Footprint Median() const { return Of(kPeriod / 2); }

 private:
  // The n-th smallest of each.
  Footprint Of(size_t n) const {
    const auto pick = [&](size_t Footprint::*member) {
      std::vector<size_t> values;
      for (const Footprint& round : rounds_) values.push_back(round.*member);
      std::sort(values.begin(), values.end());
      return values[n];
    };
    return {pick(&Footprint::descriptors), pick(&Footprint::threads),
            pick(&Footprint::mappings), pick(&Footprint::allocated_bytes),
            pick(&Footprint::resident_bytes)};
  }

  std::vector<Footprint> rounds_;
};

void ExpectNoGrowth(const Period& first, const Period& now) {
  std::ostringstream what;
  what << "at first " << first.Median() << "; now " << now.Median();
  EXPECT_LE(now.Most().descriptors, first.Most().descriptors) << what.str();
  EXPECT_LE(now.Most().threads, first.Most().threads) << what.str();
  if (!kMemoryIsMeasured) return;
  EXPECT_LE(now.Most().mappings, first.Most().mappings) << what.str();
  const auto expect_near = [&](size_t before, size_t after, size_t slack) {
    EXPECT_LE(after, before + std::max(before / kTolerance, slack))
        << what.str();
  };
  expect_near(first.Median().allocated_bytes, now.Median().allocated_bytes, 0);
  // The allocator keeps free pages, more or less of them by how threads met.
  expect_near(first.Median().resident_bytes, now.Median().resident_bytes,
              kResidentSlack);
}

void Print(int round, const Footprint& footprint) {
  std::ostringstream line;
  line << "round " << round << ": " << footprint;
  std::puts(line.str().c_str());
  std::fflush(stdout);
}

TEST_F(OpenCloseTest, LeavesNothingBehind) {
  const auto end =
      Clock::now() + std::chrono::seconds(FromEnvironment(
                         "TAMIS_OPEN_CLOSE_SECONDS", /*otherwise=*/2));
  int round = 0;
  const auto live_a_period = [&] {
    Period period;
    while (!period.full()) {
      // A thread keeps buffers of its reads and writes, more or less of them by
      // how it met the jobs. They end with it.
      std::thread([&] {
        for (const Setting& setting : kSettings) UseDatabase(setting, round);
      }).join();
      period.Add(MeasureFootprint());
      ++round;
    }
    return period;
  };
  live_a_period();  // the warm-up
  const Period first = live_a_period();
  Print(round, first.Median());
  Period now;
  do {
    now = live_a_period();
    ExpectNoGrowth(first, now);
  } while (!HasFailure() && Clock::now() < end);
  Print(round, now.Median());
  std::printf("%zu databases\n",
              static_cast<size_t>(round) * std::size(kSettings));
}

}  // namespace
}  // namespace tamis::process
