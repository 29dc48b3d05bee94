// SPDX-License-Identifier: Apache-2.0
//
// Every tool's table of flags and commands, as it prints it with
// --describe=json, against what the tool does: each misuse of each flag and
// command ends with exit code 2 and one line that names what is allowed, and
// help, man page and completions have every one.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/directories.h"
#include "tests/support/sanitizers.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

using Json = nlohmann::json;

class MisuseTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tool_ = GetParam();
    // Only where RocksDB, or librados, is.
    if ((tool_ == "tamis_ycsb_filters" || tool_ == "tamis_rados") &&
        !std::filesystem::exists(std::string(TAMIS_BIN_DIR) + "/" + tool_)) {
      GTEST_SKIP() << tool_ << " is not built";
    }
    const Outcome described = RunOurs(tool_, {"--describe=json"});
    ASSERT_EQ(described.exit_code, 0) << described.text;
    table_ = Json::parse(described.text);
    ASSERT_FALSE(table_["flags"].empty());
  }

  // The arguments are misused, and the one line says `what`.
  void ExpectMisused(const std::vector<std::string>& arguments,
                     const std::string& what) const {
    const Outcome outcome = RunOurs(tool_, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    EXPECT_EQ(outcome.text.substr(0, tool_.size() + 2), tool_ + ": ");
    EXPECT_EQ(Count(outcome.text, "\n"), 1u) << outcome.text;
    EXPECT_NE(outcome.text.find(what), std::string::npos)
        << outcome.text << " should say: " << what;
  }

  // The words that a command needs, and its flags, so that nothing is wrong.
  std::vector<std::string> Right(const Json& command) const {
    std::vector<std::string> words = {command["name"]};
    for (uint64_t i = 0; i < command["words_min"]; ++i) words.push_back("w");
    for (const std::string flag : command["needs"]) {
      for (const Json& facts : table_["flags"]) {
        if (facts["name"] != flag) continue;
        const std::string value =
            facts["type"] == "string" ? "/no/such/place" : Valid(facts);
        words.push_back("--" + flag + "=" + value);
      }
    }
    return words;
  }

  static std::string Valid(const Json& flag) {
    if (!flag["words"].empty()) return flag["words"][0];
    return flag["default"].get<std::string>().empty() ? "w" : flag["default"];
  }

  std::string tool_;
  Json table_;
};

TEST_P(MisuseTest, AFlagIsRefusedWithWhatItMayBe) {
  uint64_t number = 0;
  for (const Json& flag : table_["flags"]) {
    // All are parsed by the same code, and to start a program takes long.
    if (number++ % (kSanitizer ? 10 : 1) != 0) continue;
    const std::string name = flag["name"];
    const std::string type = flag["type"];
    SCOPED_TRACE(name);
    const bool any =
        (type == "string" || type == "list") && flag["words"].empty();
    if (!any) {
      ExpectMisused({"--" + name + "=!odd"},
                    "--" + name + " cannot be '!odd', it is " +
                        flag["allowed"].get<std::string>());
    }
    if (type != "bool") ExpectMisused({"--" + name}, "needs a value");
    if (type == "uint32" || type == "uint64") {
      ExpectMisused({"--" + name + "=-1"}, flag["allowed"]);
    }
    if (flag["bounded"]) {
      ExpectMisused({"--" + name + "=-1000000"}, flag["allowed"]);
    }
    const std::string given = "--" + name + "=" + Valid(flag);
    if (type != "list") {
      ExpectMisused({given, given}, "--" + name + " is given twice");
    }
    // A letter too many.
    ExpectMisused({"--" + name + "q=1"}, "unknown flag --" + name +
                                             "q; did you "
                                             "mean --");
  }
}

TEST_P(MisuseTest, ACommandNeedsItsWordsAndItsFlags) {
  size_t turn = 0;
  for (const Json& command : table_["commands"]) {
    const std::string name = command["name"];
    SCOPED_TRACE(name);
    std::vector<std::string> words = Right(command);
    if (!command["words_max"].is_null()) {
      std::vector<std::string> more = words;
      more.insert(more.end(), command["words_max"].get<size_t>() + 1, "w");
      ExpectMisused(more, name + " takes ");
    }
    if (command["words_min"] > 0) ExpectMisused({name}, name + " takes ");
    for (size_t i = 0; i < command["needs"].size(); ++i) {
      std::vector<std::string> fewer = words;
      fewer.erase(fewer.end() - 1 - static_cast<std::ptrdiff_t>(i));
      const std::string lacks =
          command["needs"][command["needs"].size() - 1 - i];
      ExpectMisused(fewer, name + " needs --" + lacks);
    }
    ExpectMisused({name + "q"}, "unknown command " + name + "q; did you mean ");
    const std::set<std::string> takes(command["flags"].begin(),
                                      command["flags"].end());
    // A few flags of each command's, in turn, so that each flag has its turn.
    const Json& flags = table_["flags"];
    int tried = 0;
    for (size_t i = 0; i < flags.size() && tried < 4; ++i) {
      const Json& flag = flags[(i + turn) % flags.size()];
      if (takes.count(flag["name"]) > 0) continue;
      std::vector<std::string> foreign = words;
      const std::string flag_name = "--" + flag["name"].get<std::string>();
      foreign.push_back(flag_name + "=" + Valid(flag));
      ExpectMisused(foreign, name + " takes no " + flag_name);
      ++tried;
    }
    turn += 4;
  }
}

