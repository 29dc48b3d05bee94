// SPDX-License-Identifier: Apache-2.0
//
// The tools as programs: what they print, and exit codes that mean what they
// say.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

Outcome Ldb(const std::string& db, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--db=" + db);
  return RunOurs("tamis_ldb", arguments);
}

#define EXPECT_OUTCOME(outcome, code, printed)    \
  do {                                            \
    const Outcome got_ = (outcome);               \
    EXPECT_EQ(got_.exit_code, code) << got_.text; \
    EXPECT_EQ(got_.text, printed);                \
  } while (false)

TEST(LdbTest, APutKeyIsFoundUntilItIsDeleted) {
  const TemporaryDirectory directory;
  const std::string db = directory.Path("db");
  EXPECT_OUTCOME(Ldb(db, {"--create_if_missing", "put", "k1", "v1"}), 0,
                 "OK\n");
  EXPECT_OUTCOME(Ldb(db, {"put", "k2", "v2"}), 0, "OK\n");
  EXPECT_OUTCOME(Ldb(db, {"put", "--hex", "0x6B33", "0x00FF"}), 0, "OK\n");
  EXPECT_OUTCOME(Ldb(db, {"get", "k1"}), 0, "v1\n");
  EXPECT_OUTCOME(Ldb(db, {"get", "k3", "--value_hex"}), 0, "0x00FF\n");
  EXPECT_OUTCOME(Ldb(db, {"scan", "--to=k3"}), 0, "k1 : v1\nk2 : v2\n");
  EXPECT_OUTCOME(Ldb(db, {"scan", "--from", "k2", "--max_keys", "1"}), 0,
                 "k2 : v2\n");
  EXPECT_OUTCOME(Ldb(db, {"--key_hex", "scan", "--from=0x6B32", "--to=0x6B33"}),
                 0, "0x6B32 : v2\n");
  EXPECT_OUTCOME(Ldb(db, {"delete", "k1"}), 0, "OK\n");
  const Outcome gone = Ldb(db, {"get", "k1"});
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_NE(gone.text.find("NotFound"), std::string::npos) << gone.text;
}

TEST(LdbTest, AMissingDatabaseFailsAndIsNotCreated) {
  const TemporaryDirectory directory;
  const std::string db = directory.Path("none");
  EXPECT_EQ(Ldb(db, {"scan"}).exit_code, 1);
  EXPECT_EQ(Ldb(db, {"scan", "--create_if_missing"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(db + "/CURRENT"));
}

TEST(LdbTest, MisuseExitsWithTwoAndSaysWhyOnALine) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"--db=x"},
      {"get", "k"},
      {"--db=x", "get"},
      {"--db=x", "get", "a", "b"},
      {"--db=x", "frobnicate"},
      {"--db=x", "--no_such_flag", "scan"},
      {"--db=x", "scan", "--max_keys=many"},
      {"--db=x", "scan", "--from"},
      {"--db=x", "--hex", "get", "k"},
      {"--db=x", "--comparator=odd", "scan"},
  };
  for (const std::vector<std::string>& arguments : cases) {
    const Outcome outcome = RunOurs("tamis_ldb", arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    EXPECT_EQ(outcome.text.substr(0, 11), "tamis_ldb: ");
    EXPECT_EQ(Count(outcome.text, "\n"), 1u) << outcome.text;
  }
}

// A database of one table, made by the tour out of `lines` lines.
std::string TourDatabase(const TemporaryDirectory& directory, int lines,
                         std::string* printed) {
  const std::string& dir = directory.path();
  std::ofstream corpus(dir + "/words.txt");
  for (int i = 0; i < lines; i++) corpus << "word number " << i << "\n";
  corpus.close();
  const Outcome outcome =
      RunOurs("tamis_tour", {"--out=" + dir + "/out", dir + "/words.txt"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  if (printed != nullptr) *printed = outcome.text;
  return dir + "/out";
}

// The table without its times.
std::string FiguresOf(const std::string& printed) {
  std::istringstream lines(printed.substr(0, printed.find("Times:")));
  std::string figures;
  for (std::string line; std::getline(lines, line);) {
    const bool time = line.find("microseconds") != std::string::npos ||
                      line.find("quartiles") != std::string::npos;
    if (!time) figures += line + "\n";
  }
  return figures;
}

std::string TableIn(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".sst") return entry.path().string();
  }
  ADD_FAILURE() << "no table in " << directory;
  return "";
}

