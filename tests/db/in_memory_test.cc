// SPDX-License-Identifier: Apache-2.0
//
// Databases in memory: of an Env of NewMemEnv, on the threads of the process.
// tests/source_compat/mem_env.cc compares with RocksDB's.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/env.h"
#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/options_util.h"

namespace tamis {
namespace {

class InMemoryTest : public ::testing::Test {
 protected:
  InMemoryTest() {
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
  }
  Status Open(const std::string& path, std::unique_ptr<DB>* db) {
    db->reset();
    return DB::Open(options_, path, db);
  }

  const std::unique_ptr<Env> env_{NewMemEnv(nullptr)};
  Options options_;
};

TEST_F(InMemoryTest, WhatThreadsWroteIsThereAfterReopening) {
  constexpr int kThreads = 3;
  constexpr int kKeys = 500;
  const auto key = [](int t, int i) {
    return std::to_string(t) + "-" + std::to_string(i);
  };
  std::unique_ptr<DB> db;
  ASSERT_EQ(Open("/any/where", &db), Status::OK());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kKeys; ++i) {
        const std::string value(300, static_cast<char>('a' + t));
        EXPECT_EQ(db->Put({}, key(t, i), value), Status::OK());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int round = 0; round < 2; ++round) {
    std::string value;
    for (int t = 0; t < kThreads; ++t) {
      for (int i = 0; i < kKeys; ++i) {
        ASSERT_EQ(db->Get({}, key(t, i), &value), Status::OK()) << key(t, i);
      }
    }
    ASSERT_EQ(Open("/any/where", &db), Status::OK());
  }
  EXPECT_EQ(db->GetEnv(), env_.get());
  EXPECT_EQ(db->GetFileSystem(), env_->GetFileSystem().get());
  EXPECT_EQ(db->VerifyChecksum(), Status::OK());
}

TEST_F(InMemoryTest, TheDatabaseMayOutliveItsEnv) {
  std::unique_ptr<DB> db;
  {
    const std::unique_ptr<Env> env(NewMemEnv(nullptr));
    options_.env = env.get();
    ASSERT_EQ(Open("/db", &db), Status::OK());
  }
  ASSERT_EQ(db->Put({}, "k", "v"), Status::OK());
  ASSERT_EQ(db->Flush({}), Status::OK());
  std::string value;
  EXPECT_EQ(db->Get({}, "k", &value), Status::OK());
}

TEST_F(InMemoryTest, AFileSystemComesBeforeTheEnv) {
  options_.file_system = NewMemFileSystem();
  std::unique_ptr<DB> db;
  ASSERT_EQ(Open("/db", &db), Status::OK());
  EXPECT_EQ(options_.file_system->FileExists("/db/CURRENT"), Status::OK());
  EXPECT_TRUE(env_->FileExists("/db").IsNotFound());
}

TEST_F(InMemoryTest, ACheckpointIsADatabase) {
  std::unique_ptr<DB> db;
  ASSERT_EQ(Open("/db", &db), Status::OK());
  ASSERT_EQ(db->Put({}, "k", "v"), Status::OK());
  Checkpoint* made = nullptr;
  ASSERT_EQ(Checkpoint::Create(db.get(), &made), Status::OK());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_EQ(checkpoint->CreateCheckpoint("/copy"), Status::OK());
  ASSERT_EQ(db->Put({}, "k", "later"), Status::OK());
  ASSERT_EQ(Open("/copy", &db), Status::OK());
  std::string value;
  EXPECT_EQ(db->Get({}, "k", &value), Status::OK());
  EXPECT_EQ(value, "v");
}

TEST_F(InMemoryTest, OptionsAreReadFromTheEnv) {
  std::unique_ptr<DB> db;
  ASSERT_EQ(Open("/db", &db), Status::OK());
  db.reset();
  ConfigOptions config;
  config.env = env_.get();
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_EQ(LoadLatestOptions(config, "/db", &loaded, &families), Status::OK());
  ASSERT_EQ(families.size(), 1u);
  EXPECT_EQ(families[0].options.write_buffer_size, size_t{64} << 10);
  std::string name;
  EXPECT_TRUE(GetLatestOptionsFileName("/db", nullptr, &name).IsPathNotFound());
}

}  // namespace
}  // namespace tamis
