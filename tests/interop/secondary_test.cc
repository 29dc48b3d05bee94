// SPDX-License-Identifier: Apache-2.0
//
// Tamis's secondary instance follows a primary of RocksDB: it shows what that
// shows.
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/interop/peers.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// Of all families.
template <typename DB, typename Handle, typename ReadOptions>
std::string ContentsOf(DB* db, const std::vector<Handle*>& handles,
                       const ReadOptions& options) {
  std::string text;
  for (Handle* const handle : handles) {
    const std::unique_ptr<
        std::remove_pointer_t<decltype(db->NewIterator(options, handle))>>
        it(db->NewIterator(options, handle));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += it->key().ToString() + "=" + it->value().ToString() + "\n";
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    text += "--\n";
  }
  return text;
}

// RocksDB's, with two families.
struct Primary {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;

  Primary() = default;
  ~Primary() { Close(); }
  void Close() {
    for (auto* handle : handles) delete handle;
    handles.clear();
    db.reset();
  }
  // Opens it anew.
  void Open(const std::string& path) {
    Close();
    rocksdb::Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 32 << 10;
    options.max_manifest_file_size = 2000;
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::Open(
        options, path, {{"default", options}, {"other", options}}, &handles,
        &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db.reset(opened);
  }
  void Act(Random* random) {
    auto* const family = handles[random->Uniform(2)];
    const uint64_t choice = random->Uniform(12);
    if (choice == 0) {
      ASSERT_TRUE(db->Flush(rocksdb::FlushOptions(), family).ok());
    } else if (choice == 1) {
      ASSERT_TRUE(db->CompactRange(rocksdb::CompactRangeOptions(), family,
                                   nullptr, nullptr)
                      .ok());
    } else {
      for (int n = 0; n < 20; ++n) Write(random);
    }
  }
  void Write(Random* random) {
    rocksdb::WriteBatch batch;
    for (auto* handle : handles) {
      const std::string key = "key" + std::to_string(random->Uniform(300));
      if (random->OneIn(4)) {
        ASSERT_TRUE(batch.Delete(handle, key).ok());
      } else if (random->OneIn(20)) {
        ASSERT_TRUE(batch.DeleteRange(handle, key, key + "9").ok());
      } else {
        const std::string value(random->Uniform(500), 'v');
        ASSERT_TRUE(
            batch.Put(handle, key, value + std::to_string(random->Next()))
                .ok());
      }
    }
    ASSERT_TRUE(db->Write(rocksdb::WriteOptions(), &batch).ok());
  }
};

struct Secondary {
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;

  Secondary() = default;
  ~Secondary() {
    for (ColumnFamilyHandle* handle : handles) delete handle;
  }
  void Open(const std::string& path, const std::string& secondary_path) {
    const Status status = DB::OpenAsSecondary(
        DBOptions(), path, secondary_path,
        {{"default", ColumnFamilyOptions()}, {"other", ColumnFamilyOptions()}},
        &handles, &db);
    ASSERT_TRUE(status.ok()) << status;
  }
};

TEST(SecondaryInteropTest, FollowsRocksDB) {
  for (uint64_t seed = 0; seed < SeedCount(10); ++seed) {
    SCOPED_TRACE(seed);
    const TemporaryDirectory directory;
    Random random(seed);
    Primary primary;
    primary.Open(directory.Path("db"));
    Secondary secondary;
    secondary.Open(directory.Path("db"), directory.Path("secondary"));
    if (HasFatalFailure()) return;
    for (int round = 0; round < 40; ++round) {
      SCOPED_TRACE(round);
      if (random.OneIn(12)) primary.Open(directory.Path("db"));
      for (uint64_t n = random.Uniform(6); n > 0; --n) primary.Act(&random);
      if (HasFatalFailure()) return;
      const Status status = secondary.db->TryCatchUpWithPrimary();
      ASSERT_TRUE(status.ok()) << status;
      ASSERT_EQ(
          ContentsOf(secondary.db.get(), secondary.handles, ReadOptions()),
          ContentsOf(primary.db.get(), primary.handles,
                     rocksdb::ReadOptions()));
    }
  }
}

}  // namespace
}  // namespace tamis
