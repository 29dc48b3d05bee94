// SPDX-License-Identifier: Apache-2.0
//
// Of one directory, both engines' managers count the same files and bytes; and
// each deletes the trash that the other leaves.
#include "tamis/sst_file_manager.h"

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_manager.h>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace {

using Counts = std::map<std::string, uint64_t>;
constexpr int64_t kBytePerSecond = 1;
constexpr int64_t kFast = 1 << 30;
constexpr double kAnyRatio = 1e9;

// What both engines have under the same names.
struct Ours {
  using DB = tamis::DB;
  using Options = tamis::Options;
  using Manager = tamis::SstFileManager;
  static Manager* NewManager(int64_t rate) {
    return tamis::NewSstFileManager(tamis::Env::Default(), nullptr, "", rate,
                                    true, nullptr, kAnyRatio);
  }
  static std::string Destroy(const std::string& path, const Options& options) {
    return tamis::DestroyDB(path, options).ToString();
  }
};
struct Theirs {
  using DB = rocksdb::DB;
  using Options = rocksdb::Options;
  using Manager = rocksdb::SstFileManager;
  static Manager* NewManager(int64_t rate) {
    return rocksdb::NewSstFileManager(rocksdb::Env::Default(), nullptr, "",
                                      rate, true, nullptr, kAnyRatio);
  }
  static std::string Destroy(const std::string& path, const Options& options) {
    return rocksdb::DestroyDB(path, options).ToString();
  }
};

// A database with a manager.
template <typename Engine>
class Managed {
 public:
  Managed(std::string path, int64_t rate)
      : path_(std::move(path)), manager_(Engine::NewManager(rate)) {
    options_.create_if_missing = true;
    options_.level0_file_num_compaction_trigger = 100;
    options_.sst_file_manager = manager_;
    Open();
  }
  void Open() {
    typename Engine::DB* db = nullptr;
    const auto status = Engine::DB::Open(options_, path_, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }
  void Close() { db_.reset(); }
  void AddTable(int first) {
    for (int i = first; i < first + 100; ++i) {
      EXPECT_TRUE(
          db_->Put({}, "key" + std::to_string(i), std::string(500, 'v')).ok());
    }
    EXPECT_TRUE(db_->Flush({}).ok());
  }
  void Compact() { EXPECT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok()); }
  // By name. Trash of logs, of which the other engine counts no bytes, is left
  // out.
  Counts Tracked() const {
    Counts counts;
    for (const auto& [path, bytes] : manager_->GetTrackedFiles()) {
      if (path.ends_with(".log.trash")) continue;
      counts[path.substr(path.rfind('/') + 1)] = bytes;
    }
    return counts;
  }
  std::string Destroy() {
    Close();
    return Engine::Destroy(path_, options_);
  }
  typename Engine::Manager& manager() const { return *manager_; }

 private:
  const std::string path_;
  const std::shared_ptr<typename Engine::Manager> manager_;
  typename Engine::Options options_;
  std::unique_ptr<typename Engine::DB> db_;
};

// The first engine fills the directory and leaves trash, the second takes over.
template <typename First, typename Second>
void Exchange() {
  const tamis::TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  Counts left;
  uint64_t total = 0;
  {
    Managed<First> first(path, kBytePerSecond);
    first.AddTable(0);
    first.AddTable(50);
    first.AddTable(300);
    const Counts tables = first.Tracked();
    EXPECT_EQ(tables.size(), 3u);
    total = first.manager().GetTotalSize();
    // The same files, opened by the other engine, with another manager.
    first.Close();
    EXPECT_EQ(first.manager().GetTotalSize(), total);
    {
      Managed<Second> second(path, 0);
      EXPECT_EQ(second.Tracked(), tables);
      EXPECT_EQ(second.manager().GetTotalSize(), total);
    }
    first.Open();
    EXPECT_EQ(first.Tracked(), tables);
    first.Compact();
    left = first.Tracked();
    EXPECT_GE(left.size(), 2u);  // the first of the trash may be gone
    first.Close();
  }
  Managed<Second> second(path, kFast);
  while (second.manager().GetTotalTrashSize() > 0) std::this_thread::yield();
  const Counts live = second.Tracked();
  ASSERT_EQ(live.size(), 1u);
  EXPECT_TRUE(left.contains(live.begin()->first));
  EXPECT_EQ(second.manager().GetTotalSize(), live.begin()->second);
  second.manager().SetDeleteRateBytesPerSecond(0);
  EXPECT_EQ(second.Destroy(), "OK");
  EXPECT_EQ(second.manager().GetTotalSize(), 0u);
}

TEST(SstFileManagerInteropTest, TamisTakesOverFromRocksDB) {
  Exchange<Theirs, Ours>();
}

TEST(SstFileManagerInteropTest, RocksDBTakesOverFromTamis) {
  Exchange<Ours, Theirs>();
}

TEST(SstFileManagerInteropTest, DefaultsAreRocksDBs) {
  const std::unique_ptr<tamis::SstFileManager> ours(
      tamis::NewSstFileManager(tamis::Env::Default()));
  const std::unique_ptr<rocksdb::SstFileManager> theirs(
      rocksdb::NewSstFileManager(rocksdb::Env::Default()));
  EXPECT_EQ(ours->GetDeleteRateBytesPerSecond(),
            theirs->GetDeleteRateBytesPerSecond());
  EXPECT_EQ(ours->GetMaxTrashDBRatio(), theirs->GetMaxTrashDBRatio());
  EXPECT_EQ(ours->GetTotalSize(), theirs->GetTotalSize());
  EXPECT_EQ(ours->GetTotalTrashSize(), theirs->GetTotalTrashSize());
  EXPECT_EQ(ours->IsMaxAllowedSpaceReached(),
            theirs->IsMaxAllowedSpaceReached());
  EXPECT_EQ(ours->IsMaxAllowedSpaceReachedIncludingCompactions(),
            theirs->IsMaxAllowedSpaceReachedIncludingCompactions());
}

}  // namespace
