// SPDX-License-Identifier: Apache-2.0
//
// A database of a volume is read by other processes while its owner writes: for
// reading only, and by a secondary instance.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/job_runner.h"
#include "tamis/table.h"

#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/kept_lines.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {
namespace {

class ReadersTest : public testing::Test {
 protected:
  Options NewProcess() {
    Volume::Options volume = SimulatedVolume(clock_);
    volume.trash_seconds = trash_seconds_;
    volume.ownership.take_over = true;
    Options options;
    options.clock = clock_;
    options.job_runner = runner_;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    auto client = std::make_unique<SimulatedClient>(
        &cluster_, "client" + std::to_string(++clients_));
    client_ = client.get();
    volumes_.push_back(std::make_shared<Volume>(std::move(client), volume));
    options.file_system = std::make_shared<RadosFileSystem>(
        volumes_.back(), /*flush_waits=*/false);
    return options;
  }
  Options NewReader() {
    Options options = NewProcess();
    // Only the owner creates files in the volume.
    options.info_log = std::make_shared<KeptLines>();
    return options;
  }
  // From here on, `calls_` counts those of the last client.
  void CountCalls() {
    calls_ = 0;
    client_->SetHook(
        [this](const std::string& /*call*/, const ObjectName& /*object*/) {
          ++calls_;
          return StoreResult();
        });
  }
  void TendAll() {
    for (const auto& volume : volumes_) volume->Tend();
  }

  SimulatedCluster cluster_{1};
  uint32_t trash_seconds_ = 60;
  int calls_ = 0;
  std::vector<std::shared_ptr<Volume>> volumes_;
  int clients_ = 0;
  SimulatedClient* client_ = nullptr;  // the last
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<DeterministicJobRunner> runner_ =
      NewDeterministicJobRunner(1);
};

TEST_F(ReadersTest, ReadWhatTheOwnerHasSynced) {
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(NewProcess(), "/db", &db), Status::OK());
  WriteOptions synced;
  synced.sync = true;
  ASSERT_EQ(db->Put(synced, "a", "1"), Status::OK());
  std::unique_ptr<DB> reader;
  ASSERT_EQ(DB::OpenForReadOnly(NewProcess(), "/db", &reader), Status::OK());
  std::string value;
  EXPECT_EQ(reader->Get({}, "a", &value), Status::OK());
  EXPECT_EQ(value, "1");

  std::unique_ptr<DB> secondary;
  Options options = NewProcess();
  // Only the owner creates files in the volume.
  EXPECT_TRUE(DB::OpenAsSecondary(options, "/db", "/secondary", &secondary)
                  .IsIOError());
  options.info_log = std::make_shared<KeptLines>();
  ASSERT_EQ(DB::OpenAsSecondary(options, "/db", "/secondary", &secondary),
            Status::OK());
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(db->Put(synced, "k", std::to_string(i)), Status::OK());
    if (i % 7 == 0) {
      ASSERT_EQ(db->Flush({}), Status::OK());
    }
    if (i % 11 == 0) {
      ASSERT_EQ(db->CompactRange({}, nullptr, nullptr), Status::OK());
    }
    ASSERT_EQ(secondary->TryCatchUpWithPrimary(), Status::OK());
    ASSERT_EQ(secondary->Get({}, "k", &value), Status::OK());
    EXPECT_EQ(value, std::to_string(i));
  }
}

// Iterators of the past, while the owner removes what it no longer needs.
TEST_F(ReadersTest, KeepWhatTheyReadFrom) {
  trash_seconds_ = 0;
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(NewProcess(), "/db", &db), Status::OK());
  WriteOptions synced;
  synced.sync = true;
  constexpr int kKeys = 200;
  const auto fill = [&](int round) {
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_EQ(db->Put(synced, "key" + std::to_string(1000 + i),
                        std::to_string(round) + std::string(200, 'v')),
                Status::OK());
    }
    ASSERT_EQ(db->CompactRange({}, nullptr, nullptr), Status::OK());
  };
  fill(0);
  std::unique_ptr<DB> secondary;
  ASSERT_EQ(DB::OpenAsSecondary(NewReader(), "/db", "/secondary", &secondary),
            Status::OK());
  ReadOptions uncached;
  uncached.fill_cache = false;
  std::vector<std::unique_ptr<Iterator>> iterators;
  for (int round = 1; round <= 10; ++round) {
    iterators.emplace_back(secondary->NewIterator(uncached));
    fill(round);
    TendAll();
    ASSERT_EQ(secondary->TryCatchUpWithPrimary(), Status::OK());
    TendAll();
    fill(round);
    TendAll();
  }
  for (size_t round = 0; round < iterators.size(); ++round) {
    Iterator* const it = iterators[round].get();
    int n = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++n) {
      EXPECT_EQ(it->value().ToString(),
                std::to_string(round) + std::string(200, 'v'));
    }
    EXPECT_EQ(it->status(), Status::OK());
    EXPECT_EQ(n, kKeys);
  }
  // What nobody needs any more is gone.
  const auto tables = [this] {
    size_t n = 0;
    for (const auto& [name, object] : cluster_.objects()) {
      if (name.pool == Pool::kTables) ++n;
    }
    return n;
  };
  const size_t kept = tables();
  iterators.clear();
  ASSERT_EQ(secondary->TryCatchUpWithPrimary(), Status::OK());
  TendAll();
  TendAll();
  EXPECT_LT(tables() + 5, kept);
}

