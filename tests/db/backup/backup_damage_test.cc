// SPDX-License-Identifier: Apache-2.0
//
// Damaged backups: each is found, none costs another one its files.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/backup/backup_test.h"

namespace tamis {
namespace {

using BackupIds = std::vector<BackupID>;

class BackupDamageTest : public BackupTest {
 protected:
  // Backup i has the keys 1 ... i, in as many tables.
  void MakeBackups(int n) {
    MakeFamilies({});
    OpenEngine();
    for (int i = 1; i <= n; ++i) {
      Put("default", std::to_string(i), Noise(1000, 1));
      Backup(true);
    }
  }
  std::string MetaPath(BackupID id) {
    return std::string(kBackups) + "/meta/" + std::to_string(id);
  }
  void Change(const std::string& path,
              const std::function<void(std::string*)>& change) {
    std::string text;
    ASSERT_TRUE(fs_->GetContents(path, &text).ok()) << path;
    change(&text);
    ASSERT_TRUE(fs_->SetContents(path, text).ok());
  }
  std::string StatusOf(BackupID id) {
    BackupInfo info;
    return engine_->GetBackupInfo(id, &info).ToString();
  }
  // What the text of meta/1 is taken for.
  std::string Reading(const std::string& text) {
    Change(MetaPath(1), [&](std::string* meta) { *meta = text; });
    OpenEngine();
    const std::string status = StatusOf(1);
    EXPECT_EQ(CorruptIds().size(), status == "OK" ? 0u : 1u);
    return status;
  }
};

TEST_F(BackupDamageTest, AMissingTableIsFoundAndComesBack) {
  MakeBackups(3);
  const std::string table = TablePathOf(1);
  ASSERT_TRUE(fs_->RemoveFile(table).ok());
  EXPECT_TRUE(engine_->VerifyBackup(2).IsNotFound());
  const std::string before = AllContents();
  // Seen first by a restore: nothing has changed.
  EXPECT_TRUE(TryRestore(2).IsNotFound());
  ReopenFamilies();
  EXPECT_EQ(AllContents(), before);

  OpenEngine();
  EXPECT_EQ(CorruptIds(), (BackupIds{1, 2, 3}));
  EXPECT_EQ(StatusOf(1), "Corruption: " + table +
                             ": backup 1 needs this file, which is missing");
  EXPECT_TRUE(TryRestore(1).IsCorruption());
  BackupInfo info;
  EXPECT_TRUE(engine_->GetLatestBackupInfo(&info).IsNotFound());
  // The other files of corrupt backups stay.
  ASSERT_TRUE(engine_->GarbageCollect().ok());
  EXPECT_EQ(Names("shared_checksum").size(), 2u);
  // The database still has the table.
  ReopenFamilies();
  EXPECT_EQ(Backup(), 4u);
  OpenEngine();
  EXPECT_EQ(Ids(), (BackupIds{1, 2, 3, 4}));
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
}

TEST_F(BackupDamageTest, ATableThatWasCutIsReplaced) {
  MakeBackups(2);
  const std::string table = TablePathOf(1);
  Change(table, [](std::string* text) { text->pop_back(); });
  EXPECT_TRUE(engine_->VerifyBackup(1).IsCorruption());
  OpenEngine();
  EXPECT_NE(StatusOf(1).find(table + ": it has"), std::string::npos);
  EXPECT_EQ(Backup(), 3u);
  OpenEngine();
  EXPECT_EQ(Ids(), (BackupIds{1, 2, 3}));
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
}

TEST_F(BackupDamageTest, AChangedByteIsFoundByItsChecksum) {
  MakeBackups(2);
  const std::string table = TablePathOf(1);
  Change(table, [](std::string* text) { (*text)[100] ^= 1; });
  OpenEngine();
  EXPECT_TRUE(engine_->VerifyBackup(1, false).ok());
  const Status verified = engine_->VerifyBackup(1, true);
  EXPECT_TRUE(verified.IsCorruption()) << verified;
  EXPECT_NE(verified.ToString().find(table + ": its CRC-32C is "),
            std::string::npos);
  const Status restored = TryRestore(1);
  EXPECT_TRUE(restored.IsCorruption()) << restored;
  // It does not open.
  options_.create_if_missing = false;
  EXPECT_FALSE(TryOpenFamilies({}).ok());
  Change(table, [](std::string* text) { (*text)[100] ^= 1; });
  Restore(2);
  EXPECT_TRUE(TryOpenFamilies({}).ok());
}

TEST_F(BackupDamageTest, ABackupThatCannotBeReadKeepsItsFiles) {
  MakeBackups(2);
  Change(MetaPath(1), [](std::string* text) { text->resize(20); });
  // Its folder and its table stay whatever happens to others.
  Backup();
  EXPECT_EQ(CorruptIds(), BackupIds{1});
  ASSERT_TRUE(engine_->PurgeOldBackups(0).ok());
  ASSERT_TRUE(engine_->GarbageCollect().ok());
  EXPECT_EQ(Names("shared_checksum").size(), 2u);
  EXPECT_EQ(Names("private"), std::vector<std::string>{"1"});
  EXPECT_EQ(Backup(), 2u);
  ASSERT_TRUE(engine_->DeleteBackup(1).ok());
  EXPECT_EQ(Names("private"), std::vector<std::string>{"2"});
  EXPECT_TRUE(engine_->VerifyBackup(2, true).ok());
}

TEST_F(BackupDamageTest, GarbageIsCollected) {
  MakeBackups(1);
  const std::string root = std::string(kBackups) + "/";
  for (const char* folder : {"private/7", "private/9.tmp", "private/mine"}) {
    ASSERT_TRUE(fs_->CreateDirIfMissing(root + folder).ok());
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), "x", root + folder + "/CURRENT", true)
            .ok());
  }
  for (const char* name : {"meta/.7.tmp", "shared_checksum/000001_s1_2.sst",
                           "shared_checksum/.000007_s1_2.sst.tmp",
                           "shared_checksum/mine", "meta/mine"}) {
    ASSERT_TRUE(WriteStringToFile(fs_.get(), "x", root + name, true).ok());
  }
  ASSERT_TRUE(engine_->GarbageCollect().ok());
  EXPECT_EQ(Names("private"), (std::vector<std::string>{"1", "mine"}));
  EXPECT_EQ(Names("meta"), (std::vector<std::string>{"1", "mine"}));
  EXPECT_EQ(Names("shared_checksum").size(), 2u);
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
}

