// SPDX-License-Identifier: Apache-2.0
//
// Backups by several threads, beside writes and other operations.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/backup/backup_test.h"

namespace tamis {
namespace {

class BackupThreadsTest : public BackupTest {
 protected:
  BackupThreadsTest() { UseThreads(); }
};

TEST_F(BackupThreadsTest, ThreadsCopyAndVerify) {
  backup_options_.max_background_operations = 4;
  MakeFamilies({});
  OpenEngine();
  for (int i = 0; i < 20; ++i) {
    Put("default", Key(i), Noise(20'000, static_cast<uint64_t>(i)));
    FlushFamily("default");
  }
  const std::string before = AllContents();
  Backup();
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
  EXPECT_EQ(ContentsAfterRestore(1), before);
}

// Keys 0, 1, 2, ... are written in this order: each backup has those up to one
// of them, and not fewer than were there before it.
TEST_F(BackupThreadsTest, BackupsBesideWritesHoldOnePointInTime) {
  backup_options_.max_background_operations = 2;
  options_.write_buffer_size = 64 << 10;
  MakeFamilies({"a"});
  OpenEngine();
  std::atomic<int> written{0};
  std::atomic<bool> done{false};
  std::thread writer([&] {
    while (!done.load()) {
      WriteBatch batch;
      const std::string key = Key(written.load());
      EXPECT_TRUE(batch.Put(Family("default"), key, Noise(200, 1)).ok());
      EXPECT_TRUE(batch.Put(Family("a"), key, "").ok());
      EXPECT_TRUE(db_->Write({}, &batch).ok());
      ++written;
    }
  });
  std::thread reader([&] {
    while (!done.load()) {
      std::vector<BackupInfo> infos;
      engine_->GetBackupInfo(&infos, true);
      for (const BackupInfo& info : infos) {
        const Status status = engine_->VerifyBackup(info.backup_id, true);
        EXPECT_TRUE(status.ok() || status.IsNotFound()) << status;
      }
    }
  });
  std::vector<int> before;
  for (int i = 0; i < 8; ++i) {
    before.push_back(written.load());
    EXPECT_NE(Backup(/*flush=*/i % 2 == 0), 0u);
    if (i == 3) {
      EXPECT_TRUE(engine_->DeleteBackup(2).ok());
    }
  }
  done.store(true);
  writer.join();
  reader.join();
  for (const BackupID id : Ids()) {
    Restore(id);
    ReopenFamilies();
    int keys = 0;
    for (const std::unique_ptr<Iterator> it(
             db_->NewIterator(ReadOptions(), Family("a")));
         ; ++keys) {
      keys == 0 ? it->SeekToFirst() : it->Next();
      if (!it->Valid()) break;
      ASSERT_EQ(it->key(), Key(keys));
      ASSERT_NE(GetIn("default", Key(keys)), "NOT_FOUND");
    }
    EXPECT_EQ(GetIn("default", Key(keys)), "NOT_FOUND");
    EXPECT_GE(keys, before[id - 1]) << id;
  }
}

}  // namespace
}  // namespace tamis
