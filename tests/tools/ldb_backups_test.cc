// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb makes, lists, checks, restores and deletes backups; RocksDB's ldb
// prints the same where it has the command.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/ldb_fixture.h"
#include "tests/tools/peer.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

class LdbBackupsTest : public LdbFixture {
 protected:
  LdbBackupsTest() {
    Must({"--create_if_missing", "put", "k", "1"});
    Must({"create_column_family", "birds"});
    Must({"--column_family=birds", "put", "wren", "2"});
  }
  Outcome OnBackups(std::vector<std::string> arguments) const {
    arguments.push_back("--backup_dir=" + backups_);
    return RunOurs("tamis_ldb", arguments);
  }
  void Backup() const {
    const Outcome outcome = Ours({"backup", "--backup_dir=" + backups_});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(outcome.text,
              "open db OK\nopen backup engine OK\ncreate new backup OK\n");
  }
  std::string Scan(const std::string& db) const {
    return RunOurs("tamis_ldb", {"--db=" + db, "scan"}).text;
  }

  const std::string backups_ = directory_.Path("backups");
  const std::string copy_ = directory_.Path("copy");
};

TEST_F(LdbBackupsTest, TheNewestOrAnOldOneIsRestored) {
  Backup();
  Must({"put", "k", "3"});
  Backup();
  Outcome outcome = OnBackups({"restore", "--db=" + copy_, "--num_threads=2"});
  EXPECT_EQ(outcome.text, "open restore engine OK\nrestore from backup OK\n");
  EXPECT_EQ(Scan(copy_), "k : 3\n");
  outcome = OnBackups({"restore", "--db=" + copy_, "--backup_id=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(Scan(copy_), "k : 1\n");
  EXPECT_EQ(
      RunOurs("tamis_ldb", {"--db=" + copy_, "--column_family=birds", "scan"})
          .text,
      "wren : 2\n");
  outcome = OnBackups({"restore", "--db=" + copy_, "--backup_id=7"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.text.find("NotFound: Backup not found"), std::string::npos)
      << outcome.text;
  EXPECT_EQ(OnBackups({"restore"}).exit_code, 2);
  EXPECT_EQ(Ours({"backup"}).exit_code, 2);
  EXPECT_EQ(Ours({"backup", "--backup_dir=/no/where"}).exit_code, 1);
}

TEST_F(LdbBackupsTest, ListsChecksAndDeletesThem) {
  Outcome outcome = OnBackups({"list_backups"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.text.find("meta: is missing"), std::string::npos);
  Backup();
  Backup();
  outcome = OnBackups({"list_backups"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(Count(outcome.text, "\n"), 2u);
  EXPECT_EQ(outcome.text.find("backup 1: 20"), 0u) << outcome.text;
  EXPECT_NE(outcome.text.find(" files, "), std::string::npos);
  outcome = OnBackups({"list_backups", "--json"});
  EXPECT_EQ(outcome.text.find("{\"id\": 1, \"time\": "), 0u) << outcome.text;
  EXPECT_EQ(OnBackups({"verify_backups"}).text, "backup 1: OK\nbackup 2: OK\n");

  const std::string current = backups_ + "/private/1/CURRENT";
  fs::resize_file(current, 3);
  outcome = OnBackups({"verify_backups", "--num_threads=2"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.text.find("backup 1: Corruption: " + current),
            std::string::npos)
      << outcome.text;
  fs::remove(current);
  for (const char* command : {"list_backups", "verify_backups"}) {
    outcome = OnBackups({command});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.text.find("backup 1: Corruption: " + current),
              std::string::npos)
        << outcome.text;
    EXPECT_NE(outcome.text.find("backup 2: "), std::string::npos);
  }
  outcome = OnBackups({"list_backups", "--json"});
  EXPECT_NE(outcome.text.find("{\"id\": 1, \"error\": \"Corruption: "),
            std::string::npos)
      << outcome.text;

  EXPECT_EQ(OnBackups({"purge_backups"}).exit_code, 2);
  EXPECT_EQ(OnBackups({"purge_backups", "--keep=0"}).text, "OK\n");
  EXPECT_EQ(Count(OnBackups({"list_backups"}).text, "\n"), 1u);
}

TEST_F(LdbBackupsTest, RocksDBsToolPrintsTheSame) {
  if (!PeerIsThere()) GTEST_SKIP() << "there is no ldb";
  CommandResult theirs =
      RunCommand("ldb --db=" + db_ + " backup --backup_dir=" + backups_);
  EXPECT_EQ(theirs.output, Ours({"backup", "--backup_dir=" + backups_}).text);
  theirs =
      RunCommand("ldb --db=" + copy_ + " restore --backup_dir=" + backups_);
  EXPECT_EQ(theirs.output, OnBackups({"restore", "--db=" + copy_}).text);
  EXPECT_EQ(Scan(copy_), "k : 1\n");
}

}  // namespace
}  // namespace tamis
