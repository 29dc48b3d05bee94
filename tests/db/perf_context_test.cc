// SPDX-License-Identifier: Apache-2.0
//
// The counters and times of a PerfContext, and the level from which each of
// them counts.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "util/base/nanos_timer.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

class PerfContextDBTest : public DBTest {
 protected:
  PerfContextDBTest() {
    options_.disable_auto_compactions = true;
    options_.merge_operator = MergeOperators::CreateStringAppendOperator(",");
  }
  ~PerfContextDBTest() override { SetPerfLevel(kEnableCount); }

  // Returns what the call counts at the level.
  template <typename Call>
  PerfContext CountsOf(PerfLevel level, const Call& call) {
    get_perf_context()->Reset();
    SetPerfLevel(level);
    call();
    SetPerfLevel(kEnableCount);
    PerfContext counts = *get_perf_context();
    get_perf_context()->Reset();
    return counts;
  }
  std::unique_ptr<Iterator> Scan(const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    return std::unique_ptr<Iterator>(db_->NewIterator(options));
  }
};

// The levels in their order.
constexpr PerfLevel kLevels[] = {
    kDisable,
    kEnableCount,
    kEnableWait,
    kEnableTimeExceptForMutex,
    kEnableTimeAndCPUTimeExceptForMutex,
    kEnableTime,
};

struct Member {
  const char* name;
  uint64_t PerfContext::*value;
  PerfLevel from;
};

TEST_F(PerfContextDBTest, EachCounterOfReadsBeginsAtItsLevel) {
  BlockBasedTableOptions table;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.cache_index_and_filter_blocks = true;
  SetTable(table);
  options_.max_open_files = 20;  // tables are found anew
  const Member members[] = {
      {"block_read_count", &PerfContext::block_read_count, kEnableCount},
      {"get_read_bytes", &PerfContext::get_read_bytes, kEnableCount},
      {"multiget_read_bytes", &PerfContext::multiget_read_bytes, kEnableCount},
      {"get_snapshot_time", &PerfContext::get_snapshot_time,
       kEnableTimeExceptForMutex},
      {"get_from_memtable_time", &PerfContext::get_from_memtable_time,
       kEnableTimeExceptForMutex},
      {"get_from_output_files_time", &PerfContext::get_from_output_files_time,
       kEnableTimeExceptForMutex},
      {"get_post_process_time", &PerfContext::get_post_process_time,
       kEnableTimeExceptForMutex},
      {"merge_operator_time_nanos", &PerfContext::merge_operator_time_nanos,
       kEnableTimeExceptForMutex},
      {"read_index_block_nanos", &PerfContext::read_index_block_nanos,
       kEnableTimeExceptForMutex},
      {"read_filter_block_nanos", &PerfContext::read_filter_block_nanos,
       kEnableTimeExceptForMutex},
      {"find_table_nanos", &PerfContext::find_table_nanos,
       kEnableTimeExceptForMutex},
      {"get_cpu_nanos", &PerfContext::get_cpu_nanos,
       kEnableTimeAndCPUTimeExceptForMutex},
  };
  for (const PerfLevel level : kLevels) {
    SCOPED_TRACE(int{level});
    Open();
    Put("a", "1");
    Merge("m", "1");
    Merge("m", "2");
    Flush();
    Reopen();
    const PerfContext counts = CountsOf(level, [this] {
      EXPECT_EQ(Get("m"), "1,2");
      const Slice key = "a";
      PinnableSlice value;
      Status status;
      db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 1, &key, &value,
                    &status);
      EXPECT_TRUE(status.ok()) << status;
    });
    for (const Member& member : members) {
      EXPECT_EQ(counts.*member.value > 0, level >= member.from) << member.name;
    }
    EXPECT_EQ(counts.level_to_perf_context[0].get_from_table_nanos > 0,
              level >= kEnableTimeExceptForMutex);
    Destroy();
  }
}

