// SPDX-License-Identifier: Apache-2.0
//
// The texts of PerfContext, IOStatsContext and ThreadStatus are RocksDB's, and
// so is the order of the perf levels.
#include "tamis/perf_context.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/iostats_context.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/thread_status.h>

#include "tamis/iostats_context.h"
#include "tamis/thread_status.h"

namespace {

// "a = 1, b = 2" becomes {"a = 1", "b = 2"}.
std::vector<std::string> PartsOf(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(", ", begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

std::string NameOf(const std::string& part) {
  return part.substr(0, part.find(' '));
}

TEST(PerfContextInteropTest, NamesComeInRocksDBsOrder) {
  tamis::get_perf_context()->Reset();
  rocksdb::get_perf_context()->Reset();
  std::map<std::string, size_t> places;
  const auto theirs = PartsOf(rocksdb::get_perf_context()->ToString());
  for (size_t i = 0; i < theirs.size(); ++i) places[NameOf(theirs[i])] = i;
  size_t last = 0;
  size_t shared = 0;
  bool own = false;  // those that RocksDB does not print come last
  for (const std::string& part :
       PartsOf(tamis::get_perf_context()->ToString())) {
    const std::string name = NameOf(part);
    if (part.find("@level") != std::string::npos) break;
    const auto found = places.find(name);
    own = own || found == places.end();
    EXPECT_EQ(own, found == places.end()) << name;
    if (own) continue;
    EXPECT_TRUE(shared == 0 || found->second > last) << name;
    last = found->second;
    ++shared;
  }
  EXPECT_EQ(shared, 55u);
}

TEST(PerfContextInteropTest, TheSameValuesShowTheSame) {
  tamis::PerfContext& ours = *tamis::get_perf_context();
  rocksdb::PerfContext& theirs = *rocksdb::get_perf_context();
  ours.Reset();
  theirs.Reset();
  EXPECT_EQ(ours.ToString(true), theirs.ToString(true));
  ours.block_read_count = theirs.block_read_count = 3;
  ours.multiget_read_bytes = theirs.multiget_read_bytes = 5;
  ours.get_cpu_nanos = theirs.get_cpu_nanos = 7;
  EXPECT_EQ(ours.ToString(true), theirs.ToString(true));
  ours.Reset();
  theirs.Reset();
}

TEST(PerfContextInteropTest, LevelsHaveRocksDBsOrder) {
  // RocksDB 7.8.3 lacks kEnableWait, which 9 has before the third.
  const tamis::PerfLevel ours[] = {
      tamis::kUninitialized,
      tamis::kDisable,
      tamis::kEnableCount,
      tamis::kEnableTimeExceptForMutex,
      tamis::kEnableTimeAndCPUTimeExceptForMutex,
      tamis::kEnableTime,
      tamis::kOutOfBounds,
  };
  const rocksdb::PerfLevel theirs[] = {
      rocksdb::kUninitialized,
      rocksdb::kDisable,
      rocksdb::kEnableCount,
      rocksdb::kEnableTimeExceptForMutex,
      rocksdb::kEnableTimeAndCPUTimeExceptForMutex,
      rocksdb::kEnableTime,
      rocksdb::kOutOfBounds,
  };
  for (size_t i = 1; i < std::size(ours); ++i) {
    EXPECT_LT(ours[i - 1], ours[i]);
    EXPECT_LT(theirs[i - 1], theirs[i]);
  }
  EXPECT_LT(tamis::kEnableCount, tamis::kEnableWait);
  EXPECT_LT(tamis::kEnableWait, tamis::kEnableTimeExceptForMutex);
  EXPECT_EQ(int{tamis::GetPerfLevel()}, int{rocksdb::GetPerfLevel()});
}

TEST(IOStatsContextInteropTest, TextIsRocksDBsUpToTemperatures) {
  tamis::IOStatsContext& ours = *tamis::get_iostats_context();
  rocksdb::IOStatsContext& theirs = *rocksdb::get_iostats_context();
  ours.Reset();
  theirs.Reset();
  EXPECT_EQ(ours.ToString(true), theirs.ToString(true));
  const std::string all = theirs.ToString();
  EXPECT_EQ(ours.ToString(), all.substr(0, all.find(", file_io_stats_by_")));
  ours.bytes_read = theirs.bytes_read = 1;
  ours.bytes_written = theirs.bytes_written = 2;
  ours.fsync_nanos = theirs.fsync_nanos = 3;
  ours.cpu_read_nanos = theirs.cpu_read_nanos = 4;
  EXPECT_EQ(ours.ToString(true), theirs.ToString(true));
  ours.disable_iostats = theirs.disable_iostats = true;
  ours.Reset();
  theirs.Reset();
  EXPECT_EQ(ours.disable_iostats, theirs.disable_iostats);
  EXPECT_EQ(ours.ToString(true), theirs.ToString(true));
  ours.disable_iostats = theirs.disable_iostats = false;
}

using Ours = tamis::ThreadStatus;
using Theirs = rocksdb::ThreadStatus;

TEST(ThreadStatusInteropTest, NamesAreRocksDBs) {
  static_assert(int{Ours::NUM_THREAD_TYPES} == int{Theirs::NUM_THREAD_TYPES});
  static_assert(int{Ours::NUM_OP_STAGES} == int{Theirs::NUM_OP_STAGES});
  static_assert(int{Ours::NUM_STATE_TYPES} == int{Theirs::NUM_STATE_TYPES});
  static_assert(Ours::kNumOperationProperties ==
                Theirs::kNumOperationProperties);
  for (int i = 0; i < Theirs::NUM_THREAD_TYPES; ++i) {
    EXPECT_EQ(Ours::GetThreadTypeName(Ours::ThreadType{i}),
              Theirs::GetThreadTypeName(Theirs::ThreadType{i}));
  }
  for (int i = 0; i < Theirs::NUM_OP_STAGES; ++i) {
    EXPECT_EQ(Ours::GetOperationStageName(Ours::OperationStage{i}),
              Theirs::GetOperationStageName(Theirs::OperationStage{i}));
  }
  for (int i = 0; i < Theirs::NUM_STATE_TYPES; ++i) {
    EXPECT_EQ(Ours::GetStateName(Ours::StateType{i}),
              Theirs::GetStateName(Theirs::StateType{i}));
  }
  for (int i = 0; i < Theirs::NUM_OP_TYPES; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(Ours::GetOperationName(Ours::OperationType{i}),
              Theirs::GetOperationName(Theirs::OperationType{i}));
    for (int p = 0; p < Theirs::kNumOperationProperties; ++p) {
      EXPECT_EQ(Ours::GetOperationPropertyName(Ours::OperationType{i}, p),
                Theirs::GetOperationPropertyName(Theirs::OperationType{i}, p));
    }
    for (uint64_t flags = 0; flags < 16; ++flags) {
      const uint64_t values[Theirs::kNumOperationProperties] = {
          1, uint64_t{2} << 32 | 3, flags, 40, 50, 60};
      EXPECT_EQ(
          Ours::InterpretOperationProperties(Ours::OperationType{i}, values),
          Theirs::InterpretOperationProperties(Theirs::OperationType{i},
                                               values));
    }
  }
  EXPECT_EQ(Ours::GetOperationName(Ours::OP_DBOPEN), "DBOpen");
}

TEST(ThreadStatusInteropTest, TimesShowAsRocksDBShowsThem) {
  for (uint64_t micros = 0; micros < (uint64_t{1} << 50);
       micros += micros / 3 + 1) {
    EXPECT_EQ(Ours::MicrosToString(micros), Theirs::MicrosToString(micros));
  }
  for (const uint64_t limit : {10'000ull, 10'000'000ull, 60'000'000ull,
                               3'600'000'000ull, 86'400'000'000ull}) {
    for (const uint64_t micros : {limit - 1, limit, limit + 1}) {
      EXPECT_EQ(Ours::MicrosToString(micros), Theirs::MicrosToString(micros));
    }
  }
}

}  // namespace