TEST_F(BackupDamageTest, GarbageThatStaysIsNotReused) {
  MakeBackups(1);
  ASSERT_TRUE(
      fs_->CreateDirIfMissing(std::string(kBackups) + "/private/2").ok());
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    return call.operation == "remove_dir" ? Status::IOError(call.path, "stays")
                                          : Status::OK();
  });
  EXPECT_TRUE(engine_->GarbageCollect().IsIOError());
  EXPECT_EQ(Backup(), 3u);
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(Backup(), 4u);
  EXPECT_EQ(Names("private"), (std::vector<std::string>{"1", "3", "4"}));
}

TEST_F(BackupDamageTest, ATableThatDiffersFromItsChecksumIsNotBackedUp) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  MakeBackups(1);
  Put("default", "2", Noise(1000, 1));
  FlushFamily("default");
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  Change(live[0].directory + "/" + live[0].relative_filename,
         [](std::string* text) { (*text)[100] ^= 1; });
  const Status status =
      engine_->CreateNewBackup(CreateBackupOptions(), db_.get());
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find("its FileChecksumCrc32c is "),
            std::string::npos)
      << status;
  EXPECT_EQ(Ids(), BackupIds{1});
  EXPECT_EQ(Names("shared_checksum").size(), 1u);
}

TEST_F(BackupDamageTest, DescriptionsAreReadWithCare) {
  MakeBackups(1);
  const std::string path = MetaPath(1);
  std::string text;
  ASSERT_TRUE(fs_->GetContents(path, &text).ok());
  EXPECT_EQ(Reading(text), "OK");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return Reading(other);
  };
  const std::string corrupt = "Corruption: " + path + ": line ";
  // Every prefix.
  for (size_t i = 0; i < text.size(); ++i) {
    ASSERT_EQ(Reading(text.substr(0, i)).substr(0, corrupt.size()), corrupt);
  }
  EXPECT_EQ(Reading(text + "x\n"), corrupt + "8: expected the end, found x");
  EXPECT_EQ(Reading("x\n"),
            corrupt + "1: expected a time in Unix seconds, found x");
  EXPECT_EQ(changed("\n4\n", "\nx\n4\n"),
            corrupt + "3: expected the number of files, found x");
  EXPECT_EQ(changed("\n4\n", "\nmetadata 0\n4\n"),
            corrupt + "3: expected hex digits, found metadata 0");
  EXPECT_EQ(changed("\n4\n", "\n3\n").substr(0, corrupt.size() + 1),
            corrupt + "7");
  EXPECT_EQ(changed(" crc32 ", " crc33 "),
            corrupt + "4: expected crc32, found crc33");
  EXPECT_NE(changed(" crc32 ", " crc32 99999").find("CRC-32C in decimal"),
            std::string::npos);
  for (const char* bad :
       {"../private/1/CURRENT", "private/1/../CURRENT", "private/2/CURRENT",
        "private/1/a/CURRENT", "private/1/LOG", "/etc/passwd", "shared/CURRENT",
        "shared_checksum/CURRENT", ""}) {
    EXPECT_NE(changed("private/1/CURRENT", bad)
                  .find("expected the path of a file of backup 1, found"),
              std::string::npos)
        << bad;
  }
  EXPECT_EQ(changed("private/1/CURRENT", "private/1/000001.sst").substr(0, 28),
            "Corruption: /parent/backups/");
}

