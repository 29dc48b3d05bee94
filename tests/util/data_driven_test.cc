// SPDX-License-Identifier: Apache-2.0
#include "tests/support/data_driven.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/support/directories.h"

namespace tamis {
namespace {

// Answers with the input, line by line in capitals or backwards.
DataDirectives Directives() {
  return {
      {"capitals",
       [](const DataCase& data) {
         std::string text = data.input();
         for (char& c : text) {
           if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
         }
         return text;
       }},
      {"backwards",
       [](const DataCase& data) {
         std::string text;
         for (const std::string& line : data.InputLines()) {
           text += std::string(line.rbegin(), line.rend()) + "\n";
         }
         return data.Has("twice") ? text + text : text;
       }},
      {"sum",
       [](const DataCase& data) {
         uint64_t sum = data.Number("plus", 0);
         for (const uint64_t n : data.Numbers("of")) sum += n;
         return std::to_string(sum);
       }},
      {"empty_line", [](const DataCase&) { return "a\n\nb"; }},
  };
}

DataOutcome RunText(const std::string& text) {
  return RunData("t", text, Directives());
}

// The message of the last failure; empty: none.
std::string Message(const std::string& text) {
  const DataOutcome outcome = RunText(text);
  return outcome.failures.empty() ? "" : outcome.failures.back().message;
}

constexpr char kGood[] = R"(# Comments stay.

capitals
ab
# of the input
cd
----
AB
CD

backwards twice
ab
----
ba
ba


sum of=1,2,3 plus=10
----
16

capitals
----
)";

TEST(DataDrivenTest, RightOutputPassesAndIsUnchanged) {
  const DataOutcome outcome = RunText(kGood);
  EXPECT_TRUE(outcome.failures.empty()) << outcome.failures[0].message;
  EXPECT_EQ(outcome.cases, 4u);
  EXPECT_EQ(outcome.rewritten, kGood);
}

TEST(DataDrivenTest, EachMismatchIsShownAtItsLine) {
  const DataOutcome outcome = RunText(R"(capitals
a
b
c
----
A
X
C

sum of=1,2
----
3

backwards
ab
----
)");
  ASSERT_EQ(outcome.failures.size(), 2u);
  EXPECT_EQ(outcome.failures[0].line, 1u);
  EXPECT_EQ(outcome.failures[0].message,
            "t:1: capitals: expected (-), actual (+):\n A\n-X\n+B\n C\n");
  EXPECT_EQ(outcome.failures[1].line, 14u);
  EXPECT_EQ(outcome.failures[1].message,
            "t:14: backwards: expected (-), actual (+):\n+ba\n");
  EXPECT_EQ(outcome.cases, 3u);
}

TEST(DataDrivenTest, ARewritePassesAndChangesOnlyOutput) {
  std::string wrong = kGood;
  for (const char* output : {"AB\n", "ba\nba\n", "16\n"}) {
    const size_t at = wrong.find(output);
    ASSERT_NE(at, std::string::npos);
    wrong.replace(at, std::string(output).size(), "wrong\n");
  }
  // Nothing where something is expected, and the other way round.
  wrong += "no output\n";
  const DataOutcome first = RunText(wrong);
  EXPECT_EQ(first.failures.size(), 4u);
  EXPECT_EQ(first.rewritten, kGood);
  const DataOutcome second = RunText(first.rewritten);
  EXPECT_TRUE(second.failures.empty());
  EXPECT_EQ(second.rewritten, first.rewritten);
}

TEST(DataDrivenTest, ErrorsNameTheLineAndLeaveNothingToRewrite) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "t: there is no case"},
      {"# Only a comment.\n", "t: there is no case"},
      {"\nshout\n----\n", "t:2: there is no directive shout"},
      {"capitals\na\n", "t:1: expected the line ---- behind the input"},
      {"capitals\na\n\n----\nA\n",
       "t:1: expected the line ---- behind the input"},
      {"capitals twice\n----\n", "t:1: capitals has no argument twice"},
      {"sum of=1 of=2\n----\n1\n", "t:1: duplicate argument: of=2"},
      {"sum of=1,x\n----\n1\n", "t:1: expected a number, got \"x\""},
      {"sum of=-1\n----\n1\n", "t:1: expected a number, got \"-1\""},
      {"sum of=18446744073709551616\n----\n",
       "t:1: expected a number, got \"18446744073709551616\""},
      {"empty_line\n----\n", "t:1: the output has an empty line:\na\n\nb"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Message(c.text), c.message) << c.text;
    EXPECT_EQ(RunText(c.text).rewritten, "") << c.text;
  }
}

TEST(DataDrivenTest, AnExceptionIsAnErrorOfItsCase) {
  const DataDirectives directives = {
      {"throw", [](const DataCase&) -> std::string {
         throw std::out_of_range("there is no such key");
       }}};
  const DataOutcome outcome = RunData("t", "throw\n----\n", directives);
  ASSERT_EQ(outcome.failures.size(), 1u);
  EXPECT_EQ(outcome.failures[0].message, "t:1: there is no such key");
}

// The whole way, with a file outside of tests/testdata.
class DataFileTest : public testing::Test {
 protected:
  static constexpr char kRight[] = "sum of=1,2\n----\n3\n";
  static constexpr char kWrong[] = "sum of=1,2\n----\n4\n";

  DataFileTest() : rewrite_(FromEnvironment()) { unsetenv("TAMIS_REWRITE"); }
  ~DataFileTest() override { setenv("TAMIS_REWRITE", rewrite_.c_str(), 1); }

  static std::string FromEnvironment() {
    const char* const value = std::getenv("TAMIS_REWRITE");
    return value != nullptr ? value : "0";
  }
  static void WriteFile(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  // The failures of the file, concatenated.
  std::string Failures() {
    testing::TestPartResultArray failures;
    const testing::ScopedFakeTestPartResultReporter reporter(&failures);
    RunDataFile(path_, Directives());
    std::string messages;
    for (int i = 0; i < failures.size(); ++i) {
      messages += failures.GetTestPartResult(i).message();
    }
    return messages;
  }

  const std::string rewrite_;
  const TemporaryDirectory directory_;
  const std::string path_ = directory_.Path("sums");
};

TEST_F(DataFileTest, AMismatchFailsTheTestAndLeavesTheFile) {
  WriteFile(path_, kWrong);
  EXPECT_NE(Failures().find("sums:1: sum: expected (-), actual (+):\n-4\n+3\n"),
            std::string::npos);
  EXPECT_EQ(ReadDataFile(path_), kWrong);
}

TEST_F(DataFileTest, ARewriteMakesTheFileRight) {
  WriteFile(path_, kWrong);
  setenv("TAMIS_REWRITE", "1", 1);
  EXPECT_EQ(Failures(), "");
  EXPECT_EQ(ReadDataFile(path_), kRight);
  unsetenv("TAMIS_REWRITE");
  EXPECT_EQ(Failures(), "");
}

TEST_F(DataFileTest, InvalidFilesAreNotRewritten) {
  const std::string text = std::string(kWrong) + "\nshout\n----\n";
  WriteFile(path_, text);
  setenv("TAMIS_REWRITE", "1", 1);
  EXPECT_NE(Failures().find("sums:5: there is no directive shout"),
            std::string::npos);
  EXPECT_EQ(ReadDataFile(path_), text);
}

TEST_F(DataFileTest, AMissingFileIsAnError) {
  EXPECT_THROW(RunDataFile(path_, Directives()), DataError);
}

}  // namespace
}  // namespace tamis