// Each secondary instance takes the database over from the one before.
TEST_F(ReadersTest, ArePromoted) {
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(NewProcess(), "/db", &db), Status::OK());
  WriteOptions synced;
  synced.sync = true;
  std::string value;
  for (int round = 0; round < 100; ++round) {
    const std::string key = "round" + std::to_string(round);
    std::unique_ptr<DB> secondary;
    ASSERT_EQ(DB::OpenAsSecondary(NewReader(), "/db", "/secondary", &secondary),
              Status::OK());
    ASSERT_EQ(db->Put(synced, key, "1"), Status::OK());
    std::unique_ptr<DB> writer;
    ASSERT_EQ(secondary->Promote(&writer, nullptr), Status::OK());
    EXPECT_TRUE(db->Put(synced, key, "2").IsIOFenced());
    ASSERT_EQ(writer->Get({}, key, &value), Status::OK());
    EXPECT_EQ(value, "1");
    ASSERT_EQ(writer->Put(synced, key, "3"), Status::OK());
    ASSERT_EQ(secondary->TryCatchUpWithPrimary(), Status::OK());
    ASSERT_EQ(secondary->Get({}, key, &value), Status::OK());
    EXPECT_EQ(value, "3");
    secondary.reset();
    db = std::move(writer);
  }
}

// A MultiGet has many reads under way at once, and so has a scan of one.
TEST_F(ReadersTest, ReadsAreUnderWayAtOnce) {
  Options options = NewProcess();
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, "/db", &db), Status::OK());
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("key" + std::to_string(100'000 + i));
    ASSERT_EQ(db->Put({}, keys.back(), keys.back() + std::string(300, 'v')),
              Status::OK());
  }
  ASSERT_EQ(db->CompactRange({}, nullptr, nullptr), Status::OK());
  std::vector<Slice> some;
  for (size_t i = 0; i < keys.size(); i += 20) some.emplace_back(keys[i]);
  std::vector<std::string> values;
  const std::vector<Status> statuses =
      db->MultiGet(ReadOptions(), some, &values);
  for (size_t i = 0; i < some.size(); ++i) {
    ASSERT_EQ(statuses[i], Status::OK());
    EXPECT_EQ(values[i], some[i].ToString() + std::string(300, 'v'));
  }
  EXPECT_GE(client_->under_way_max(), 16u);
  ReadOptions ahead;
  ahead.async_io = true;
  const std::unique_ptr<Iterator> it(db->NewIterator(ahead));
  size_t n = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSERT_EQ(it->key().ToString(), keys[n++]);
  }
  EXPECT_EQ(it->status(), Status::OK());
  EXPECT_EQ(n, keys.size());
}

// With nothing new but records of a log, a look reads these, and asks for the
// last change of names, and for more of the MANIFEST: three reads. That of a
// database without an edit since the open is closed, and does not grow.
TEST_F(ReadersTest, ALookAtALogTakesThreeReads) {
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(NewProcess(), "/db", &db), Status::OK());
  WriteOptions synced;
  synced.sync = true;
  ASSERT_EQ(db->Put(synced, "k", "first"), Status::OK());
  std::unique_ptr<DB> secondary;
  ASSERT_EQ(DB::OpenAsSecondary(NewReader(), "/db", "/secondary", &secondary),
            Status::OK());
  CountCalls();
  std::string value;
  const auto look = [&](const std::string& expected) {
    ASSERT_EQ(db->Put(synced, "k", expected), Status::OK());
    calls_ = 0;
    ASSERT_EQ(secondary->TryCatchUpWithPrimary(), Status::OK());
    ASSERT_EQ(secondary->Get({}, "k", &value), Status::OK());
    EXPECT_EQ(value, expected);
  };
  for (int i = 0; i < 10; ++i) {
    look("before " + std::to_string(i));
    EXPECT_EQ(calls_, 2) << i;
  }
  ASSERT_EQ(db->Flush({}), Status::OK());
  look("flushed");
  EXPECT_GT(calls_, 6);
  for (int i = 0; i < 10; ++i) {
    look("after " + std::to_string(i));
    EXPECT_EQ(calls_, 3) << i;
  }
}

// An open for reading lists the tables, and reads the end of each.
TEST_F(ReadersTest, ATableIsOpenedByOneRead) {
  const auto calls_of = [this](const std::string& directory, int tables) {
    Options options = NewProcess();
    options.disable_auto_compactions = true;
    std::unique_ptr<DB> db;
    EXPECT_EQ(DB::Open(options, directory, &db), Status::OK());
    for (int i = 0; i < tables; ++i) {
      EXPECT_EQ(db->Put({}, std::to_string(i), "value"), Status::OK());
      EXPECT_EQ(db->Flush({}), Status::OK());
    }
    EXPECT_EQ(db->Close(), Status::OK());
    Options reading = NewReader();
    CountCalls();
    EXPECT_EQ(DB::OpenForReadOnly(reading, directory, &db), Status::OK());
    const int in_all = calls_;
    std::string value;
    for (int i = 0; i < tables; ++i) {
      EXPECT_EQ(db->Get({}, std::to_string(i), &value), Status::OK());
    }
    return in_all;
  };
  const int few = calls_of("/few", 1);
  EXPECT_EQ(calls_of("/many", 41) - few, 40);
}

// Close closes every file of the database, also LOG.
TEST_F(ReadersTest, AClosedDatabaseHasNoOpenFile) {
  const Options options = NewProcess();
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, "/db", &db), Status::OK());
  ASSERT_EQ(db->Put({}, "a", "1"), Status::OK());
  ASSERT_EQ(db->Close(), Status::OK());
  std::map<std::string, std::string> names;
  SimulatedClient client(&cluster_, "observer");
  ASSERT_TRUE(client.GetEntries(NamesObject("v"), kNamePrefix, &names).ok());
  EXPECT_TRUE(names.contains("n/db/LOG"));
  for (const auto& [name, entry] : names) {
    EXPECT_FALSE(entry.starts_with("open")) << name;
  }
}

}  // namespace
}  // namespace tamis::rados
