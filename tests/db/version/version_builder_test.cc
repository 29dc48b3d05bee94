// SPDX-License-Identifier: Apache-2.0
#include "db/version/version_builder.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/version/trees.h"

namespace tamis {
namespace {

// A file of level 0 as a flush makes it.
FileMetaData File(const std::string& text, SequenceNumber smallest,
                  SequenceNumber largest, uint64_t epoch) {
  FileMetaData meta = ParseFile(text);
  meta.smallest_seqno = smallest;
  meta.largest_seqno = largest;
  meta.epoch_number = epoch;
  return meta;
}

std::string Describe(const Version& version) {
  std::string text;
  for (int level = 0; level < kNumLevels; ++level) {
    if (version.files(level).empty()) continue;
    text += (text.empty() ? "L" : " L") + std::to_string(level) + ": " +
            Numbers(version.files(level));
  }
  return text;
}

// What comes of the edit, or the error.
std::string Outcome(const VersionEdit& edit, const VersionPtr& base = nullptr) {
  VersionBuilder builder(Bytewise(), nullptr, base.get());
  const Status status = builder.Apply(edit);
  if (!status.ok()) return status.ToString();
  const auto version = builder.Build();
  return version.ok() ? Describe(**version) : version.status().ToString();
}

TEST(VersionBuilderTest, SortsLevel0ByAgeAndTheOthersByKey) {
  VersionEdit edit;
  edit.new_files = {
      {0, File("4=a-b", 10, 12, 1)}, {0, File("9=a-b", 20, 22, 3)},
      {0, File("7=x-z", 13, 19, 2)}, {1, ParseFile("3=m-n")},
      {1, ParseFile("2=x-y")},       {1, ParseFile("5=a-b")},
      {6, ParseFile("1=a-z")},
  };
  EXPECT_EQ(Outcome(edit), "L0: 9 7 4 L1: 5 3 2 L6: 1");
  EXPECT_EQ(Outcome(VersionEdit()), "");
}

TEST(VersionBuilderTest, DeletionsComeFirstAndAMoveKeepsTheFile) {
  const VersionPtr base = ParseTree("L0: 9=a-b 8=c-d\nL1: 5=a-b 6=x-y");
  VersionEdit edit;
  edit.deleted_files = {{0, 9}, {1, 5}};
  edit.new_files = {{1, ParseFile("9=a-b")}};
  EXPECT_EQ(Outcome(edit, base), "L0: 8 L1: 9 6");
  VersionBuilder builder(Bytewise(), nullptr, base.get());
  ASSERT_TRUE(builder.Apply(edit).ok());
  const auto version = builder.Build();
  ASSERT_TRUE(version.ok());
  // The same object, so that its open reader stays.
  EXPECT_EQ((*version)->files(1)[0], base->files(0)[0]);
}

TEST(VersionBuilderTest, EditsAddUp) {
  VersionBuilder builder(Bytewise(), nullptr, nullptr);
  VersionEdit first;
  first.new_files = {{0, ParseFile("4=a-b")}, {0, ParseFile("5=a-b")}};
  ASSERT_TRUE(builder.Apply(first).ok());
  VersionEdit second;
  second.deleted_files = {{0, 4}, {0, 5}};
  second.new_files = {{1, ParseFile("6=a-b")}};
  ASSERT_TRUE(builder.Apply(second).ok());
  const auto version = builder.Build();
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(Describe(**version), "L1: 6");
}

TEST(VersionBuilderTest, RefusesWhatOthersWouldMisread) {
  const VersionPtr base = ParseTree("L0: 9=a-f\nL1: 5=a-c 6=e-g");
  using Change = std::function<void(VersionEdit*)>;
  const auto add = [](int level, const FileMetaData& file) {
    return [level, file](VersionEdit* e) {
      e->new_files.emplace_back(level, file);
    };
  };
  const auto remove = [](int level, uint64_t number) {
    return [level, number](VersionEdit* e) {
      e->deleted_files.emplace_back(level, number);
    };
  };
  FileMetaData short_key = ParseFile("20=a-b");
  short_key.smallest = "a";
  const struct {
    const char* what;
    Change change;
    const char* says;
  } cases[] = {
      {"delete of an absent file", remove(1, 77), "no such table"},
      {"delete at another level", remove(1, 9), "it is at level 0"},
      {"a number that is taken", add(1, ParseFile("6=x-y")), "twice"},
      {"the same, at another level", add(2, ParseFile("6=x-y")), "twice"},
      {"a level below the last", add(7, ParseFile("20=x-y")), "7 levels"},
      {"a level above the first", add(-1, ParseFile("20=x-y")), "7 levels"},
      {"overlap", add(1, ParseFile("20=b-d")), "overlaps"},
      {"overlap with both neighbours", add(1, ParseFile("20=c-e")), "overlaps"},
      {"one within another", add(1, ParseFile("20=b-b")), "overlaps"},
      {"bounds that are no internal keys", add(2, short_key),
       "shorter than an internal key"},
      {"bounds out of order", add(2, ParseFile("20=z-a")),
       "bounds out of order"},
      {"seqnos out of order", add(0, File("20=a-b", 9, 8, 20)),
       "seqnos out of order"},
      {"seqnos around those of an older file",
       [](VersionEdit* e) {
         e->new_files.emplace_back(0, File("20=a-b", 12, 30, 20));
         e->new_files.emplace_back(0, File("21=a-b", 11, 40, 21));
       },
       "nest"},
      {"seqnos that are within a newer file's",
       [](VersionEdit* e) {
         e->new_files.emplace_back(0, File("20=a-b", 10, 30, 20));
         e->new_files.emplace_back(0, File("21=a-b", 12, 15, 21));
       },
       "nest"},
      {"a newer file with an older epoch", add(0, File("20=a-b", 30, 40, 3)),
       "epoch"},
      {"a newer file with the same epoch", add(0, File("20=a-b", 30, 40, 9)),
       "epoch"},
  };
  for (const auto& c : cases) {
    VersionEdit edit;
    c.change(&edit);
    const std::string outcome = Outcome(edit, base);
    EXPECT_NE(outcome.find(c.says), std::string::npos)
        << c.what << ": " << outcome;
  }
}

TEST(VersionBuilderTest, AcceptsWhatIsOnlyUnusual) {
  const VersionPtr base = ParseTree("L0: 9=a-f\nL1: 5=a-c 6=e-g");
  const struct {
    const char* what;
    int level;
    FileMetaData file;
    const char* outcome;
  } cases[] = {
      {"seqnos that overlap without nesting", 0, File("20=a-b", 10, 30, 20),
       "L0: 20 9 L1: 5 6"},
      {"epochs that are not known", 0, File("20=a-b", 10, 30, 0),
       "L0: 20 9 L1: 5 6"},
      {"the same user key at a border, older behind", 1, ParseFile("4=c-d"),
       "L0: 9 L1: 5 4 6"},
      {"the same user key in two levels", 2, ParseFile("4=c-d"),
       "L0: 9 L1: 5 6 L2: 4"},
      {"one key", 1, ParseFile("4=d-d"), "L0: 9 L1: 5 4 6"},
  };
  for (const auto& c : cases) {
    VersionEdit edit;
    edit.new_files.emplace_back(c.level, c.file);
    EXPECT_EQ(Outcome(edit, base), c.outcome) << c.what;
  }
}

}  // namespace
}  // namespace tamis
