// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb on databases with several column families, its checkpoints, and
// that reading changes nothing.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/ldb_fixture.h"
#include "tests/tools/peer.h"

namespace tamis {
namespace {

class LdbFamiliesTest : public LdbFixture {
 protected:
  LdbFamiliesTest() {
    Must({"--create_if_missing", "put", "k", "default's"});
    Must({"create_column_family", "birds"});
    Must({"create_column_family", "fish"});
    Must({"--column_family=birds", "batchput", "k", "bird's", "wren", "1"});
    Must({"--column_family=fish", "put", "pike", "2"});
  }

  std::map<std::string, std::string> Files() {
    std::map<std::string, std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(db_)) {
      files[file.path().filename().string()] = ReadWholeFile(file.path());
    }
    return files;
  }
};

TEST_F(LdbFamiliesTest, EachFamilyHasItsOwnKeys) {
  EXPECT_EQ(Ours({"get", "k"}).text, "default's\n");
  EXPECT_EQ(Ours({"--column_family=birds", "get", "k"}).text, "bird's\n");
  EXPECT_EQ(Ours({"scan", "--column_family", "birds"}).text,
            "k : bird's\nwren : 1\n");
  EXPECT_EQ(Ours({"idump", "--column_family=fish"}).text,
            "'pike' seq:4, type:1 => 2\nInternal keys in range: 1\n");
  Must({"--column_family=birds", "deleterange", "k", "l"});
  EXPECT_EQ(Ours({"scan", "--column_family", "birds"}).text, "wren : 1\n");
  EXPECT_EQ(Ours({"get", "k"}).text, "default's\n");
  EXPECT_EQ(Ours({"get", "k", "--column_family=insects"}).exit_code, 1);
}

TEST_F(LdbFamiliesTest, FamiliesAreCreatedAndDropped) {
  EXPECT_EQ(Ours({"list_column_families"}).text,
            "Column families in " + db_ + ": \n{default, birds, fish}\n");
  EXPECT_EQ(Ours({"create_column_family", "birds"}).exit_code, 1);
  Must({"drop_column_family", "birds"});
  EXPECT_EQ(Ours({"list_column_families"}).text,
            "Column families in " + db_ + ": \n{default, fish}\n");
  EXPECT_EQ(Ours({"drop_column_family", "birds"}).exit_code, 1);
  EXPECT_EQ(Ours({"drop_column_family", "default"}).exit_code, 1);
  EXPECT_EQ(Ours({"create_column_family"}).exit_code, 2);
}

TEST_F(LdbFamiliesTest, TheSameCommandsGetTheSameAnswersFromRocksDb) {
  if (!PeerIsThere()) GTEST_SKIP() << "no ldb";
  for (const char* words :
       {"list_column_families", "scan --column_family=birds",
        "scan --column_family=fish --hex", "get k --column_family=birds",
        "dump --column_family=birds", "idump --column_family=birds",
        "list_live_files_metadata", "checkconsistency"}) {
    ExpectAsLdb(db_, words);
  }
}

TEST_F(LdbFamiliesTest, ReadingChangesNothing) {
  const auto before = Files();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"get", "k"},
                                             {"get", "none"},
                                             {"scan"},
                                             {"dump", "--column_family=fish"},
                                             {"idump"},
                                             {"checkconsistency"},
                                             {"list_column_families"},
                                             {"list_live_files_metadata"},
                                             {"manifest_dump"}}) {
    Ours(command);
    EXPECT_TRUE(Files() == before) << command[0];
  }
}

TEST_F(LdbFamiliesTest, ACheckpointIsADatabase) {
  const std::string copy = db_ + "_checkpoint";
  std::filesystem::remove_all(copy);
  Must({"checkpoint", "--checkpoint_dir=" + copy});
  Must({"--column_family=birds", "put", "later", "3"});
  EXPECT_EQ(
      RunOurs("tamis_ldb", {"--db=" + copy, "--column_family=birds", "scan"})
          .text,
      "k : bird's\nwren : 1\n");
  EXPECT_EQ(Ours({"checkpoint"}).exit_code, 2);
  EXPECT_EQ(Ours({"checkpoint", "--checkpoint_dir=" + copy}).exit_code, 1);
  std::filesystem::remove_all(copy);
}

TEST_F(LdbFamiliesTest, RepairKeepsTheFamilies) {
  const std::string before = Ours({"scan", "--column_family=birds"}).text;
  std::filesystem::remove(db_ + "/CURRENT");
  for (const auto& [name, bytes] : Files()) {
    if (name.starts_with("MANIFEST")) std::filesystem::remove(db_ + "/" + name);
  }
  EXPECT_EQ(Ours({"repair"}).exit_code, 0);
  EXPECT_EQ(Ours({"scan", "--column_family=birds"}).text, before);
}

}  // namespace
}  // namespace tamis
