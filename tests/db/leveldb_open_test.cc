// SPDX-License-Identifier: Apache-2.0
//
// A directory of LevelDB is readable as it is, but writable only with
// upgrade_leveldb, which cannot be undone.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_writer.h"
#include "db/wal/write_batch_internal.h"
#include "tests/db/test_db.h"

namespace tamis {
namespace {

class LevelDBOpenTest : public DBTest {
 protected:
  // The files of a new LevelDB database with one batch in its log.
  void MakeLevelDB() {
    ASSERT_TRUE(fs_->CreateDirIfMissing(kTestDirectory).ok());
    VersionEdit edit;
    edit.comparator = BytewiseComparator()->Name();
    edit.log_number = FileNumber(3);
    edit.prev_log_number = FileNumber(0);
    edit.next_file_number = FileNumber(4);
    edit.last_sequence = 0;
    std::string record;
    edit.EncodeTo(&record);
    AddLog(DescriptorFileName(kTestDirectory, FileNumber(2)), FileNumber(2),
           record);
    ASSERT_TRUE(SetCurrentFile(fs_.get(), kTestDirectory, FileNumber(2)).ok());
    WriteBatch batch;
    ASSERT_TRUE(batch.Put("a", "1").ok());
    ASSERT_TRUE(batch.Put("b", "2").ok());
    ASSERT_TRUE(batch.Delete("a").ok());
    WriteBatchInternal::SetSequence(&batch, 1);
    AddLog(LogFileName(kTestDirectory, FileNumber(3)), FileNumber(3),
           batch.Data());
  }
  void AddLog(const std::string& path, FileNumber number, const Slice& record) {
    std::unique_ptr<WritableFile> file;
    ASSERT_TRUE(fs_->NewWritableFile(path, &file).ok());
    LogWriter log(std::move(file), number);
    ASSERT_TRUE(log.AddRecord(record).ok());
    ASSERT_TRUE(log.Close().ok());
  }
  std::map<std::string, std::string> Directory() {
    std::map<std::string, std::string> files;
    for (const std::string& name : FilesEndingIn("")) {
      if (name == "LOCK") continue;  // LevelDB has one too
      EXPECT_TRUE(fs_->GetContents(std::string(kTestDirectory) + "/" + name,
                                   &files[name])
                      .ok());
    }
    return files;
  }
};

TEST_F(LevelDBOpenTest, IsNotWrittenWithoutUpgradeLevelDB) {
  MakeLevelDB();
  const auto before = Directory();
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(status.message().find("upgrade_leveldb"), std::string::npos);
  EXPECT_EQ(Directory(), before);
}

TEST_F(LevelDBOpenTest, IsReadUnchanged) {
  MakeLevelDB();
  const auto before = Directory();
  const uint64_t calls = fs_->calls();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_EQ(Contents(), "b=2");
  db_.reset();
  EXPECT_EQ(fs_->calls(), calls);
  EXPECT_EQ(Directory(), before);
}

TEST_F(LevelDBOpenTest, IsWritableAfterTheUpgrade) {
  MakeLevelDB();
  options_.upgrade_leveldb = true;
  Open();
  EXPECT_EQ(Contents(), "b=2");
  Put("c", "3");
  options_.upgrade_leveldb = false;
  Reopen();
  EXPECT_EQ(Contents(), "b=2 c=3");
}

}  // namespace
}  // namespace tamis