TEST(TourTest, PrintsTheTableAndLeavesADatabaseForEachFilter) {
  std::string printed;
  const TemporaryDirectory directory;
  const std::string out = TourDatabase(directory, 5000, &printed);
  for (const char* row :
       {"entries", "file bytes", "filter bytes", "filter bits per key",
        "false positives, predicted", "false positives, observed",
        "data blocks searched", "microseconds per read", "quartiles",
        "Footer Details:"}) {
    EXPECT_NE(printed.find(row), std::string::npos) << row << "\n" << printed;
  }
  for (const char* name : {"none", "block", "full", "partitioned"}) {
    const Outcome scan = Ldb(out + "/" + name, {"scan", "--max_keys=1"});
    EXPECT_EQ(scan.exit_code, 0) << scan.text;
    EXPECT_EQ(scan.text.substr(0, 16), "word number 0 : ") << name;
    const Outcome dump = RunOurs(
        "tamis_sst_dump", {"--file=" + out + "/" + name, "--command=verify"});
    EXPECT_EQ(dump.exit_code, 0) << dump.text;
    EXPECT_NE(dump.text.find("The file is ok"), std::string::npos);
  }
}

TEST(TourTest, ForeignFilesAreNotTouched) {
  const TemporaryDirectory directory;
  const std::string& dir = directory.path();
  std::filesystem::create_directories(dir + "/none");
  std::ofstream(dir + "/none/precious.txt") << "mine";
  std::ofstream(dir + "/words.txt") << "a\nb\nc\n";
  const Outcome outcome =
      RunOurs("tamis_tour", {"--out=" + dir, dir + "/words.txt"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  EXPECT_TRUE(std::filesystem::exists(dir + "/none/precious.txt"));
}

TEST(TourTest, EveryFigureButTheTimesRepeats) {
  const TemporaryDirectory directory;
  std::string first;
  std::string second;
  TourDatabase(directory, 5000, &first);
  TourDatabase(directory, 5000, &second);
  EXPECT_NE(FiguresOf(first).find("5000"), std::string::npos) << first;
  EXPECT_EQ(FiguresOf(first), FiguresOf(second));
}

TEST(TourTest, NoRoundsAreMisuse) {
  EXPECT_EQ(RunOurs("tamis_tour", {"--rounds=0"}).exit_code, 2);
}

TEST(SstDumpTest, ScanShowsKeySequenceTypeAndValue) {
  const TemporaryDirectory directory;
  const std::string table =
      TableIn(TourDatabase(directory, 300, nullptr) + "/full");
  const Outcome two = RunOurs(
      "tamis_sst_dump", {"--file", table, "--command=scan", "--read_num=2"});
  EXPECT_EQ(two.exit_code, 0);
  EXPECT_NE(two.text.find("'word number 0' seq:"), std::string::npos);
  EXPECT_NE(two.text.find(", type:1 => "), std::string::npos) << two.text;
  const Outcome range = RunOurs(
      "tamis_sst_dump", {"--file=" + table, "--command=scan",
                         "--from=word number 42", "--to=word number 43"});
  EXPECT_NE(range.text.find("'word number 42' "), std::string::npos);
  EXPECT_EQ(range.text.find("'word number 41' "), std::string::npos);
  EXPECT_EQ(range.text.find("'word number 43' "), std::string::npos);
}

TEST(SstDumpTest, AFlippedBitExitsWithOneAndNamesTheFile) {
  const TemporaryDirectory directory;
  const std::string table =
      TableIn(TourDatabase(directory, 300, nullptr) + "/full");
  std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(100);
  const int byte = file.get();
  file.seekp(100);
  file.put(static_cast<char>(byte ^ 1));
  file.close();
  for (const char* command : {"verify", "scan", "raw"}) {
    const Outcome outcome = RunOurs(
        "tamis_sst_dump",
        {"--file=" + table, "--output=-", std::string("--command=") + command});
    EXPECT_EQ(outcome.exit_code, 1) << command;
    EXPECT_NE(outcome.text.find("Corruption: " + table), std::string::npos)
        << outcome.text;
  }
}

TEST(SstDumpTest, RawWritesBesideTheTable) {
  const TemporaryDirectory directory;
  const std::string table =
      TableIn(TourDatabase(directory, 300, nullptr) + "/block");
  EXPECT_EQ(
      RunOurs("tamis_sst_dump", {"--file=" + table, "--command=raw"}).exit_code,
      0);
  const std::string dump = table.substr(0, table.size() - 4) + "_dump.txt";
  const std::string text = ReadWholeFile(dump);
  EXPECT_NE(text.find("  placement: "), std::string::npos);
  EXPECT_NE(text.find("Data Block Summary:"), std::string::npos);
}

TEST(SstDumpTest, MisuseExitsWithTwoAndAMissingFileWithOne) {
  const std::vector<std::vector<std::string>> misused = {
      {}, {"--file=x", "--command=peel"}, {"--files=x"}};
  for (const std::vector<std::string>& arguments : misused) {
    EXPECT_EQ(RunOurs("tamis_sst_dump", arguments).exit_code, 2);
  }
  EXPECT_EQ(RunOurs("tamis_sst_dump", {"--file=/no/such.sst"}).exit_code, 1);
}

}  // namespace
}  // namespace tamis