TEST_F(PerfContextDBTest, EachCounterOfIteratorsBeginsAtItsLevel) {
  const Member members[] = {
      {"seek_child_seek_count", &PerfContext::seek_child_seek_count,
       kEnableCount},
      {"seek_on_memtable_time", &PerfContext::seek_on_memtable_time,
       kEnableTimeExceptForMutex},
      {"seek_child_seek_time", &PerfContext::seek_child_seek_time,
       kEnableTimeExceptForMutex},
      {"seek_min_heap_time", &PerfContext::seek_min_heap_time,
       kEnableTimeExceptForMutex},
      {"seek_max_heap_time", &PerfContext::seek_max_heap_time,
       kEnableTimeExceptForMutex},
      {"seek_internal_seek_time", &PerfContext::seek_internal_seek_time,
       kEnableTimeExceptForMutex},
      {"find_next_user_entry_time", &PerfContext::find_next_user_entry_time,
       kEnableTimeExceptForMutex},
      {"new_table_iterator_nanos", &PerfContext::new_table_iterator_nanos,
       kEnableTimeExceptForMutex},
      {"new_table_block_iter_nanos", &PerfContext::new_table_block_iter_nanos,
       kEnableTimeExceptForMutex},
      {"iter_seek_cpu_nanos", &PerfContext::iter_seek_cpu_nanos,
       kEnableTimeAndCPUTimeExceptForMutex},
      {"iter_next_cpu_nanos", &PerfContext::iter_next_cpu_nanos,
       kEnableTimeAndCPUTimeExceptForMutex},
      {"iter_prev_cpu_nanos", &PerfContext::iter_prev_cpu_nanos,
       kEnableTimeAndCPUTimeExceptForMutex},
  };
  Open();
  for (const char* key : {"a", "b", "c"}) Put(key, "1");
  Flush();
  for (const char* key : {"a", "b", "c"}) Put(key, "2");
  for (const PerfLevel level : kLevels) {
    SCOPED_TRACE(int{level});
    const PerfContext counts = CountsOf(level, [this] {
      const auto it = Scan();
      it->Seek("a");
      it->Next();
      it->Prev();
      it->SeekForPrev("c");
      EXPECT_TRUE(it->Valid());
    });
    for (const Member& member : members) {
      EXPECT_EQ(counts.*member.value > 0, level >= member.from) << member.name;
    }
  }
}

TEST_F(PerfContextDBTest, EachCounterOfWritesBeginsAtItsLevel) {
  const Member members[] = {
      {"write_wal_time", &PerfContext::write_wal_time,
       kEnableTimeExceptForMutex},
      {"write_memtable_time", &PerfContext::write_memtable_time,
       kEnableTimeExceptForMutex},
      {"write_scheduling_flushes_compactions_time",
       &PerfContext::write_scheduling_flushes_compactions_time,
       kEnableTimeExceptForMutex},
      {"write_pre_and_post_process_time",
       &PerfContext::write_pre_and_post_process_time,
       kEnableTimeExceptForMutex},
      {"db_mutex_lock_nanos", &PerfContext::db_mutex_lock_nanos, kEnableTime},
      {"db_condition_wait_nanos", &PerfContext::db_condition_wait_nanos,
       kEnableTime},
  };
  options_.write_buffer_size = 64 << 10;
  Open();
  for (const PerfLevel level : kLevels) {
    SCOPED_TRACE(int{level});
    const PerfContext counts = CountsOf(level, [this] {
      PutMany(3, 60 << 10);  // switches the memtable
      Flush();
    });
    for (const Member& member : members) {
      EXPECT_EQ(counts.*member.value > 0, level >= member.from) << member.name;
    }
    EXPECT_EQ(counts.write_delay_time, 0u);
  }
}

TEST_F(PerfContextDBTest, TheTimeOfAStopIsADelayFromEnableWaitOn) {
  options_.max_write_buffer_number = 2;
  options_.write_buffer_size = 64 << 10;
  Open();
  for (const PerfLevel level : {kEnableCount, kEnableWait}) {
    const uint64_t stalled = Tick(STALL_MICROS);
    const PerfContext counts =
        CountsOf(level, [this] { PutMany(10, 60 << 10); });
    EXPECT_GT(Tick(STALL_MICROS), stalled);
    EXPECT_EQ(counts.write_delay_time > 0, level == kEnableWait);
    EXPECT_EQ(counts.write_wal_time, 0u);
  }
  EXPECT_EQ(LogLines("event=write_delay_start").size(), 0u);
}

// The parts of a write do not overlap.
TEST_F(PerfContextDBTest, TimesOfAWriteAddUpToItsTime) {
  Open();
  const uint64_t begin = NanosTimer::Now();
  const PerfContext counts = CountsOf(kEnableTime, [this] { PutMany(100); });
  const uint64_t all = NanosTimer::Now() - begin;
  EXPECT_LE(counts.write_wal_time + counts.write_memtable_time +
                counts.write_pre_and_post_process_time +
                counts.write_scheduling_flushes_compactions_time,
            all);
}

TEST_F(PerfContextDBTest, StepsInMemTablesAreCounted) {
  Open();
  for (const char* key : {"a", "b", "c"}) Put(key, "1");
  const PerfContext counts = CountsOf(kEnableCount, [this] {
    const auto it = Scan();
    it->Seek("a");
    it->Next();
    it->Next();
    it->SeekForPrev("c");
  });
  EXPECT_EQ(counts.seek_on_memtable_count, 2u);
  EXPECT_EQ(counts.next_on_memtable_count, 2u);
  // To before all versions of "c".
  EXPECT_EQ(counts.prev_on_memtable_count, 1u);
  EXPECT_EQ(counts.seek_child_seek_count, 0u);  // nothing is merged
}

