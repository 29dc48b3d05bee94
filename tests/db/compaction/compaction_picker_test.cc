// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_picker.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/version/trees.h"

namespace tamis {
namespace {

// "L1 5 6 -> L2 7, below 8, move, bottom"
std::string Describe(const std::optional<Compaction>& plan) {
  if (!plan) return "nothing";
  std::string text = "L" + std::to_string(plan->level) + " " +
                     Numbers(plan->inputs) + " -> L" +
                     std::to_string(plan->output_level);
  if (!plan->output_inputs.empty()) text += " " + Numbers(plan->output_inputs);
  if (!plan->grandparents.empty()) {
    text += ", below " + Numbers(plan->grandparents);
  }
  if (plan->trivial_move) text += ", move";
  if (plan->bottommost) text += ", bottom";
  return text;
}

ColumnFamilyOptions SmallTree() {
  ColumnFamilyOptions options;
  options.level0_file_num_compaction_trigger = 2;
  options.max_bytes_for_level_base = 300;
  options.max_bytes_for_level_multiplier = 10;
  options.target_file_size_base = 100;
  return options;
}

std::string Pick(const std::string& tree,
                 const ColumnFamilyOptions& options = SmallTree()) {
  CompactionCursors cursors;
  return Describe(
      PickCompaction(ParseTree(tree), BusyFiles(), options, &cursors));
}

TEST(CompactionPickerTest, LevelsHoldAMultipleOfTheOneAbove) {
  const ColumnFamilyOptions options = SmallTree();
  EXPECT_EQ(LevelBytesMax(1, options), 300u);
  EXPECT_EQ(LevelBytesMax(2, options), 3000u);
  EXPECT_EQ(LevelBytesMax(4, options), 300'000u);
  ColumnFamilyOptions huge;
  huge.max_bytes_for_level_base = uint64_t{1} << 60;
  huge.max_bytes_for_level_multiplier = 1000;
  EXPECT_EQ(LevelBytesMax(6, huge), uint64_t{9'000'000'000'000'000'000});
  huge.max_bytes_for_level_base = ~uint64_t{0};
  EXPECT_EQ(LevelBytesMax(1, huge), uint64_t{9'000'000'000'000'000'000});
  huge.max_bytes_for_level_multiplier = std::numeric_limits<double>::max();
  for (int level = 1; level < kNumLevels; ++level) {
    EXPECT_EQ(LevelBytesMax(level, huge), uint64_t{9'000'000'000'000'000'000});
  }
  huge.max_bytes_for_level_base = 0;
  EXPECT_EQ(LevelBytesMax(6, huge), 0u);
}

TEST(CompactionPickerTest, AHugeTargetSizeDoesNotWrapAround) {
  ColumnFamilyOptions options = SmallTree();
  options.target_file_size_base = uint64_t{1} << 63;
  EXPECT_EQ(Pick("L1: 5=a-c@400\nL3: 2=a-b@5000", options),
            "L1 5 -> L2, below 2, move");
}

TEST(CompactionPickerTest, ScoresSayWhatIsDue) {
  const VersionPtr version = ParseTree(R"(
      L0: 9=a-f 8=a-f 7=a-f
      L1: 5=a-c@150
      L6: 1=a-z@99999999)");
  const ColumnFamilyOptions options = SmallTree();
  EXPECT_DOUBLE_EQ(CompactionScore(*version, 0, options), 1.5);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, 1, options), 0.5);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, 2, options), 0);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, 6, options), 0);
}

