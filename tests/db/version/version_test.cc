// SPDX-License-Identifier: Apache-2.0
#include "db/version/version.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "db/version/level_index.h"
#include "db/version/version_builder.h"
#include "tests/db/version/trees.h"

namespace tamis {
namespace {

std::string YesOrNo(bool yes) { return yes ? "yes" : "no"; }

// Of "begin-end"; either may be left out.
struct KeyRange {
  explicit KeyRange(const std::string& text)
      : begin_text(text.substr(0, text.find('-'))),
        end_text(text.substr(text.find('-') + 1)) {}
  const Slice* begin() const { return begin_text.empty() ? nullptr : &first; }
  const Slice* end() const { return end_text.empty() ? nullptr : &last; }

  const std::string begin_text;
  const std::string end_text;
  const Slice first{begin_text};
  const Slice last{end_text};
};

std::string Counts(const Version& version) {
  return std::to_string(version.NumFiles()) + " files\n" + Describe(version);
}

// For each of keys=<key>@<sequence>.
std::string Find(const DataCase& data, const Version& version) {
  const LevelFiles& files = version.files(LevelOf(data));
  std::string text;
  for (const std::string& key : data.Words("keys")) {
    const size_t at = key.find('@');
    const size_t index = FindFile(
        Bytewise(), files,
        InternalKey(key.substr(0, at), data.ParseNumber(key.substr(at + 1))));
    text +=
        key + ": " +
        (index < files.size() ? files[index]->meta.number.ToString() : "end") +
        "\n";
  }
  return text;
}

// The files that may hold each of keys=<key>@<sequence>, by the level's index.
std::string Spanning(const DataCase& data, const Version& version) {
  const LevelFiles& files = version.files(LevelOf(data));
  const LevelIndex index(Bytewise(), files);
  std::string text;
  for (const std::string& word : data.Words("keys")) {
    const size_t at = word.find('@');
    const LookupKey key(word.substr(0, at),
                        data.ParseNumber(word.substr(at + 1)));
    const LevelIndex::Range range = index.FindSpanning(key);
    LevelFiles found;
    for (size_t i = range.begin; i < range.end; ++i) found.push_back(files[i]);
    text += word + ": " + (found.empty() ? "none" : Numbers(found)) + "\n";
  }
  return text;
}

std::string Overlapping(const DataCase& data, const Version& version) {
  std::string text;
  for (const std::string& word : data.Words("ranges")) {
    const KeyRange range(word);
    const std::string numbers =
        Numbers(version.Overlapping(LevelOf(data), range.begin(), range.end()));
    text += word + ": " + (numbers.empty() ? "none" : numbers) + "\n";
  }
  return text;
}

// For each file of the level, those that it is compacted with.
std::string SharingKeys(const DataCase& data, const Version& version) {
  const LevelFiles& files = version.files(LevelOf(data));
  std::string text;
  for (size_t i = 0; i < files.size(); ++i) {
    text += files[i]->meta.number.ToString() + ": " +
            Numbers(version.SharingKeysWith(LevelOf(data), i)) + "\n";
  }
  return text;
}

std::string MayExistBelow(const DataCase& data, const Version& version) {
  std::string text;
  for (const std::string& key : data.Words("keys")) {
    text +=
        key + ": " + YesOrNo(version.MayExistBelow(LevelOf(data), key)) + "\n";
  }
  return text;
}

std::string MayOverlapBelow(const DataCase& data, const Version& version) {
  std::string text;
  for (const std::string& word : data.Words("ranges")) {
    const KeyRange range(word);
    text += word + ": " +
            YesOrNo(version.MayOverlapBelow(LevelOf(data), range.first,
                                            range.last)) +
            "\n";
  }
  return text;
}

void RunVersionFile(const std::string& name) {
  TreeOfCase tree;
  const auto ask =
      [&tree](std::string (*answer)(const DataCase&, const Version&)) {
        return [&tree, answer](const DataCase& data) {
          return answer(data, *tree.Of(data));
        };
      };
  RunDataFile(
      "db/version/" + name + ".txt",
      {{"define", [&](const DataCase& data) { return tree.Define(data); }},
       {"counts", [&](const DataCase& data) { return Counts(*tree.Of(data)); }},
       {"check",
        [&](const DataCase& data) {
          return CheckVersion(*tree.Of(data)).ToString();
        }},
       {"debug_string",
        [&](const DataCase& data) { return tree.Of(data)->DebugString(); }},
       {"find", ask(Find)},
       {"spanning", ask(Spanning)},
       {"overlapping", ask(Overlapping)},
       {"sharing_keys", ask(SharingKeys)},
       {"may_exist_below", ask(MayExistBelow)},
       {"may_overlap_below", ask(MayOverlapBelow)}});
}

TEST(VersionTest, CountsItsFiles) { RunVersionFile("version/counts"); }

TEST(VersionTest, FindFileReturnsTheFirstThatEndsAtOrAfterTheKey) {
  RunVersionFile("version/find_file");
}

TEST(VersionTest, TheIndexOfALevelFindsTheFilesThatSpanAKey) {
  RunVersionFile("version/spanning");
}

TEST(VersionTest, OverlappingFollowsChainsInLevel0) {
  RunVersionFile("version/overlapping");
}

TEST(VersionTest, MayExistBelowChecksOnlyDeeperLevels) {
  RunVersionFile("version/below");
}

// Files that touch where a range tombstone ends: they share a user key in the
// MANIFEST, but no entry.
TEST(FileBoundsTest, AreNotSharedKeys) { RunVersionFile("bounds"); }

// There is nothing to compact such a file into.
TEST(VersionTest, MarkedFilesCountAboveTheDeepestLevel) {
  const auto has_marked = [](Level marked, Level deepest) {
    Version::Levels levels;
    FileMetaData meta = ParseFile("5=a-b");
    meta.marked_for_compaction = true;
    levels[marked].push_back(std::make_shared<const TableFile>(meta));
    if (deepest != marked) {
      levels[deepest].push_back(
          std::make_shared<const TableFile>(ParseFile("4=c-d")));
    }
    return Version(Bytewise(), nullptr, std::move(levels)).has_marked_files();
  };
  EXPECT_TRUE(has_marked(kLevelZero, Level{1}));
  EXPECT_TRUE(has_marked(Level{1}, Level{6}));
  EXPECT_FALSE(has_marked(kLevelZero, kLevelZero));
  EXPECT_FALSE(has_marked(Level{6}, Level{2}));
  EXPECT_FALSE(has_marked(Level{6}, Level{6}));
}

}  // namespace
}  // namespace tamis