TEST_F(BackupDamageTest, TheSecondVersionOfDescriptionsMayHaveMore) {
  backup_options_.schema_version = 2;
  MakeBackups(1);
  std::string text;
  ASSERT_TRUE(fs_->GetContents(MetaPath(1), &text).ok());
  ASSERT_TRUE(text.starts_with("schema_version 2.0\n"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return Reading(other);
  };
  EXPECT_EQ(changed("2.0", "2.9"), "OK");
  EXPECT_EQ(changed("\n4\n", "\ncolor red\n4\n"), "OK");
  EXPECT_EQ(changed("CURRENT ", "CURRENT temp 3 size 16 "), "OK");
  EXPECT_EQ(Reading(text + "end 1\n"), "OK");
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
  EXPECT_EQ(changed("CURRENT ", "CURRENT size 17 "),
            "Corruption: /parent/backups/private/1/CURRENT: it has 16 bytes, "
            "was backed up with 17");
  EXPECT_EQ(changed("schema_version 2.0", "schema_version 3.0"),
            "Not implemented: /parent/backups/meta/1: schema_version 3.0: "
            "this release reads backups of the versions 1 and 2");
  EXPECT_EQ(Reading(text + "ni::end 1\n"),
            "Not implemented: /parent/backups/meta/1: line 9: this release "
            "knows no ni::end");
  EXPECT_NE(changed("CURRENT ", "CURRENT ni::key 3 ").find("knows no"),
            std::string::npos);
  // Without a checksum, the size decides.
  const size_t crc = text.find(" crc32");
  std::string without = text;
  without.erase(crc, text.find('\n', crc) - crc);
  EXPECT_EQ(Reading(without), "OK");
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
  Restore(1);
}

}  // namespace
}  // namespace tamis
