// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench on databases with transactions, and on secondary instances.
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

// "( transactions:N aborts:M )" of all threads, added up.
void CountTransactions(const std::string& text, uint64_t* commits,
                       uint64_t* aborts) {
  const std::regex line("\\( transactions:([0-9]+) aborts:([0-9]+)\\)");
  *commits = *aborts = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end;
       ++it) {
    *commits += std::stoull((*it)[1]);
    *aborts += std::stoull((*it)[2]);
  }
}

TEST(DbBenchKindsTest, RandomTransactionCommitsAndVerifies) {
  // Few keys and sleeps, so that there are conflicts.
  const std::vector<std::string> flags = {"--num=5",
                                          "--writes=400",
                                          "--threads=4",
                                          "--sync=0",
                                          "--transaction_sets=3",
                                          "--transaction_sleep=50",
                                          "--benchmarks=randomtransaction"};
  for (const char* kind :
       {"--optimistic_transaction_db", "--transaction_db", "--db="}) {
    std::vector<std::string> all = flags;
    all.emplace_back(kind);
    const Outcome ran = RunOurs("tamis_db_bench", all);
    ASSERT_EQ(ran.exit_code, 0) << kind << ran.text;
    uint64_t commits = 0;
    uint64_t aborts = 0;
    CountTransactions(ran.text, &commits, &aborts);
    EXPECT_EQ(commits + aborts, 1600u) << kind << ran.text;
    EXPECT_GE(commits, 400u) << kind;
    if (std::string(kind) == "--optimistic_transaction_db") {
      EXPECT_GT(aborts, 0u);
    }
  }
}

TEST(DbBenchKindsTest, RandomTransactionFailsIfTheSumsDiffer) {
  const TemporaryDirectory directory;
  const std::string db = "--db=" + directory.Path("db");
  const std::vector<std::string> flags = {db, "--use_existing_db",
                                          "--transaction_db", "--num=10",
                                          "--benchmarks=randomtransaction"};
  ASSERT_EQ(RunOurs("tamis_db_bench", flags).exit_code, 0);
  ASSERT_EQ(RunOurs("tamis_ldb", {db, "put", "0001x", "7"}).exit_code, 0);
  const Outcome ran = RunOurs("tamis_db_bench", flags);
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_NE(ran.text.find("the sets of keys differ"), std::string::npos)
      << ran.text;
}

TEST(DbBenchKindsTest, ASecondaryInstanceReadsAndNeverWrites) {
  const TemporaryDirectory directory;
  const std::string db = "--db=" + directory.Path("db");
  ASSERT_EQ(RunOurs("tamis_db_bench",
                    {db, "--num=500", "--benchmarks=filluniquerandom"})
                .exit_code,
            0);
  const std::vector<std::string> flags = {
      db, "--num=500", "--use_secondary_db",
      "--secondary_path=" + directory.Path("secondary"),
      "--secondary_update_interval=1"};
  const auto with = [&](const std::string& benchmarks) {
    std::vector<std::string> all = flags;
    all.push_back("--benchmarks=" + benchmarks);
    return RunOurs("tamis_db_bench", all);
  };
  EXPECT_EQ(with("fillseq").exit_code, 1);
  const Outcome ran = with("readrandom,readseq");
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_NE(ran.text.find("(500 of 500 found)"), std::string::npos) << ran.text;
}

TEST(DbBenchKindsTest, FlagsThatExcludeEachOtherAreMisuse) {
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{
           {"--transaction_db", "--optimistic_transaction_db"},
           {"--transaction_db", "--use_secondary_db"},
           {"--use_secondary_db", "--secondary_path=x"},
           {"--use_secondary_db", "--db=x"},
           {"--transaction_sets=0"}}) {
    const Outcome ran = RunOurs("tamis_db_bench", flags);
    EXPECT_EQ(ran.exit_code, 2) << ran.text;
  }
}

}  // namespace
}  // namespace tamis