TEST(CompactionPickerTest, PicksWhatIsMostDue) {
  const struct {
    const char* what;
    const char* tree;
    const char* plan;
  } cases[] = {
      {"an empty tree", "", "nothing"},
      {"below every trigger", "L0: 9=a-f\nL1: 5=a-c@299", "nothing"},
      {"level 0 is full, level 1 empty", "L0: 9=a-f 8=f-z",
       "L0 9 8 -> L1, bottom"},
      {"level 0 moves", "L0: 9=x-z 8=m-n 7=o-p 6=a-c\nL1: 5=d-l",
       "L0 9 8 7 6 -> L1, move, bottom"},
      {"what overlaps in level 0 stays, the rest moves",
       "L0: 9=x-z 8=a-c 7=o-p 6=b-d\nL1: 5=e-l", "L0 9 7 -> L1, move, bottom"},
      {"what overlaps level 1 stays, the rest moves",
       "L0: 9=x-z 8=a-e\nL1: 5=e-l", "L0 9 -> L1, move, bottom"},
      {"all of level 0 when none of it moves",
       "L0: 9=m-n 8=a-d 7=d-e\nL1: 5=n-p 4=q-r", "L0 9 8 7 -> L1 5, bottom"},
      {"files of level 1 move together until it is small enough",
       "L1: 5=a-c@200 6=d-f@200 7=g-i@200 8=k-m@200\nL2: 3=x-z",
       "L1 5 6 7 -> L2, move, bottom"},
      {"up to one that overlaps",
       "L1: 5=a-c@200 6=d-f@200 7=g-i@200 8=k-m@200\nL2: 3=h-h",
       "L1 5 6 -> L2, move, bottom"},
      {"files that share a key move together", "L1: 6=a-c@200 5=c-f@200",
       "L1 6 5 -> L2, move, bottom"},
      {"only what overlaps below takes part",
       "L0: 9=c-f 8=d-g\nL1: 5=a-b 6=c-c 7=h-z", "L0 9 8 -> L1 6, bottom"},
      {"deeper levels are not the bottom",
       "L0: 9=c-f 8=d-g\nL1: 6=e-e\nL2: 4=a-b 3=f-h",
       "L0 9 8 -> L1 6, below "
       "3"},
      {"grandparents are one level deeper only", "L0: 9=c-f 8=d-g\nL3: 3=f-h",
       "L0 9 8 -> L1"},
      {"level 1 is too large", "L1: 5=a-c@200 6=d-f@200\nL2: 3=e-g",
       "L1 5 -> L2, move, bottom"},
      {"the fuller level goes first",
       "L0: 9=a-f 8=a-f\nL1: 5=a-c@200 6=d-f@500\nL2: 3=b-b",
       "L1 5 -> L2 3, bottom"},
      {"level 0 goes first when it is fuller",
       "L0: 9=a-b 8=a-b 7=a-b 6=a-b 5=a-b 4=a-b\nL1: 3=x-y@600",
       "L0 9 8 7 6 5 4 -> L1, bottom"},
      {"a move would overlap too much two levels down",
       "L1: 5=a-c@400\nL3: 2=a-b@5000", "L1 5 -> L2, below 2"},
      {"the same, one level down",
       "L1: 5=a-c@400\nL2: 4=x-z\nL3: 2=a-b@1001 1=c-c@1",
       "L1 5 -> L2, below 2 1"},
      {"a move overlaps just not too much",
       "L1: 5=a-c@400\nL3: 2=a-b@999 1=c-c@1", "L1 5 -> L2, below 2 1, move"},
      {"a key that straddles two files takes both",
       "L1: 6=a-c@200 5=c-f@200\nL2: 3=e-g", "L1 6 5 -> L2 3, bottom"},
      {"the last level has nowhere to go", "L6: 1=a-z@999999999", "nothing"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Pick(c.tree), c.plan) << c.what << "\n" << c.tree;
  }
}

TEST(CompactionPickerTest, ALevelGetsItsTurnFileByFile) {
  const VersionPtr version =
      ParseTree("L1: 5=a-c@200 6=d-f@200 7=g-i@200\nL2: 1=a-z");
  CompactionCursors cursors;
  std::vector<std::string> plans;
  for (int i = 0; i < 4; ++i) {
    plans.push_back(
        Describe(PickCompaction(version, BusyFiles(), SmallTree(), &cursors)));
  }
  EXPECT_EQ(plans, (std::vector<std::string>{
                       "L1 5 -> L2 1, bottom", "L1 6 -> L2 1, bottom",
                       "L1 7 -> L2 1, bottom", "L1 5 -> L2 1, bottom"}));
}

