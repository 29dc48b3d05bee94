// SPDX-License-Identifier: Apache-2.0
//
// Calls of the file system fail, or the power does, at every point of an
// operation: backups that were complete stay so, and no other is shown.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/backup/backup_test.h"
#include "tests/support/effort.h"

namespace tamis {
namespace {

using Operation = std::function<Status()>;

class BackupFaultsTest : public BackupTest {
 protected:
  // Two backups, and a table, a log and a family that neither has.
  void MakeState() {
    CloseAll();
    Destroy();
    MakeFamilies({"a"});
    backup_options_.destroy_old_data = true;
    OpenEngine();
    backup_options_.destroy_old_data = false;
    OpenEngine();
    Put("default", "k", "1");
    first_ = AllContents();
    ASSERT_EQ(Backup(true), 1u);
    Put("a", "l", "2");
    FlushFamily("a");
    Put("default", "m", "3");
    second_ = AllContents();
    ASSERT_EQ(Backup(), 2u);
    Compact();
    WriteOptions sync;
    sync.sync = true;
    ASSERT_TRUE(PutInAll({"default"}, "n", "4", sync).ok());
    third_ = AllContents();
  }
  // Calls check(status) after each run of `operation` in which call number n
  // failed or cut the power, for every n, and once without a fault.
  void ForEachFault(bool power_cut, const Operation& operation,
                    const std::function<void(Status)>& check) {
    const uint64_t stride = Stride();
    for (uint64_t n = 1;; n += stride) {
      SCOPED_TRACE("call " + std::to_string(n));
      MakeState();
      if (HasFatalFailure()) return;
      const uint64_t start = fs_->calls();
      bool reached = false;
      fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
        if (call.number != start + n) return Status::OK();
        reached = true;
        if (power_cut) fs_->CutPower();
        return Status::IOError(call.path, "fault");
      });
      const Status status = operation();
      fs_->SetFaultHook(nullptr);
      if (power_cut && reached) {
        engine_.reset();
        PowerCut(n);
        OpenEngine();
      }
      check(status);
      if (HasFailure() || !reached) return;
    }
  }
  void ExpectWhole(BackupID id, const std::string& contents) {
    const Status verified = engine_->VerifyBackup(id, true);
    ASSERT_TRUE(verified.ok()) << id << " " << verified;
    ASSERT_EQ(ContentsAfterRestore(id), contents) << id;
  }
  void ExpectAllWhole() {
    EXPECT_TRUE(CorruptIds().empty());
    for (const BackupID id : Ids()) {
      ExpectWhole(id, id == 1 ? first_ : id == 2 ? second_ : third_);
    }
  }
  Status TryBackup() {
    return engine_->CreateNewBackup(CreateBackupOptions(), db_.get());
  }

  std::string first_, second_, third_;
};

TEST_F(BackupFaultsTest, CreationsThatFailLeaveNothing) {
  ForEachFault(
      false, [&] { return TryBackup(); },
      [&](const Status& status) {
        EXPECT_EQ(Ids().size(), status.ok() ? 3u : 2u);
        ReopenFamilies();  // it takes no writes if its log failed
        const Status again = TryBackup();
        EXPECT_TRUE(again.ok()) << again;
        EXPECT_EQ(Names("private").size(), Ids().size());
        OpenEngine();
        EXPECT_EQ(Ids().size(), status.ok() ? 4u : 3u);
        ExpectAllWhole();
      });
}

TEST_F(BackupFaultsTest, CreationsAreWholeOrNotThereAfterAPowerCut) {
  ForEachFault(
      true, [&] { return TryBackup(); },
      [&](const Status& status) {
        EXPECT_GE(Ids().size(), status.ok() ? 3u : 2u);
        ReopenFamilies();
        const Status again = TryBackup();
        EXPECT_TRUE(again.ok()) << again;
        EXPECT_EQ(Names("private").size(), Ids().size());
        ExpectAllWhole();
      });
}

TEST_F(BackupFaultsTest, DeletionsThatFailLeaveAWholeBackupOrNone) {
  ForEachFault(
      false, [&] { return engine_->DeleteBackup(1); },
      [&](const Status& status) {
        if (status.ok()) {
          EXPECT_EQ(Ids(), std::vector<BackupID>{2});
        }
        OpenEngine();
        ASSERT_TRUE(engine_->GarbageCollect().ok());
        EXPECT_EQ(Names("private").size(), Ids().size());
        ExpectAllWhole();
      });
}

TEST_F(BackupFaultsTest, DeletionsLeaveAWholeBackupOrNoneAfterAPowerCut) {
  ForEachFault(
      true, [&] { return engine_->PurgeOldBackups(1); },
      [&](const Status& status) {
        if (status.ok()) {
          EXPECT_EQ(Ids(), std::vector<BackupID>{2});
        }
        ASSERT_TRUE(engine_->GarbageCollect().ok());
        EXPECT_EQ(Names("private").size(), Ids().size());
        ExpectAllWhole();
      });
}

TEST_F(BackupFaultsTest, RestoresThatFailAreRepeated) {
  for (const bool power_cut : {false, true}) {
    ForEachFault(
        power_cut, [&] { return TryRestore(2); },
        [&](const Status& status) {
          options_.create_if_missing = false;
          const Status opened = TryOpenFamilies({"a"});
          if (status.ok()) {
            ASSERT_TRUE(opened.ok()) << opened;
          }
          if (opened.ok()) {
            const std::string contents = AllContents();
            EXPECT_TRUE(contents == second_ ||
                        (!status.ok() && contents == third_))
                << contents;
          }
          options_.create_if_missing = true;
          Restore(1);
          Restore(2);
          ReopenFamilies();
          EXPECT_EQ(AllContents(), second_);
        });
  }
}

TEST_F(BackupFaultsTest, ReadsThatFailAreErrors) {
  MakeState();
  for (uint64_t n = 1;; ++n) {
    SCOPED_TRACE("read " + std::to_string(n));
    uint64_t calls = 0;
    fs_->SetReadHook([&](const SimulatedFileSystem::Call& call) {
      return ++calls == n ? Status::IOError(call.path, "fault") : Status::OK();
    });
    const size_t before = Ids().size();
    const Status status = TryBackup();
    fs_->SetReadHook(nullptr);
    OpenEngine();
    EXPECT_EQ(Ids().size(), before + (status.ok() ? 1 : 0)) << status;
    if (HasFailure() || calls < n) break;
    ASSERT_TRUE(engine_->PurgeOldBackups(2).ok());
  }
  ExpectAllWhole();
}

}  // namespace
}  // namespace tamis
