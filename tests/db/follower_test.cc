// SPDX-License-Identifier: Apache-2.0
//
// OpenAsFollower: secondary instances that catch up by themselves, beside a
// writer in the same directory; and Promote, which opens it for writing.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace tamis {
namespace {

class FollowerTest : public testing::Test {
 protected:
  FollowerTest() {
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    options_.follower_refresh_catchup_period_ms = 1;
    options_.write_buffer_size = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
  }

  std::unique_ptr<DB> Open() {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options_, directory_.path(), &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return db;
  }
  std::unique_ptr<DB> Follow() {
    std::unique_ptr<DB> follower;
    const Status status =
        DB::OpenAsFollower(options_, logs_.Path(std::to_string(++followers_)),
                           directory_.path(), &follower);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return follower;
  }
  static std::string Get(DB* db, const std::string& key) {
    std::string value;
    const Status status = db->Get({}, key, &value);
    return status.ok() ? value : status.ToString();
  }
  static std::string Property(DB* db, const std::string& name) {
    std::string value;
    return db->GetProperty(name, &value) ? value : "none";
  }
  // For what comes by itself, sooner or later.
  static bool Comes(const std::function<bool()>& is_there) {
    for (int i = 0; i < 60'000; ++i) {
      if (is_there()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  const TemporaryDirectory directory_;
  const TemporaryDirectory logs_;
  Options options_;
  int followers_ = 0;
};

TEST_F(FollowerTest, ShowsByItselfWhatWasWritten) {
  const auto db = Open();
  const auto follower = Follow();
  for (int i = 0; i < 20; ++i) {
    const std::string value = std::to_string(i);
    ASSERT_TRUE(db->Put({}, "k", value).ok());
    if (i % 5 == 4) {
      ASSERT_TRUE(db->Flush({}).ok());
    }
    if (i % 7 == 6) {
      ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    }
    EXPECT_TRUE(Comes([&] { return Get(follower.get(), "k") == value; })) << i;
  }
  EXPECT_EQ(Property(follower.get(), DB::Properties::kFollowerStatus), "OK");
  EXPECT_TRUE(follower->Put({}, "k", "v").IsNotSupported());
}

TEST_F(FollowerTest, TellsItsLag) {
  const auto db = Open();
  const auto follower = Follow();
  // The lag falls when it looks, and grows in between.
  uint64_t last = UINT64_MAX;
  int falls = 0;
  EXPECT_TRUE(Comes([&] {
    uint64_t lag = 0;
    EXPECT_TRUE(follower->GetIntProperty(DB::Properties::kFollowerLag, &lag));
    if (lag < last) ++falls;
    last = lag;
    return falls == 10;
  }));
  uint64_t lag = 0;
  EXPECT_FALSE(db->GetIntProperty(DB::Properties::kFollowerLag, &lag));
  EXPECT_EQ(Property(db.get(), DB::Properties::kFollowerStatus), "none");
}

TEST_F(FollowerTest, ReadsGoOnAndLooksAreRepeatedAfterAnError) {
  const auto db = Open();
  ASSERT_TRUE(db->Put({}, "k", "1").ok());
  const auto follower = Follow();
  const std::string current = directory_.Path("CURRENT");
  std::filesystem::rename(current, current + "_");
  EXPECT_TRUE(Comes([&] {
    return Property(follower.get(), DB::Properties::kFollowerStatus) != "OK";
  }));
  EXPECT_EQ(Get(follower.get(), "k"), "1");
  ASSERT_TRUE(db->Put({}, "k", "2").ok());
  std::filesystem::rename(current + "_", current);
  EXPECT_TRUE(Comes([&] { return Get(follower.get(), "k") == "2"; }));
  // A look ends after what it found can be read.
  EXPECT_TRUE(Comes([&] {
    return Property(follower.get(), DB::Properties::kFollowerStatus) == "OK";
  }));
  const auto log = [this] { return ReadWholeFile(logs_.Path("1/LOG")); };
  EXPECT_TRUE(Comes([&] { return Count(log(), "event=follow ") == 2; }))
      << log();
}

// The writer counts in three keys at once, and flushes and compacts.
TEST_F(FollowerTest, FollowersShowAPrefixOfHistory) {
  const auto db = Open();
  const auto count_to = [&](int n) {
    WriteBatch batch;
    for (const char* key : {"a", "b", "c"}) {
      EXPECT_TRUE(batch.Put(key, std::to_string(n)).ok());
    }
    EXPECT_TRUE(
        batch.Put("fill" + std::to_string(n), std::string(500, 'x')).ok());
    EXPECT_TRUE(db->Write({}, &batch).ok());
  };
  count_to(1);
  constexpr int kLast = 3000;
  std::vector<std::unique_ptr<DB>> followers;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) followers.push_back(Follow());
  for (const auto& follower : followers) {
    readers.emplace_back([&follower] {
      int seen = 0;
      const std::vector<Slice> keys = {"a", "b", "c"};
      while (seen < kLast) {
        std::vector<std::string> values;
        for (const Status& status :
             follower->MultiGet(ReadOptions(), keys, &values)) {
          ASSERT_TRUE(status.ok()) << status.ToString();
        }
        ASSERT_EQ(values[0], values[1]);
        ASSERT_EQ(values[0], values[2]);
        const int now = std::stoi(values[0]);
        ASSERT_GE(now, seen);
        seen = now;
        // What was written before is there, and what comes later is not.
        std::string value;
        ASSERT_TRUE(
            follower->Get({}, "fill" + std::to_string(now), &value).ok());
        const std::unique_ptr<Iterator> it(follower->NewIterator({}));
        it->Seek("a");
        ASSERT_TRUE(it->Valid());
        const std::string first = it->value().ToString();
        it->Next();
        ASSERT_EQ(it->value().ToString(), first);
      }
    });
  }
  for (int n = 2; n <= kLast; ++n) count_to(n);
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  for (std::thread& reader : readers) reader.join();
}

TEST_F(FollowerTest, IsPromotedWhenTheWriterIsGone) {
  auto db = Open();
  std::vector<std::unique_ptr<DB>> followers;
  for (int round = 0; round < 20; ++round) {
    const std::string key = "round" + std::to_string(round);
    auto follower = Follow();
    ASSERT_TRUE(db->Put({}, key, "1").ok());
    std::unique_ptr<DB> writer;
    EXPECT_TRUE(follower->Promote(&writer, nullptr).IsIOError());
    EXPECT_EQ(writer, nullptr);
    db.reset();
    Status status = follower->Promote(&writer, nullptr);
    ASSERT_TRUE(status.ok()) << status.ToString();
    // The writer finds everything at once. The follower still follows.
    EXPECT_EQ(Get(writer.get(), key), "1");
    ASSERT_TRUE(writer->Put({}, key, "2").ok());
    EXPECT_TRUE(Comes([&] { return Get(follower.get(), key) == "2"; }));
    EXPECT_TRUE(writer->Promote(&db, nullptr).IsNotSupported());
    db = std::move(writer);
  }
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(Get(db.get(), "round" + std::to_string(round)), "2");
  }
}

TEST_F(FollowerTest, PromotesWithItsFamilies) {
  const std::vector<ColumnFamilyDescriptor> families = {
      {kDefaultColumnFamilyName, options_}, {"other", options_}};
  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(
      DB::Open(options_, directory_.path(), families, &handles, &db).ok());
  ASSERT_TRUE(db->Put({}, handles[1], "k", "v").ok());
  for (ColumnFamilyHandle* handle : handles) delete handle;
  std::unique_ptr<DB> follower;
  ASSERT_TRUE(DB::OpenAsFollower(options_, logs_.Path("f"), directory_.path(),
                                 families, &handles, &follower)
                  .ok());
  db.reset();
  std::vector<ColumnFamilyHandle*> of_writer;
  std::unique_ptr<DB> writer;
  const Status status = follower->Promote(&writer, &of_writer);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(of_writer.size(), 2u);
  EXPECT_EQ(of_writer[1]->GetName(), "other");
  std::string value;
  EXPECT_TRUE(writer->Get({}, of_writer[1], "k", &value).ok());
  for (ColumnFamilyHandle* handle : handles) delete handle;
  for (ColumnFamilyHandle* handle : of_writer) delete handle;
}

TEST_F(FollowerTest, NeedsADirectoryOfItsOwn) {
  const auto db = Open();
  std::unique_ptr<DB> follower;
  const Status status = DB::OpenAsFollower(options_, directory_.path(),
                                           directory_.path(), &follower);
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
}

}  // namespace
}  // namespace tamis