// Plans one after the other as if none ended.
std::vector<std::string> PickAll(const std::string& tree) {
  const VersionPtr version = ParseTree(tree);
  BusyFiles busy;
  CompactionCursors cursors;
  std::vector<std::string> plans;
  while (auto plan = PickCompaction(version, busy, SmallTree(), &cursors)) {
    plans.push_back(Describe(plan));
    for (const TableFilePtr& file : plan->AllInputs()) {
      EXPECT_TRUE(busy.insert(file->meta.number).second);
    }
  }
  return plans;
}

TEST(CompactionPickerTest, RunningCompactionsAreNotDisturbed) {
  const struct {
    const char* what;
    const char* tree;
    std::vector<std::string> plans;
  } cases[] = {
      {"level 0 runs alone",
       "L0: 9=a-d 8=d-g 7=g-i",
       {"L0 9 8 7 -> L1, bottom"}},
      {"level 0 moves alone",
       "L0: 9=a-c 8=d-f 7=g-h 6=h-i",
       {"L0 9 8 -> L1, move, bottom"}},
      {"apart from each other they may run at once",
       "L1: 5=a-c@300 6=d-f@300\nL2: 3=b-b 4=e-e",
       {"L1 5 -> L2 3, bottom", "L1 6 -> L2 4, bottom"}},
      {"two files over one below",
       "L1: 5=a-c@300 6=d-f@300\nL2: 3=b-e",
       {"L1 5 -> L2 3, bottom"}},
      {"the second file overlaps only what the first one's inputs span",
       "L1: 5=a-c@300 6=e-f@300\nL2: 3=c-k",
       {"L1 5 -> L2 3, bottom"}},
      {"what leaves a level already counts as gone",
       "L1: 5=a-c@200 6=d-f@200 7=g-i@200 8=k-m@200",
       {"L1 5 6 7 -> L2, move, bottom"}},
      {"the same with merges",
       "L1: 5=a-c@200 6=d-f@200 7=g-i@50\nL2: 3=b-b 4=e-e 2=h-h",
       {"L1 5 -> L2 3, bottom"}},
      {"levels apart",
       "L0: 9=a-c 8=a-c\nL1: 7=a-b@100\nL2: 5=a-b@9000 4=x-y@9000\nL3: 1=a-b",
       {"L2 5 -> L3 1, bottom", "L2 4 -> L3, move, bottom",
        "L0 9 8 -> L1 7, below 5"}},
  };
  for (const auto& c : cases) EXPECT_EQ(PickAll(c.tree), c.plans) << c.what;
}

TEST(CompactionPickerTest, ABusyFileIsPassedOver) {
  const VersionPtr version =
      ParseTree("L0: 9=x-z 8=x-z\nL1: 5=a-c@400 6=d-f@400\nL2: 3=b-b");
  const struct {
    BusyFiles busy;
    const char* plan;
  } cases[] = {
      {{}, "L1 5 -> L2 3, bottom"},
      {{5}, "L1 6 -> L2, move, bottom"},
      {{3}, "L1 6 -> L2, move, bottom"},
      {{5, 6}, "L0 9 8 -> L1, bottom"},
      {{5, 6, 8}, "nothing"},
  };
  for (const auto& c : cases) {
    CompactionCursors cursors;
    EXPECT_EQ(Describe(PickCompaction(version, c.busy, SmallTree(), &cursors)),
              c.plan);
  }
  EXPECT_EQ(
      Describe(PickRange(version, {8}, SmallTree(), 0, 1, nullptr, nullptr)),
      "nothing");
  EXPECT_EQ(
      Describe(PickRange(version, {3}, SmallTree(), 1, 2, nullptr, nullptr)),
      "nothing");
}

