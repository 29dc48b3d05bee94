// SPDX-License-Identifier: Apache-2.0
//
// One directory of backups, used by RocksDB's BackupEngine and ours in turn.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/backup_engine.h>

#include "tamis/db.h"
#include "tamis/utilities/backup_engine.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

struct Layout {
  int schema_version;
  bool share;
  bool by_checksum;
  uint32_t naming;
};

class BackupInteropTest : public testing::TestWithParam<Layout> {
 protected:
  template <typename Options>
  Options BackupOptions() const {
    Options options(directory_.Path("backups"));
    const Layout& layout = GetParam();
    options.schema_version = layout.schema_version;
    options.share_table_files = layout.share;
    options.share_files_with_checksum = layout.by_checksum;
    options.share_files_with_checksum_naming =
        static_cast<typename Options::ShareFilesNaming>(layout.naming);
    return options;
  }
  std::unique_ptr<BackupEngine> Ours() const {
    std::unique_ptr<BackupEngine> engine;
    const Status status = BackupEngine::Open(
        BackupOptions<BackupEngineOptions>(), nullptr, &engine);
    EXPECT_TRUE(status.ok()) << status;
    return engine;
  }
  std::unique_ptr<rocksdb::BackupEngine> Theirs() const {
    rocksdb::BackupEngine* engine = nullptr;
    const rocksdb::Status status = rocksdb::BackupEngine::Open(
        BackupOptions<rocksdb::BackupEngineOptions>(), rocksdb::Env::Default(),
        &engine);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::unique_ptr<rocksdb::BackupEngine>(engine);
  }
  std::unique_ptr<DB> Tamis(const std::string& name) const {
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    return OpenTamis(options, directory_.Path(name));
  }
  std::unique_ptr<rocksdb::DB> RocksDB(const std::string& name) const {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    return OpenPeer(options, directory_.Path(name));
  }
  // Two tables, and a log.
  template <typename DBType, typename Write, typename Flush>
  static void Fill(DBType* db, const Write& write, const Flush& flush,
                   const std::string& value) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 100; ++j) {
        ASSERT_TRUE(db->Put(write, "key" + std::to_string(i * 100 + j),
                            value + std::to_string(j))
                        .ok());
      }
      if (i < 2) {
        ASSERT_TRUE(db->Flush(flush).ok());
      }
    }
  }
  static void Fill(DB* db, const std::string& value) {
    Fill(db, WriteOptions(), FlushOptions(), value);
  }
  static void Fill(rocksdb::DB* db, const std::string& value) {
    Fill(db, rocksdb::WriteOptions(), rocksdb::FlushOptions(), value);
  }
  void ExpectOursReads(const std::string& name, const std::string& value) {
    const auto db = Tamis(name);
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < 300; ++i) {
      std::string got;
      ASSERT_TRUE(db->Get(ReadOptions(), "key" + std::to_string(i), &got).ok());
      ASSERT_EQ(got, value + std::to_string(i % 100));
    }
  }
  void ExpectTheirsReads(const std::string& name, const std::string& value) {
    const auto db = RocksDB(name);
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < 300; ++i) {
      std::string got;
      ASSERT_TRUE(
          db->Get(rocksdb::ReadOptions(), "key" + std::to_string(i), &got)
              .ok());
      ASSERT_EQ(got, value + std::to_string(i % 100));
    }
  }
  // Both engines show the same backups.
  void ExpectSameInfo() const {
    std::vector<BackupInfo> ours;
    Ours()->GetBackupInfo(&ours, true);
    std::vector<rocksdb::BackupInfo> theirs;
    Theirs()->GetBackupInfo(&theirs, true);
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].backup_id, theirs[i].backup_id);
      EXPECT_EQ(ours[i].timestamp, theirs[i].timestamp);
      EXPECT_EQ(ours[i].size, theirs[i].size);
      EXPECT_EQ(ours[i].number_files, theirs[i].number_files);
      EXPECT_EQ(ours[i].app_metadata, theirs[i].app_metadata);
      EXPECT_EQ(ours[i].name_for_open, theirs[i].name_for_open);
      ASSERT_EQ(ours[i].file_details.size(), theirs[i].file_details.size());
      for (size_t j = 0; j < ours[i].file_details.size(); ++j) {
        EXPECT_EQ(ours[i].file_details[j].relative_filename,
                  theirs[i].file_details[j].relative_filename);
        EXPECT_EQ(ours[i].file_details[j].size, theirs[i].file_details[j].size);
      }
    }
  }
  std::vector<std::string> SharedNames() const {
    std::vector<std::string> names;
    for (const char* folder : {"shared", "shared_checksum"}) {
      const fs::path path = directory_.Path("backups/") + folder;
      if (!fs::exists(path)) continue;
      for (const auto& entry : fs::directory_iterator(path)) {
        names.push_back(entry.path().filename());
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const TemporaryDirectory directory_{MemoryParent()};
};

TEST_P(BackupInteropTest, RocksDBUsesOurBackups) {
  {
    const auto db = Tamis("db");
    ASSERT_NE(db, nullptr);
    Fill(db.get(), "one");
    const auto engine = Ours();
    const Status status = engine->CreateNewBackupWithMetadata(
        CreateBackupOptions(), db.get(), "of tamis\n");
    ASSERT_TRUE(status.ok()) << status;
    Fill(db.get(), "two");
    ASSERT_TRUE(engine->CreateNewBackup(db.get(), true).ok());
  }
  ExpectSameInfo();
  auto theirs = Theirs();
  for (const BackupID id : {1u, 2u}) {
    const auto verified = theirs->VerifyBackup(id, true);
    EXPECT_TRUE(verified.ok()) << verified.ToString();
    const auto restored = theirs->RestoreDBFromBackup(
        id, directory_.Path("restored"), directory_.Path("restored"));
    ASSERT_TRUE(restored.ok()) << restored.ToString();
    ExpectTheirsReads("restored", id == 1 ? "one" : "two");
    ExpectConsistentToLdb(directory_.Path("restored"));
  }
  // RocksDB adds one and deletes one of ours.
  {
    const auto db = RocksDB("restored");
    Fill(db.get(), "three");
    const auto status = theirs->CreateNewBackup(db.get());
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  ASSERT_TRUE(theirs->DeleteBackup(1).ok());
  ExpectSameInfo();
  const auto ours = Ours();
  EXPECT_TRUE(ours->VerifyBackup(2, true).ok());
  ASSERT_TRUE(ours->RestoreDBFromBackup(3, directory_.Path("again"),
                                        directory_.Path("again"))
                  .ok());
  ExpectOursReads("again", "three");
}

TEST_P(BackupInteropTest, WeUseRocksDBsBackups) {
  {
    const auto db = RocksDB("db");
    ASSERT_NE(db, nullptr);
    Fill(db.get(), "one");
    const auto engine = Theirs();
    ASSERT_TRUE(
        engine->CreateNewBackupWithMetadata(db.get(), "of rocksdb\n").ok());
    Fill(db.get(), "two");
    ASSERT_TRUE(engine->CreateNewBackup(db.get(), true).ok());
  }
  ExpectSameInfo();
  auto ours = Ours();
  for (const BackupID id : {1u, 2u}) {
    const Status verified = ours->VerifyBackup(id, true);
    EXPECT_TRUE(verified.ok()) << verified;
    const Status restored = ours->RestoreDBFromBackup(
        id, directory_.Path("restored"), directory_.Path("restored"));
    ASSERT_TRUE(restored.ok()) << restored;
    ExpectOursReads("restored", id == 1 ? "one" : "two");
    ExpectTheirsReads("restored", id == 1 ? "one" : "two");
  }
  {
    const auto db = Tamis("restored");
    Fill(db.get(), "three");
    BackupID id = 0;
    const Status status =
        ours->CreateNewBackup(CreateBackupOptions(), db.get(), &id);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(id, 3u);
  }
  ASSERT_TRUE(ours->DeleteBackup(1).ok());
  ExpectSameInfo();
  const auto theirs = Theirs();
  EXPECT_TRUE(theirs->VerifyBackup(2, true).ok());
  ASSERT_TRUE(theirs
                  ->RestoreDBFromBackup(3, directory_.Path("again"),
                                        directory_.Path("again"))
                  .ok());
  ExpectTheirsReads("again", "three");
}

// The engines give a table the same name: the second copies none.
TEST_P(BackupInteropTest, TheEnginesShareTables) {
  if (!GetParam().share) return;
  {
    const auto db = RocksDB("db");
    Fill(db.get(), "one");
    ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
    ASSERT_TRUE(Theirs()->CreateNewBackup(db.get(), true).ok());
  }
  const std::vector<std::string> names = SharedNames();
  ASSERT_EQ(names.size(), 3u);
  {
    const auto db = Tamis("db");
    ASSERT_TRUE(Ours()->CreateNewBackup(db.get(), true).ok());
    EXPECT_EQ(SharedNames(), names);
    // Now one of Tamis's tables.
    ASSERT_TRUE(db->Put(WriteOptions(), "more", "").ok());
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    ASSERT_TRUE(Ours()->CreateNewBackup(db.get(), true).ok());
  }
  const std::vector<std::string> four = SharedNames();
  ASSERT_EQ(four.size(), 4u);
  const auto db = RocksDB("db");
  ASSERT_TRUE(Theirs()->CreateNewBackup(db.get(), true).ok());
  EXPECT_EQ(SharedNames(), four);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, BackupInteropTest,
    testing::Values(
        Layout{1, true, true,
               BackupEngineOptions::kUseDbSessionId |
                   BackupEngineOptions::kFlagIncludeFileSize},
        Layout{2, true, true, BackupEngineOptions::kUseDbSessionId},
        Layout{1, true, true, BackupEngineOptions::kLegacyCrc32cAndFileSize},
        Layout{1, true, false, BackupEngineOptions::kUseDbSessionId},
        Layout{2, false, false, BackupEngineOptions::kUseDbSessionId}),
    [](const testing::TestParamInfo<Layout>& param) {
      const Layout& layout = param.param;
      const std::string naming = std::to_string(layout.naming & 0xff);
      return "Schema" + std::to_string(layout.schema_version) +
             (!layout.share         ? "Private"
              : !layout.by_checksum ? "ByNumber"
                                    : "Naming" + naming);
    });

}  // namespace
}  // namespace tamis
