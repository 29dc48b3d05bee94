// SPDX-License-Identifier: Apache-2.0
//
// The guarantees of Close for the next open.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/db/test_db.h"
#include "util/cache/block_cache.h"
#include "util/io/file_system_memory.h"

namespace tamis {
namespace {

TEST(CloseTest, WaitsForFileDeletions) {
  const auto fs = NewMemoryFileSystem();
  std::atomic<bool> removing{false};
  std::atomic<bool> closed{false};
  std::atomic<bool> removed_late{false};
  Options options;
  options.create_if_missing = true;
  options.file_system = fs;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  fs->SetFaultHook([&](const MemoryFileSystem::Call& call) {
    if (call.operation == "remove") {
      removing = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (closed) removed_late = true;
    }
    return Status::OK();
  });
  // The flush ends with the removal of the log that it made superfluous.
  ASSERT_TRUE(db->Put(WriteOptions(), "key", "value").ok());
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db->Flush(no_wait).ok());
  while (!removing) std::this_thread::yield();
  ASSERT_TRUE(db->Close().ok());
  closed = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  db.reset();
  fs->SetFaultHook(nullptr);
  EXPECT_FALSE(removed_late);
}

// A reader of another database may be inside the epochs of a shared cache.
TEST(CloseTest, WaitsForNoReaderOfAnotherDatabase) {
  const auto cache = std::make_shared<BlockCache>(1 << 20);
  BlockBasedTableOptions table;
  table.block_cache = cache;
  Options options;
  options.create_if_missing = true;
  options.file_system = NewMemoryFileSystem();
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  const EpochDomain::Guard other(cache->epochs());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(db->Put(WriteOptions(), "key", "value").ok());
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  }
  ASSERT_TRUE(db->Close().ok());
  db.reset();
}

class CloseAfterErrorTest : public DBTest {};

TEST_F(CloseAfterErrorTest, ReportsThatTheLogWasNotSynced) {
  Open();
  Put("a", "1");
  fs_->SetFaultHook([](const MemoryFileSystem::Call& call) {
    return call.operation == "append" && call.path.ends_with(".log")
               ? Status::IOError(call.path, "injected")
               : Status::OK();
  });
  EXPECT_TRUE(db_->Put(WriteOptions(), "b", "2").IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_TRUE(db_->Close().IsIOError());
  EXPECT_TRUE(db_->Close().ok());  // it is closed all the same
}

}  // namespace
}  // namespace tamis