TEST(CompactionPickerTest, RangesTakeAllOfLevel0AndWhatOverlapsElsewhere) {
  const VersionPtr version = ParseTree(R"(
      L0: 9=a-c 8=x-z
      L1: 5=a-c 6=d-f 7=g-i
      L2: 3=a-e 4=h-z)");
  const Slice d("d");
  const Slice e("e");
  const Slice m("m");
  const struct {
    int level;
    int output_level;
    const Slice* begin;
    const Slice* end;
    const char* plan;
  } cases[] = {
      {0, 1, nullptr, nullptr, "L0 9 8 -> L1 5 6 7, below 3 4"},
      {0, 1, nullptr, &d, "L0 9 8 -> L1 5 6 7, below 3 4"},
      {0, 1, &d, &m, "nothing"},
      {1, 2, &d, &e, "L1 6 -> L2 3, bottom"},
      {1, 2, nullptr, nullptr, "L1 5 6 7 -> L2 3 4, bottom"},
      {1, 2, &m, nullptr, "nothing"},
      {2, 2, nullptr, nullptr, "L2 3 4 -> L2, bottom"},
      {2, 2, nullptr, &e, "L2 3 -> L2, bottom"},
      {3, 3, nullptr, nullptr, "nothing"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Describe(PickRange(version, BusyFiles(), SmallTree(), c.level,
                                 c.output_level, c.begin, c.end)),
              c.plan);
  }
}

TEST(CompactionPickerTest, ARangePassesOverLevelsThatHoldNoneOfIt) {
  const Slice e("e");
  const Slice f("f");
  const struct {
    const char* what;
    const char* tree;
    int level;
    int deepest;
    const Slice* begin;
    const Slice* end;
    const char* plan;
  } cases[] = {
      {"to the only level below", "L0: 9=a-f 8=c-h\nL6: 1=b-d 2=e-z", 0, 6,
       nullptr, nullptr, "L0 9 8 -> L6 1 2, bottom"},
      {"from a sorted level", "L1: 9=a-f\nL6: 1=b-d 2=e-z", 1, 6, nullptr,
       nullptr, "L1 9 -> L6 1 2, bottom"},
      {"to the first level that overlaps",
       "L0: 9=a-f 8=c-h\nL2: 5=x-z\nL4: 3=d-e\nL6: 1=b-d 2=e-z", 0, 6, nullptr,
       nullptr, "L0 9 8 -> L4 3"},
      {"what the files span counts, not what was asked for",
       "L0: 9=a-f 8=c-h\nL1: 5=a-b\nL6: 1=b-d 2=e-z", 0, 6, &e, &f,
       "L0 9 8 -> L1 5"},
      {"to the deepest when none overlaps", "L0: 9=a-f 8=c-h\nL3: 1=x-z", 0, 3,
       nullptr, nullptr, "L0 9 8 -> L3, bottom"},
      {"no deeper than told", "L0: 9=a-f 8=c-h\nL6: 1=b-d", 0, 2, nullptr,
       nullptr, "L0 9 8 -> L2"},
      {"one level down", "L0: 9=a-f 8=c-h", 0, 1, nullptr, nullptr,
       "L0 9 8 -> L1, bottom"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Describe(PickRange(ParseTree(c.tree), BusyFiles(), SmallTree(),
                                 c.level, c.deepest, c.begin, c.end)),
              c.plan)
        << c.what;
  }
}

TEST(CompactionPickerTest, ARoundGoesOnBehindWhatMovedTogether) {
  const VersionPtr version =
      ParseTree("L1: 5=a-c@200 6=d-f@200 7=g-i@200 8=k-m@200\nL2: 3=l-l");
  CompactionCursors cursors;
  EXPECT_EQ(
      Describe(PickCompaction(version, BusyFiles(), SmallTree(), &cursors)),
      "L1 5 6 7 -> L2, move, bottom");
  EXPECT_EQ(
      Describe(PickCompaction(version, BusyFiles(), SmallTree(), &cursors)),
      "L1 8 -> L2 3, bottom");
}

TEST(CompactionPickerTest, ARangeMovesAFileOnlyAboveTheBottom) {
  const VersionPtr version = ParseTree("L1: 5=a-c\nL2: 4=x-y\nL3: 3=b-d");
  EXPECT_EQ(Describe(PickRange(version, BusyFiles(), SmallTree(), 1, 2, nullptr,
                               nullptr)),
            "L1 5 -> L2, below 3, move");
  // At the bottom a merge drops tombstones, and a move would not.
  EXPECT_EQ(Describe(PickRange(version, BusyFiles(), SmallTree(), 3, 4, nullptr,
                               nullptr)),
            "L3 3 -> L4, bottom");
}

}  // namespace
}  // namespace tamis
