// SPDX-License-Identifier: Apache-2.0
#include "db/version/version_builder.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/version/trees.h"

namespace tamis {
namespace {

// "6..9"
std::pair<uint64_t, uint64_t> ParseBounds(const std::string& text) {
  return {std::stoull(text), std::stoull(text.substr(text.find("..") + 2))};
}

// "20=a-b seqnos=6..9 epoch=20", which follows an add.
FileMetaData ParseAdded(std::istringstream* words) {
  std::string word;
  *words >> word;
  FileMetaData meta = ParseFile(word);
  while (*words >> word) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("seqnos=")) {
      std::tie(meta.smallest_seqno, meta.largest_seqno) = ParseBounds(value);
    } else if (word.starts_with("epoch=")) {
      meta.epoch_number = EpochNumber(std::stoull(value));
    } else if (word.starts_with("smallest_bytes=")) {
      meta.smallest = value;
    } else {
      throw std::invalid_argument("a file has no " + word);
    }
  }
  return meta;
}

// Lines "add L1 <file>", "remove L1 <number>"; "then" begins another edit.
std::vector<VersionEdit> ParseEdits(const DataCase& data) {
  std::vector<VersionEdit> edits(1);
  for (const std::string& line : data.InputLines()) {
    std::istringstream words(line);
    std::string verb;
    std::string level;
    words >> verb >> level;
    if (verb == "then") {
      edits.emplace_back();
    } else if (verb == "add") {
      edits.back().new_files.emplace_back(std::stoi(level.substr(1)),
                                          ParseAdded(&words));
    } else if (verb == "remove") {
      uint64_t number = 0;
      words >> number;
      edits.back().deleted_files.emplace_back(std::stoi(level.substr(1)),
                                              number);
    } else {
      data.Fail("not understood: " + line);
    }
  }
  return edits;
}

// Files that are the same objects as before, in another level.
std::string Moved(const Version& before, const Version& after) {
  std::string text;
  for (const Level from : kLevels) {
    for (const TableFilePtr& file : before.files(from)) {
      for (const Level to : kLevels) {
        const LevelFiles& files = after.files(to);
        if (to != from &&
            std::find(files.begin(), files.end(), file) != files.end()) {
          text += " " + file->meta.number.ToString();
        }
      }
    }
  }
  return text.empty() ? "" : "moved:" + text + "\n";
}

// The tree that comes of the edits, or the error.
std::string Apply(const DataCase& data, const Version& base) {
  VersionBuilder builder(Bytewise(), nullptr, &base);
  for (const VersionEdit& edit : ParseEdits(data)) {
    const Status status = builder.Apply(edit);
    if (!status.ok()) return status.ToString();
  }
  const auto version = builder.Build();
  if (!version.ok()) return version.status().ToString();
  if ((*version)->NumFiles() == 0) return "an empty tree";
  return Describe(**version) + Moved(base, **version);
}

void RunBuilderFile(const std::string& name) {
  TreeOfCase tree;
  RunDataFile(
      "db/version/builder/" + name + ".txt",
      {{"define", [&](const DataCase& data) { return tree.Define(data); }},
       {"apply",
        [&](const DataCase& data) { return Apply(data, *tree.defined()); }}});
}

TEST(VersionBuilderTest, SortsLevel0ByAgeAndTheOthersByKey) {
  RunBuilderFile("edits");
}

TEST(VersionBuilderTest, RefusesTreesThatRocksDBWouldMisread) {
  RunBuilderFile("refused");
}

TEST(VersionBuilderTest, AcceptsUnusualTrees) { RunBuilderFile("unusual"); }

// The first edit of a MANIFEST has no tree before it.
TEST(VersionBuilderTest, BuildsATreeWithoutABase) {
  VersionBuilder builder(Bytewise(), nullptr, nullptr);
  VersionEdit edit;
  edit.new_files = {{Level(0), ParseFile("4=a-b")},
                    {Level(1), ParseFile("3=m-n")}};
  ASSERT_TRUE(builder.Apply(edit).ok());
  const auto version = builder.Build();
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(Describe(**version), "L0: 4, 100 bytes\nL1: 3, 100 bytes\n");
}

}  // namespace
}  // namespace tamis
