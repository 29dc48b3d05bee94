// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb beside RocksDB's ldb: the same words get the same answer. And the
// commands that ldb answers in other words.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/ldb_fixture.h"
#include "tests/tools/peer.h"

namespace tamis {
namespace {

// A database with every kind of change in tables and in its log.
class LdbPeerTest : public LdbFixture {
 protected:
  LdbPeerTest() {
    Must({"--create_if_missing", "put", "k1", "v1"});
    Must({"batchput", "k2", "v 2", "k3", "v3", "k4", "v4", "k5", "v5"});
    Must({"put", "--hex", "0x41FF", "0x0A"});
    Must({"delete", "k2"});
    EXPECT_EQ(Ours({"compact"}).exit_code, 0);  // as ldb, without a word
    Must({"deleterange", "k4", "k5"});
    Must({"put", "k7", "v7"});
    Must({"singledelete", "k7"});
  }

  std::vector<std::string> FilesEndingIn(const std::string& suffix) {
    std::vector<std::string> paths;
    for (const auto& file : std::filesystem::directory_iterator(db_)) {
      const std::string path = file.path().string();
      if (path.ends_with(suffix)) paths.push_back(path);
    }
    return paths;
  }
};

TEST_F(LdbPeerTest, TheSameCommandsGetTheSameAnswers) {
  if (!PeerIsThere()) GTEST_SKIP() << "no ldb";
  // (Keys without NUL: ldb shows them as far as that.)
  Must({"put", "k8", "v8"});
  for (const char* words :
       {"scan",
        "scan --hex",
        "scan --from=k3 --to=k5",
        "scan --max_keys=2",
        "scan --no_value",
        "scan --key_hex --from=0x6B33",
        "get k1",
        "get k1 --value_hex",
        "get 0x41FF --hex",
        "dump",
        "dump --hex",
        "dump --from=k3 --max_keys=1",
        "list_column_families",
        "list_live_files_metadata",
        "checkconsistency",
        "manifest_dump",
        "manifest_dump --hex",
        "list_live_files_metadata --sort_by_filename",
        "list_file_range_deletes",
        "list_file_range_deletes --max_keys=0",
        "approxsize --from=k --to=l",
        "get_property rocksdb.estimate-num-keys",
        "get_property rocksdb.num-files-at-level0",
        "reduce_levels --new_levels=7 --print_old_levels"}) {
    ExpectAsLdb(db_, words);
  }
  // (Which hides what a range deletion covers; ours shows it too.)
  EXPECT_EQ(Ours({"compact"}).exit_code, 0);
  Must({"put", "k8", "v9"});
  for (const char* words : {"idump", "idump --hex", "idump --max_keys=3"}) {
    ExpectAsLdb(db_, words);
  }
}

TEST_F(LdbPeerTest, LogDumpsAreTheSame) {
  if (!PeerIsThere()) GTEST_SKIP() << "no ldb";
  // The log has the last change alone: opening makes tables of older ones.
  const std::vector<std::vector<std::string>> changes = {
      {"batchput", "a", "1", "b", ""},
      {"delete", "k1"},
      {"put", "x", "1"},
      {"singledelete", "x"},
      {"deleterange", "a", "k"},
      {"merge", "--merge_operator=stringappend", "m", "operand"},
  };
  for (const std::vector<std::string>& change : changes) {
    Must(change);
    const std::string log = FilesEndingIn(".log").front();
    for (const std::string flags :
         {"", " --header", " --print_value", " --header --print_value"}) {
      SCOPED_TRACE(change[0] + flags);
      const std::string words = " dump_wal --walfile=" + log + flags;
      const CommandResult got =
          RunCommand(std::string(TAMIS_BIN_DIR) + "/tamis_ldb" + words);
      const CommandResult expected = RunCommand("ldb" + words);
      EXPECT_EQ(got.exit_code, 0);
      EXPECT_NE(got.output, "");
      EXPECT_EQ(got.output, expected.output);
    }
  }
}

TEST_F(LdbPeerTest, ADamagedLogIsDumpedUpToTheDamage) {
  Must({"batchput", "x", "1"});
  const std::string log = FilesEndingIn(".log").front();
  EXPECT_EQ(RunOurs("tamis_ldb", {"dump_wal", "--walfile=" + log}).exit_code,
            0);
  std::fstream(log, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(20)
      .put('!');
  EXPECT_EQ(RunOurs("tamis_ldb", {"dump_wal", "--walfile=" + log}).exit_code,
            1);
  EXPECT_EQ(RunOurs("tamis_ldb", {"dump_wal", "--walfile=/none"}).exit_code, 1);
  EXPECT_EQ(RunOurs("tamis_ldb", {"dump_wal"}).exit_code, 2);
}

TEST_F(LdbPeerTest, AFileThatIsNoLogFails) {
  const std::string table = FilesEndingIn(".sst").front();
  const std::string text = directory_.Path("text");
  std::ofstream(text) << "MANIFEST-000007, or what CURRENT says\n";
  for (const std::string& path : {db_ + "/CURRENT", table, text}) {
    const Outcome wal = RunOurs("tamis_ldb", {"dump_wal", "--walfile=" + path});
    EXPECT_EQ(wal.exit_code, 1) << wal.text;
    EXPECT_NE(wal.text.find(path + ": "), std::string::npos) << wal.text;
    EXPECT_NE(wal.text.find("offset 0"), std::string::npos) << wal.text;
    const Outcome edits =
        RunOurs("tamis_ldb", {"manifest_dump", "--path=" + path});
    EXPECT_EQ(edits.exit_code, 1) << edits.text;
  }
  // A crash cuts the first record; another one leaves nothing.
  const std::string log = FilesEndingIn(".log").front();
  for (const uintmax_t bytes : {10u, 3u, 0u}) {
    std::filesystem::resize_file(log, bytes);
    EXPECT_EQ(RunOurs("tamis_ldb", {"dump_wal", "--walfile=" + log}).exit_code,
              0)
        << bytes;
  }
}

TEST_F(LdbPeerTest, EveryEditOfTheManifestIsALine) {
  const Outcome dump = Ours({"manifest_dump", "--edits"});
  EXPECT_EQ(dump.exit_code, 0);
  EXPECT_NE(dump.text.find("offset 0: edit "), std::string::npos) << dump.text;
  EXPECT_NE(dump.text.find("leveldb.BytewiseComparator"), std::string::npos);
  std::ifstream current(db_ + "/CURRENT");
  std::string name;
  std::getline(current, name);
  const std::string path = db_ + "/" + name;
  EXPECT_EQ(
      RunOurs("tamis_ldb", {"manifest_dump", "--edits", "--path=" + path}).text,
      dump.text);
  // A cut record is what a crash leaves; a changed one is not.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  const Outcome torn = Ours({"manifest_dump", "--edits"});
  EXPECT_EQ(torn.exit_code, 0);
  EXPECT_NE(torn.text.find("torn tail at offset "), std::string::npos);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(20)
      .put('!');
  EXPECT_EQ(Ours({"manifest_dump"}).exit_code, 1);
}

TEST_F(LdbPeerTest, RepairRestoresALostCurrent) {
  Must({"merge", "--merge_operator=stringappend", "m", "operand"});
  const std::vector<std::string> scan = {"--merge_operator=stringappend",
                                         "scan"};
  const std::string before = Ours(scan).text;
  std::filesystem::remove(db_ + "/CURRENT");
  EXPECT_EQ(Ours(scan).exit_code, 1);
  const Outcome repaired = Ours({"repair"});
  EXPECT_EQ(repaired.exit_code, 0);
  EXPECT_EQ(repaired.text.find("OK\ntamis_ldb: kept "), 0u) << repaired.text;
  EXPECT_NE(repaired.text.find("moved to " + db_ + "/lost: "),
            std::string::npos);
  EXPECT_EQ(Ours(scan).text, before);
  EXPECT_TRUE(std::filesystem::exists(db_ + "/lost"));
  EXPECT_EQ(RunOurs("tamis_ldb", {"--db=/no/where", "repair"}).exit_code, 1);
}

TEST_F(LdbPeerTest, TablesMayBeInOtherDirectories) {
  const TemporaryDirectory elsewhere;
  const std::string db = "--db=" + elsewhere.Path("db");
  const std::string paths =
      "--db_paths=" + elsewhere.Path("fast") + "," + elsewhere.Path("slow");
  const auto run = [&](std::vector<std::string> words) {
    words.push_back(db);
    return RunOurs("tamis_ldb", words);
  };
  EXPECT_EQ(run({paths, "--create_if_missing", "put", "k", "v"}).text, "OK\n");
  EXPECT_EQ(run({paths, "compact"}).exit_code, 0);
  EXPECT_EQ(run({paths, "get", "k"}).text, "v\n");
  const std::string table = elsewhere.Path("fast/");
  for (const char* command :
       {"list_live_files_metadata", "list_file_range_deletes"}) {
    const Outcome listed = run({paths, command});
    EXPECT_EQ(listed.exit_code, 0) << listed.text;
    EXPECT_NE(listed.text.find(table), std::string::npos) << listed.text;
  }
  EXPECT_EQ(run({paths, "filters"}).exit_code, 0);
  const Outcome without = run({"get", "k"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_NE(without.text.find(".sst"), std::string::npos) << without.text;
}

TEST_F(LdbPeerTest, LogsMayBeInAnotherDirectory) {
  const TemporaryDirectory elsewhere;
  const std::string db = "--db=" + elsewhere.Path("db");
  const std::string logs = "--wal_dir=" + elsewhere.Path("logs");
  const auto run = [&](std::vector<std::string> words) {
    words.push_back(db);
    return RunOurs("tamis_ldb", words);
  };
  EXPECT_EQ(run({logs, "--create_if_missing", "put", "k", "v"}).text, "OK\n");
  EXPECT_EQ(run({logs, "get", "k"}).text, "v\n");
  EXPECT_EQ(run({logs, "idump"}).text,
            "'k' seq:1, type:1 => v\nInternal keys in range: 1\n");
  // The OPTIONS file names it, but this may be a copy of the directory.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"get", "k"}, {"idump"}, {"repair"}}) {
    const Outcome without = run(words);
    EXPECT_EQ(without.exit_code, 1) << words[0];
    EXPECT_NE(without.text.find("wal_dir"), std::string::npos) << without.text;
  }
  const Outcome other =
      run({"--wal_dir=" + elsewhere.Path("other"), "get", "k"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.text.find("wal_dir"), std::string::npos) << other.text;
  const Outcome repaired = run({logs, "repair"});
  EXPECT_EQ(repaired.exit_code, 0);
  EXPECT_NE(repaired.text.find("moved to " + elsewhere.Path("logs/lost: 0")),
            std::string::npos)
      << repaired.text;
  EXPECT_EQ(run({logs, "get", "k"}).text, "v\n");
}

}  // namespace
}  // namespace tamis
