// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb takes entries from stdin and tables from files.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/db.h"

#include "tests/tools/ldb_fixture.h"
#include "tools/progress.h"

namespace tamis {
namespace {

using Json = nlohmann::json;

class LdbLoadTest : public LdbFixture {
 protected:
  LdbLoadTest() { Must({"--create_if_missing", "put", "k", "old"}); }

  Json Levels() const {
    const Outcome stats = Ours({"stats", "--json"});
    EXPECT_EQ(stats.exit_code, 0) << stats.text;
    return Json::parse(stats.text)["levels"];
  }
  std::string Scan() const { return Ours({"scan"}).text; }
  std::vector<std::string> FilesOf(const std::string& part) const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(db_)) {
      const std::string name = file.path().filename().string();
      if (name.find(part) != std::string::npos) names.push_back(name);
    }
    return names;
  }
};

TEST_F(LdbLoadTest, LoadTakesWhatDumpAndScanPrint) {
  const Outcome load =
      OursOn("b ==> 1 2\na : 3\nempty ==>\nKeys in range: 3\n", {"load"});
  EXPECT_EQ(load.exit_code, 0);
  EXPECT_EQ(load.text, "");
  EXPECT_EQ(Scan(), "a : 3\nb : 1 2\nempty : \nk : old\n");
  // Where a line has both marks, it is dump's.
  EXPECT_EQ(OursOn("b ==> x : y\na : b ==> 5\n", {"load"}).exit_code, 0);
  EXPECT_EQ(Ours({"get", "b"}).text, "x : y\n");
  EXPECT_EQ(Ours({"get", "a : b"}).text, "5\n");
  Must({"delete", "a : b"});
  const std::string dump = Ours({"dump", "--hex"}).text;
  const std::string copy = directory_.Path("copy");
  EXPECT_EQ(RunOursOn(dump, "tamis_ldb",
                      {"--db=" + copy, "load", "--hex", "--create_if_missing"})
                .text,
            "");
  EXPECT_EQ(RunOurs("tamis_ldb", {"--db=" + copy, "dump", "--hex"}).text, dump);
}

TEST_F(LdbLoadTest, BadLinesFailAndTheOthersAreLoaded) {
  const Outcome load = OursOn("a ==> 1\nodd\nb ==> 2\nodd\n", {"load"});
  EXPECT_EQ(load.exit_code, 1);
  EXPECT_NE(load.text.find("2 bad lines ignored, the first is 2: "),
            std::string::npos)
      << load.text;
  EXPECT_EQ(Scan(), "a : 1\nb : 2\nk : old\n");
  EXPECT_EQ(OursOn("k1 ==> 0x41\n", {"load", "--hex"}).exit_code, 1);
}

TEST_F(LdbLoadTest, ABulkLoadLeavesNoPileInLevelZero) {
  std::string lines;
  for (int i = 20000; i > 0; --i) {
    lines += "path/" + std::to_string(i) + " ==> " + std::to_string(i) + "\n";
  }
  lines += "path/7 ==> again\n";
  // Of a load that was killed.
  std::ofstream(db_ + "/bulk_load.1.1.tmp") << "a run";
  const Outcome load = OursOn(lines, {"load", "--bulk_load"});
  EXPECT_EQ(load.exit_code, 0);
  EXPECT_EQ(load.text, "");
  EXPECT_EQ(Ours({"get", "path/7"}).text, "again\n");
  EXPECT_EQ(Ours({"get", "path/20000"}).text, "20000\n");
  EXPECT_EQ(Ours({"get", "k"}).text, "old\n");
  uint64_t level0 = 0;
  uint64_t entries = 0;
  for (const Json& level : Levels()) {
    entries += level["entries"].get<uint64_t>();
    if (level["level"] == 0) level0 += level["files"].get<uint64_t>();
  }
  EXPECT_LE(level0, 1u);  // that of "k"
  EXPECT_GE(entries, 20000u);
  EXPECT_TRUE(FilesOf("bulk_load").empty());
}

TEST_F(LdbLoadTest, WithoutALogTablesHaveTheEntries) {
  EXPECT_EQ(OursOn("a ==> 1\n", {"load", "--disable_wal"}).text, "");
  for (const std::string& log : FilesOf(".log")) {
    std::filesystem::resize_file(db_ + "/" + log, 0);
  }
  EXPECT_EQ(Scan(), "a : 1\nk : old\n");
}

TEST_F(LdbLoadTest, CompactLeavesOneLevel) {
  EXPECT_EQ(OursOn("a ==> 1\nz ==> 2\n", {"load", "--compact"}).exit_code, 0);
  const Json levels = Levels();
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0]["entries"], 3);
}

TEST_F(LdbLoadTest, AWrittenTableIsIngested) {
  const std::string table = directory_.Path("t.sst");
  const Outcome written =
      OursOn("a ==> 1\nk ==> new\n", {"write_extern_sst", table});
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.text, "external SST file written to " + table + "\n");
  // Its k replaces that of the database, which needs a sequence number.
  EXPECT_EQ(Ours({"ingest_extern_sst", table, "--allow_global_seqno=false"})
                .exit_code,
            1);
  EXPECT_EQ(Ours({"ingest_extern_sst", table}).text,
            "external SST files ingested\n");
  EXPECT_TRUE(std::filesystem::exists(table));
  EXPECT_EQ(Scan(), "a : 1\nk : new\n");
  EXPECT_EQ(Ours({"ingest_extern_sst", table, "--move_files"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(table));
  EXPECT_EQ(OursOn("b ==> 1\na ==> 2\n", {"write_extern_sst", table}).exit_code,
            1)
      << "entries do not ascend";
}

TEST_F(LdbLoadTest, ATableMayGoBehindWhatIsThere) {
  const std::string table = directory_.Path("t.sst");
  EXPECT_EQ(
      OursOn("a ==> 1\nk ==> older\n", {"write_extern_sst", table}).exit_code,
      0);
  const std::vector<std::string> behind = {"ingest_extern_sst", table,
                                           "--ingest_behind"};
  const Outcome refused = Ours(behind);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.text.find("cf_allow_ingest_behind"), std::string::npos)
      << refused.text;
  Options options;
  options.cf_allow_ingest_behind = true;
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, db_, &db), Status::OK());
  db.reset();
  EXPECT_EQ(Ours(behind).text, "external SST files ingested\n");
  EXPECT_EQ(Scan(), "a : 1\nk : old\n");
}

TEST_F(LdbLoadTest, TheShellAnswersEachLine) {
  const Outcome shell =
      OursOn("get k\nput q 1\nget nope\nodd\n\ndelete q\nhelp\n", {"query"});
  EXPECT_EQ(shell.exit_code, 0);
  EXPECT_EQ(shell.text,
            "k ==> old\nSuccessfully put q 1\nNot found nope\n"
            "Unknown command odd\nSuccessfully deleted q\n"
            "get <key>\nput <key> <value>\ndelete <key>\n");
}

TEST(ProgressTest, ALineHasRateAndWhatIsLeft) {
  EXPECT_EQ(ProgressLine("entries", 100, 25, 100, 5),
            "100 entries, 20 a second, 25 %, 15 s left");
  EXPECT_EQ(ProgressLine("entries", 100, 25, 0, 5), "100 entries, 20 a second");
}

}  // namespace
}  // namespace tamis
