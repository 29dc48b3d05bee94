// SPDX-License-Identifier: Apache-2.0
//
// Directories of one compaction style go to another, between the engines: each
// opens what the other wrote, in turn.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/universal_compaction.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/interop/workload.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

static_assert(int{kCompactionStyleLevel} ==
              int{rocksdb::kCompactionStyleLevel});
static_assert(int{kCompactionStyleUniversal} ==
              int{rocksdb::kCompactionStyleUniversal});
static_assert(int{kCompactionStyleFIFO} == int{rocksdb::kCompactionStyleFIFO});
static_assert(int{kCompactionStyleNone} == int{rocksdb::kCompactionStyleNone});
static_assert(int{kByCompensatedSize} == int{rocksdb::kByCompensatedSize});
static_assert(int{kOldestLargestSeqFirst} ==
              int{rocksdb::kOldestLargestSeqFirst});
static_assert(int{kOldestSmallestSeqFirst} ==
              int{rocksdb::kOldestSmallestSeqFirst});
static_assert(int{kMinOverlappingRatio} == int{rocksdb::kMinOverlappingRatio});
static_assert(int{kRoundRobin} == int{rocksdb::kRoundRobin});
static_assert(
    static_cast<int>(BottommostLevelCompaction::kForceOptimized) ==
    static_cast<int>(rocksdb::BottommostLevelCompaction::kForceOptimized));
static_assert(static_cast<int>(BottommostLevelCompaction::kForce) ==
              static_cast<int>(rocksdb::BottommostLevelCompaction::kForce));
static_assert(int{kDisableCompressionOption} ==
              int{rocksdb::kDisableCompressionOption} % 256);

// A style and a number of levels, as both engines take them.
struct Shape {
  const char* name;
  CompactionStyle style;
  int levels = 7;
  bool dynamic = false;
};

constexpr Shape kLevels7{"level", kCompactionStyleLevel};
constexpr Shape kDynamic{"dynamic", kCompactionStyleLevel, 7, true};
constexpr Shape kUniversal{"universal", kCompactionStyleUniversal};
constexpr Shape kOneLevel{"one_level", kCompactionStyleUniversal, 1};

Options OptionsFor(const Shape& shape) {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 32 * 1024;
  options.max_bytes_for_level_base = 32 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  options.compaction_style = shape.style;
  options.num_levels = shape.levels;
  options.level_compaction_dynamic_level_bytes = shape.dynamic;
  return options;
}

rocksdb::Options PeerOptionsFor(const Shape& shape) {
  rocksdb::Options options = PeerOptions(/*reverse=*/false);
  options.create_if_missing = true;
  options.compaction_style = static_cast<rocksdb::CompactionStyle>(shape.style);
  options.num_levels = shape.levels;
  options.level_compaction_dynamic_level_bytes = shape.dynamic;
  return options;
}

void WriteTamis(Workload* workload, DB* db) {
  for (int i = 0; i < 3000; ++i) {
    const Change change = workload->Next();
    const Status status =
        change.put ? db->Put(WriteOptions(), change.key, change.value)
                   : db->Delete(WriteOptions(), change.key);
    ASSERT_TRUE(status.ok()) << status;
    if (workload->random().OneIn(300)) {
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    }
  }
}

void WritePeer(Workload* workload, rocksdb::DB* db) {
  for (int i = 0; i < 3000; ++i) {
    const Change change = workload->Next();
    const rocksdb::Status status =
        change.put ? db->Put(rocksdb::WriteOptions(), change.key, change.value)
                   : db->Delete(rocksdb::WriteOptions(), change.key);
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (workload->random().OneIn(300)) {
      ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
    }
  }
}

void ExpectShows(const Workload& workload, DB* db) {
  Status status;
  EXPECT_EQ(DifferenceFrom(workload.Shown(false), db, &status, ReadOptions()),
            "");
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CompactionStylesInteropTest, DirectoriesGoFromStyleToStyle) {
  const std::vector<Shape> rounds = {kUniversal, kUniversal, kLevels7,
                                     kUniversal, kDynamic,   kUniversal,
                                     kDynamic,   kLevels7};
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Workload workload(303);
  for (size_t i = 0; i < rounds.size(); ++i) {
    SCOPED_TRACE(std::to_string(i) + " " + rounds[i].name);
    {
      const auto db = OpenTamis(OptionsFor(rounds[i]), directory);
      ASSERT_NE(db, nullptr);
      ExpectShows(workload, db.get());
      ASSERT_NO_FATAL_FAILURE(WriteTamis(&workload, db.get()));
      if (i % 3 == 2) {
        const Status status =
            db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
        ASSERT_TRUE(status.ok()) << status;
      }
      ExpectShows(workload, db.get());
      ASSERT_TRUE(db->Close().ok());
    }
    ExpectConsistentToLdb(directory);
    // The next shape, so that each engine meets each of the other's.
    const Shape& theirs = rounds[(i + 1) % rounds.size()];
    const auto peer = OpenPeer(PeerOptionsFor(theirs), directory);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(workload.Shown(false), peer.get()), "");
    ASSERT_NO_FATAL_FAILURE(WritePeer(&workload, peer.get()));
    if (i % 3 == 1) {
      ASSERT_TRUE(
          peer->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr)
              .ok());
    }
    EXPECT_EQ(PeerDifferenceFrom(workload.Shown(false), peer.get()), "");
  }
}

// All tables stay in level 0, those of merges too, which both engines order by
// sequence number.
TEST(CompactionStylesInteropTest, OneLevelGoesBackAndForth) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Workload workload(304);
  for (int round = 0; round < 3; ++round) {
    {
      const auto db = OpenTamis(OptionsFor(kOneLevel), directory);
      ASSERT_NE(db, nullptr);
      ExpectShows(workload, db.get());
      ASSERT_NO_FATAL_FAILURE(WriteTamis(&workload, db.get()));
      ExpectShows(workload, db.get());
      ASSERT_TRUE(db->Close().ok());
    }
    const auto peer = OpenPeer(PeerOptionsFor(kOneLevel), directory);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(workload.Shown(false), peer.get()), "");
    ASSERT_NO_FATAL_FAILURE(WritePeer(&workload, peer.get()));
  }
}

TEST(CompactionStylesInteropTest, BothRefuseTablesBelowTheLastLevel) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Workload workload(305);
  {
    const auto db = OpenTamis(OptionsFor(kDynamic), directory);
    ASSERT_NE(db, nullptr);
    ASSERT_NO_FATAL_FAILURE(WriteTamis(&workload, db.get()));
    ASSERT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  }
  Shape few = kDynamic;
  few.levels = 3;
  std::unique_ptr<DB> db;
  EXPECT_TRUE(DB::Open(OptionsFor(few), directory, &db).IsInvalidArgument());
  rocksdb::DB* peer = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(PeerOptionsFor(few), directory, &peer)
                  .IsInvalidArgument());
}

}  // namespace
}  // namespace tamis