TEST_F(PerfContextDBTest, EachSeekSeeksEveryChild) {
  Open();
  Put("a", "1");
  Flush();
  Put("b", "1");
  Flush();
  Put("c", "1");
  const PerfContext counts = CountsOf(kEnableCount, [this] {
    const auto it = Scan();
    it->Seek("a");
    it->SeekForPrev("b");
  });
  EXPECT_EQ(counts.seek_child_seek_count, 2u * 3u);
}

TEST_F(PerfContextDBTest, SkippedEntriesAreCountedByTheirCause) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Put("b", "2");
  const Snapshot* const snapshot = db_->GetSnapshot();
  Put("a", "2");
  Put("a", "3");
  Delete("b");
  const auto count = [this](const Snapshot* at) {
    return CountsOf(kEnableCount, [this, at] {
      const auto it = Scan(at);
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
      }
    });
  };
  const PerfContext then = count(snapshot);
  EXPECT_EQ(then.internal_recent_skipped_count, 3u);
  EXPECT_EQ(then.internal_key_skipped_count, 1u);  // the older "b"
  EXPECT_EQ(then.internal_delete_skipped_count, 0u);
  const PerfContext now = count(nullptr);
  EXPECT_EQ(now.internal_recent_skipped_count, 0u);
  EXPECT_EQ(now.internal_key_skipped_count, 2u + 2u);
  EXPECT_EQ(now.internal_delete_skipped_count, 1u);
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(PerfContextDBTest, MergedOperandsAreCounted) {
  Open();
  Put("a", "1");
  Merge("a", "2");
  Merge("a", "3");
  const PerfContext counts = CountsOf(kEnableCount, [this] {
    const auto it = Scan();
    it->SeekToFirst();
    EXPECT_EQ(it->value().ToString(), "1,2,3");
  });
  EXPECT_EQ(counts.internal_merge_count, 2u);
}

TEST_F(PerfContextDBTest, BytesOfGetAndOfMultiGetAreApart) {
  Open();
  Put("a", "1");
  Put("b", "22");
  const PerfContext counts = CountsOf(kEnableCount, [this] {
    EXPECT_EQ(Get("a"), "1");
    const Slice keys[] = {"b", "none", "b"};
    PinnableSlice values[3];
    Status statuses[3];
    db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 3, keys, values,
                  statuses);
  });
  EXPECT_EQ(counts.get_read_bytes, 1u);
  EXPECT_EQ(counts.multiget_read_bytes, 4u);
}

TEST_F(PerfContextDBTest, DictionariesThatAreReadAreCounted) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  options_.compression = kZSTD;
  options_.compression_opts.max_dict_bytes = 4 << 10;
  Open();
  for (int i = 0; i < 2000; ++i) Put(Key(i), "value of " + Key(i));
  Flush();
  Compact();
  const PerfContext counts = CountsOf(kEnableCount, [this] {
    Reopen();
    EXPECT_NE(Get(Key(1)), "NOT_FOUND");
  });
  EXPECT_EQ(counts.compression_dict_block_read_count, 1u);
}

TEST_F(PerfContextDBTest, CountingByLevelCanBeDisabled) {
  Open();
  Put("a", "1");
  Flush();
  Get("a");
  PerfContext* const perf = get_perf_context();
  const auto returned = [perf] {
    return perf->level_to_perf_context[0].user_key_return_count;
  };
  perf->Reset();
  Get("a");
  EXPECT_EQ(returned(), 1u);
  perf->DisablePerLevelPerfContext();
  Get("a");
  EXPECT_EQ(returned(), 1u);
  EXPECT_EQ(perf->ToString().find("user_key_return_count"), std::string::npos);
  perf->EnablePerLevelPerfContext();
  Get("a");
  EXPECT_EQ(returned(), 2u);
  EXPECT_NE(perf->ToString(true).find("user_key_return_count = 2@level0"),
            std::string::npos);
  perf->ClearPerLevelPerfContext();
  EXPECT_EQ(returned(), 0u);
  perf->Reset();
  EXPECT_FALSE(perf->per_level_perf_context_enabled);
  Get("a");
  EXPECT_EQ(returned(), 0u);
  EXPECT_EQ(perf->bloom_sst_hit_count, 1u);
  perf->EnablePerLevelPerfContext();
}

}  // namespace
}  // namespace tamis
