// SPDX-License-Identifier: Apache-2.0
#include "db/base/file_names.h"

#include <string>

#include <gtest/gtest.h>

#include "db/base/info_log_files.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

TEST(FileNamesTest, NamesAreParsed) {
  const struct {
    const char* name;
    FileKind type;
    uint64_t number;
  } cases[] = {
      {"CURRENT", FileKind::kCurrent, 0},
      {"LOCK", FileKind::kLock, 0},
      {"IDENTITY", FileKind::kIdentity, 0},
      {"LOG", FileKind::kInfoLog, 0},
      {"LOG.old", FileKind::kInfoLog, 0},
      {"LOG.old.1795250046000000", FileKind::kInfoLog, 1795250046000000},
      {"MANIFEST-000005", FileKind::kDescriptor, 5},
      {"MANIFEST-5", FileKind::kDescriptor, 5},
      {"000100.log", FileKind::kLog, 100},
      {"0.log", FileKind::kLog, 0},
      {"7.sst", FileKind::kTable, 7},
      {"000007.ldb", FileKind::kTable, 7},
      {"1234567.sst", FileKind::kTable, 1234567},
      {"000070.blob", FileKind::kBlob, 70},
      {"000051.dbtmp", FileKind::kTemp, 51},
      {"OPTIONS-000044", FileKind::kOptions, 44},
      {"OPTIONS-000099.dbtmp", FileKind::kOptions, 99},
      {"METADB-1", FileKind::kMeta, 1},
      {"000001.sst.trash", FileKind::kTrash, 1},
      {"000002.log.trash", FileKind::kTrash, 2},
      {"000003.blob.trash", FileKind::kTrash, 3},
      {"4611686018427387903.log", FileKind::kLog, kFileNumberMax.value()},
  };
  for (const auto& c : cases) {
    const auto parsed = ParseFileName(c.name);
    ASSERT_TRUE(parsed.has_value()) << c.name;
    EXPECT_EQ(parsed->type, c.type) << c.name;
    EXPECT_EQ(parsed->number, FileNumber(c.number)) << c.name;
  }
}

TEST(FileNamesTest, OtherNamesAreRejected) {
  for (const char* name : {"",
                           "foo.txt",
                           "CURRENT2",
                           "current",
                           "LOCKED",
                           "MANIFEST",
                           "MANIFEST-",
                           "MANIFEST-5x",
                           "MANIFEST-+5",
                           "MANIFEST-000005.dbtmp",
                           "100",
                           "100.",
                           "100.lo",
                           "100.logs",
                           ".log",
                           "x100.log",
                           "-1.log",
                           " 1.log",
                           "OPTIONS-",
                           "OPTIONS-1.tmp",
                           "OPTIONS-x",
                           "LOG.old.",
                           "LOG.old.x",
                           "LOGS",
                           "000001.sst.trash1",
                           "000001.sst.trash.trash",
                           "000001.ldb.trash",
                           "000001.trash",
                           "MANIFEST-000001.trash",
                           "notes.trash",
                           "archive",
                           "lost",
                           "IDENTITY.x",
                           "4611686018427387904.log",
                           "18446744073709551616.sst",
                           "99999999999999999999999.sst",
                           "COMPACTION_PROGRESS-1"}) {
    EXPECT_FALSE(ParseFileName(name).has_value()) << name;
  }
}

TEST(FileNamesTest, GeneratedNamesParseToTheirParts) {
  for (const FileNumber n :
       {FileNumber(1), FileNumber(1234567), kFileNumberMax}) {
    const InfoLogFiles info_logs{"/d", "LOG"};
    const struct {
      std::string path;
      FileKind type;
      FileNumber number;
    } cases[] = {
        {LogFileName("/d", FileNumber(n)), FileKind::kLog, n},
        {TableFileName("/d", FileNumber(n)), FileKind::kTable, n},
        {LevelDBTableFileName("/d", FileNumber(n)), FileKind::kTable, n},
        {DescriptorFileName("/d", FileNumber(n)), FileKind::kDescriptor, n},
        {CurrentFileName("/d"), FileKind::kCurrent, kNoFile},
        {LockFileName("/d"), FileKind::kLock, kNoFile},
        {IdentityFileName("/d"), FileKind::kIdentity, kNoFile},
        {TempFileName("/d", FileNumber(n)), FileKind::kTemp, n},
        {info_logs.path(), FileKind::kInfoLog, kNoFile},
        {"/d/" + info_logs.OldName(n.value()), FileKind::kInfoLog, n},
        {OptionsFileName("/d", FileNumber(n)), FileKind::kOptions, n},
    };
    for (const auto& c : cases) {
      ASSERT_EQ(c.path.substr(0, 3), "/d/");
      const auto parsed = ParseFileName(c.path.substr(3));
      ASSERT_TRUE(parsed.has_value()) << c.path;
      EXPECT_EQ(parsed->type, c.type) << c.path;
      EXPECT_EQ(parsed->number, c.number) << c.path;
    }
  }
  EXPECT_EQ(TableFileName("/d", FileNumber(12)), "/d/000012.sst");
  EXPECT_EQ(LevelDBTableFileName("/d", FileNumber(12)), "/d/000012.ldb");
  EXPECT_EQ(TempFileName("/d", FileNumber(0)), "/d/000000.dbtmp");
}