TEST_P(MisuseTest, WhatOnlyRocksDBHasIsRefusedWithTheReason) {
  for (const Json& flag : table_["refused_flags"]) {
    ExpectMisused({"--" + flag["name"].get<std::string>() + "=1"}, flag["why"]);
  }
  for (const Json& command : table_["refused_commands"]) {
    ExpectMisused({command["name"]}, command["why"]);
  }
}

TEST_P(MisuseTest, HelpAndManPageHaveEveryFlagAndCommand) {
  const Outcome help = RunOurs(tool_, {"--help"});
  const Outcome man = RunOurs(tool_, {"--describe=man"});
  const Outcome bash = RunOurs(tool_, {"--describe=bash"});
  const Outcome zsh = RunOurs(tool_, {"--describe=zsh"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.text.find("usage: " + tool_), 0u);
  for (const Json& flag : table_["flags"]) {
    const std::string name = "--" + flag["name"].get<std::string>();
    EXPECT_FALSE(flag["help"].get<std::string>().empty()) << name;
    EXPECT_NE(help.text.find("  " + name), std::string::npos) << name;
    std::string roff;
    for (const char c : name) roff += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_NE(man.text.find(roff), std::string::npos) << name;
    EXPECT_NE(bash.text.find(name), std::string::npos) << name;
    EXPECT_NE(zsh.text.find(name), std::string::npos) << name;
  }
  for (const Json& command : table_["commands"]) {
    const std::string name = command["name"];
    EXPECT_NE(help.text.find("\n  " + name), std::string::npos) << name;
    EXPECT_NE(man.text.find("fB" + name), std::string::npos) << name;
    EXPECT_NE(bash.text.find(name), std::string::npos) << name;
    EXPECT_NE(zsh.text.find(name), std::string::npos) << name;
    const Outcome own = RunOurs(tool_, {name, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_EQ(own.text.find("usage: " + tool_ + " [flags] " + name), 0u);
  }
}

TEST_P(MisuseTest, TheVersionIsThatOfTheLibrary) {
  const Outcome version = RunOurs(tool_, {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.text,
            tool_ + " (Tamis) " + table_["version"].get<std::string>() + "\n");
  ExpectMisused({"--describe=odd"}, "man, bash, zsh or json");
}

TEST_P(MisuseTest, TheShellTakesTheCompletionsAndManThePage) {
  const TemporaryDirectory directory;
  const std::string ours = std::string(TAMIS_BIN_DIR) + "/" + tool_;
  const std::string script = directory.Path("completion");
  ASSERT_EQ(
      RunCommand(ours + " --describe=bash > " + script + " 2>&1").exit_code, 0);
  const std::string flag = table_["flags"][0]["name"];
  // What follows the beginning of the first flag's name.
  const CommandResult completed =
      RunCommand("bash -c '. " + script + " && COMP_WORDS=(" + tool_ + " --" +
                 flag.substr(0, 2) + ") COMP_CWORD=1 && compopt() { :; } && _" +
                 tool_ + " && echo ${COMPREPLY[*]}'");
  EXPECT_EQ(completed.exit_code, 0) << completed.output;
  EXPECT_NE(completed.output.find("--" + flag), std::string::npos)
      << completed.output;
  if (RunCommand("command -v zsh").exit_code == 0) {
    EXPECT_EQ(RunCommand(ours + " --describe=zsh | zsh -n").exit_code, 0);
  }
  if (RunCommand("command -v groff").exit_code == 0) {
    const CommandResult page = RunCommand(
        ours + " --describe=man | groff -man -Tascii -ww 2>&1 >/dev/null");
    EXPECT_EQ(page.output, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Tools, MisuseTest,
                         testing::Values("tamis_ldb", "tamis_sst_dump",
                                         "tamis_db_bench", "tamis_tour",
                                         "tamis_filter_bench",
                                         "tamis_ycsb_filters", "tamis_rados"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace tamis