class CurrentTest : public testing::Test {
 protected:
  void SetUp() override {
    fs_ = NewSimulatedFileSystem();
    ASSERT_TRUE(fs_->CreateDirIfMissing("/d").ok());
  }
  std::shared_ptr<SimulatedFileSystem> fs_;
};

TEST_F(CurrentTest, NamesTheManifest) {
  EXPECT_TRUE(ReadCurrentFile(fs_.get(), "/d").status().IsPathNotFound());
  ASSERT_TRUE(SetCurrentFile(fs_.get(), "/d", FileNumber(5)).ok());
  std::string contents;
  ASSERT_TRUE(ReadFileToString(fs_.get(), "/d/CURRENT", &contents).ok());
  EXPECT_EQ(contents, "MANIFEST-000005\n");
  ASSERT_TRUE(SetCurrentFile(fs_.get(), "/d", FileNumber(1234567)).ok());
  const auto name = ReadCurrentFile(fs_.get(), "/d");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(*name, "MANIFEST-1234567");
  EXPECT_TRUE(fs_->FileExists("/d/000005.dbtmp").IsPathNotFound());
}

TEST_F(CurrentTest, BadContentsAreCorruption) {
  for (const char* contents :
       {"", "MANIFEST-000005", "\n", "MANIFEST-\n", "000005.log\n",
        "MANIFEST-000005\n\n", "../MANIFEST-000005\n", "MANIFEST-000005 \n"}) {
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), contents, "/d/CURRENT", true).ok());
    const auto name = ReadCurrentFile(fs_.get(), "/d");
    EXPECT_TRUE(name.status().IsCorruption()) << contents;
    EXPECT_NE(name.status().message().find("/d/CURRENT"), std::string::npos);
  }
}

// After a failure of any call and any outcome of a power failure, CURRENT names
// the old MANIFEST or the new one.
TEST_F(CurrentTest, SurvivesAFailureOfEachCall) {
  bool done = false;
  for (uint64_t fail = 1; !done; ++fail) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const auto fs = NewSimulatedFileSystem();
      ASSERT_TRUE(fs->CreateDirIfMissing("/d").ok());
      ASSERT_TRUE(fs->SyncDirectory("/").ok());
      ASSERT_TRUE(SetCurrentFile(fs.get(), "/d", FileNumber(5)).ok());
      const uint64_t before = fs->calls();
      fs->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
        return call.number >= before + fail ? Status::IOError("lost")
                                            : Status();
      });
      const Status s = SetCurrentFile(fs.get(), "/d", FileNumber(6));
      fs->CutPower();
      fs->SetFaultHook(nullptr);
      fs->Restart(seed);
      const auto name = ReadCurrentFile(fs.get(), "/d");
      ASSERT_TRUE(name.ok()) << name.status();
      if (s.ok()) {
        EXPECT_EQ(*name, "MANIFEST-000006");
        done = true;
      } else {
        EXPECT_TRUE(*name == "MANIFEST-000005" || *name == "MANIFEST-000006");
      }
    }
    ASSERT_LT(fail, 20u);
  }
}

TEST(FileNamesTest, OldLogsAreThoseOfThisName) {
  const InfoLogFiles logs{"/d", "a_LOG"};
  for (const char* old : {"a_LOG.old", "a_LOG.old.12"}) {
    EXPECT_TRUE(logs.IsOld(old)) << old;
  }
  for (const char* other :
       {"a_LOG", "a_LOG.old.", "a_LOG.old.x", "a_LOG.old.1x", "a_LOG.old_LOG",
        "LOG.old.12", "b_LOG.old.12", "a_LOG.older", ""}) {
    EXPECT_FALSE(logs.IsOld(other)) << other;
  }
}

TEST_F(CurrentTest, IdentityIsReadWithoutItsNewline) {
  const std::string id = "a648c468-aa8f-40fa-9f4a-d60d64ee0069";
  EXPECT_TRUE(ReadIdentityFile(fs_.get(), "/d").status().IsPathNotFound());
  ASSERT_TRUE(SetIdentityFile(fs_.get(), "/d", id, true).ok());
  EXPECT_EQ(*ReadIdentityFile(fs_.get(), "/d"), id);
  ASSERT_TRUE(
      WriteStringToFile(fs_.get(), id + "\n", "/d/IDENTITY", true).ok());
  EXPECT_EQ(*ReadIdentityFile(fs_.get(), "/d"), id);
}

}  // namespace
}  // namespace tamis
