// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/output_path.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "db/compaction/compaction_picker.h"
#include "db/compaction/files_picker.h"
#include "db/compaction/universal_picker.h"
#include "tests/db/version/trees.h"

namespace tamis {
namespace {

ColumnFamilyOptions WithTargets(const std::vector<uint64_t>& targets) {
  ColumnFamilyOptions options;
  options.level_compaction_dynamic_level_bytes = false;
  options.max_bytes_for_level_base = 100;
  options.max_bytes_for_level_multiplier = 10;
  for (const uint64_t target : targets) {
    options.cf_paths.emplace_back("/p", target);
  }
  return options;
}

std::vector<int> PathsOfLevels(const ColumnFamilyOptions& options) {
  std::vector<int> paths;
  for (int level = 0; level < 5; ++level) {
    paths.push_back(PathOfLevel(Level{level}, options));
  }
  return paths;
}

TEST(OutputPathTest, OnePathTakesEveryLevel) {
  EXPECT_EQ(PathsOfLevels(WithTargets({})), (std::vector<int>{0, 0, 0, 0, 0}));
  EXPECT_EQ(PathsOfLevels(WithTargets({1})), (std::vector<int>{0, 0, 0, 0, 0}));
}

// Levels need 100, 100, 1000, 10000 and 100000 bytes.
TEST(OutputPathTest, EachPathTakesTheNextLevelsThatFit) {
  EXPECT_EQ(PathsOfLevels(WithTargets({1200, 10000, 1})),
            (std::vector<int>{0, 0, 0, 1, 2}));
  EXPECT_EQ(PathsOfLevels(WithTargets({1199, 1 << 20})),
            (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(PathsOfLevels(WithTargets({199, 100, 1000, 1})),
            (std::vector<int>{0, 1, 2, 3, 3}));
}

TEST(OutputPathTest, APathWithoutRoomForTheNextLevelIsPassedOver) {
  EXPECT_EQ(PathsOfLevels(WithTargets({99, 200, 1})),
            (std::vector<int>{1, 1, 2, 2, 2}));
  EXPECT_EQ(PathsOfLevels(WithTargets({0, 0})),
            (std::vector<int>{1, 1, 1, 1, 1}));
}

TEST(OutputPathTest, MergesGoWhereTheNewerDataFitsBesideThem) {
  ColumnFamilyOptions options = WithTargets({1000, 2000, 1});
  options.compaction_options_universal.size_ratio = 0;
  // The output, and about as much newer data before it is merged again.
  EXPECT_EQ(PathOfMerge(499, options), 0);
  EXPECT_EQ(PathOfMerge(500, options), 1);
  // The first path has room for newer data, too: 1000 + 2000 - 1499.
  EXPECT_EQ(PathOfMerge(1499, options), 1);
  EXPECT_EQ(PathOfMerge(1500, options), 2);
  EXPECT_EQ(PathOfMerge(1 << 30, options), 2);
  // Less newer data comes first.
  options.compaction_options_universal.size_ratio = 50;
  EXPECT_EQ(PathOfMerge(666, options), 0);
  EXPECT_EQ(PathOfMerge(667, options), 1);
  options.compaction_options_universal.size_ratio = 100;
  EXPECT_EQ(PathOfMerge(999, options), 0);
  EXPECT_EQ(PathOfMerge(1000, options), 1);
  options.compaction_options_universal.size_ratio = 1000;
  EXPECT_EQ(PathOfMerge(999, options), 0);
}

class PickedPathTest : public testing::Test {
 protected:
  // Level 1 is too large.
  static VersionPtr Tree() {
    return ParseTree(
        "L1: 1=a-c@150 2=m-z@150\n"
        "L2: 3=f-g@10/1\n");
  }
};

TEST_F(PickedPathTest, LevelsBelowTheFirstPathAreWrittenToTheNext) {
  ColumnFamilyOptions options = WithTargets({200, 1});
  options.compaction_pri = kRoundRobin;
  CompactionCursors cursors;
  const auto plan = PickCompaction(Tree(), {}, options, &cursors);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->path_id, 1);
  EXPECT_FALSE(plan->trivial_move);
  options.cf_paths[0].target_size = 2000;
  cursors = {};
  const auto moved = PickCompaction(Tree(), {}, options, &cursors);
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(moved->path_id, 0);
  EXPECT_TRUE(moved->trivial_move);
}

// The merge of tables that could each have moved includes what lies between.
TEST_F(PickedPathTest, AManualStepThatChangesThePathTakesAllThatOverlaps) {
  ColumnFamilyOptions options = WithTargets({200, 1});
  options.cf_paths[0].target_size = 2000;
  const Level one{1};
  for (const uint8_t path : {uint8_t{0}, uint8_t{1}}) {
    const auto plan = PickRange(
        ParseTree("L1: 1=a-c 2=m-z\nL2: 3=f-g\nL3: 4=a-z"), {}, options,
        {.level = one, .deepest = one.Next(), .path_id = path});
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->path_id, path);
    EXPECT_EQ(plan->trivial_move, path == 0);
    EXPECT_EQ(plan->output_inputs.size(), path == 0 ? 0u : 1u);
  }
}

TEST_F(PickedPathTest, UniversalGoesByTheSizeOfTheOutput) {
  ColumnFamilyOptions options = WithTargets({250, 1});
  options.compaction_style = kCompactionStyleUniversal;
  options.compaction_options_universal.size_ratio = 100;
  options.level0_file_num_compaction_trigger = 2;
  options.compaction_options_universal.allow_trivial_move = true;
  const auto pick = [&options](const std::string& tree) {
    return PickUniversal(ParseTree(tree), {}, options, kMaxSequenceNumber);
  };
  auto plan = pick("L0: 9=a-c 8=k-m");
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->path_id, 0);
  EXPECT_TRUE(plan->trivial_move);
  plan = pick("L0: 9=a-c 8=k-m 7=x-z");
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->path_id, 1);
  EXPECT_FALSE(plan->trivial_move);
  plan = pick("L0: 9=a-c/1 8=k-m/1 7=x-z/1");
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->path_id, 1);
  EXPECT_TRUE(plan->trivial_move);
}

TEST_F(PickedPathTest, NamedFilesGoWhereTheCallSaysOrByTheRule) {
  ColumnFamilyOptions options = WithTargets({200, 1});
  FilesRequest request;
  request.files = {FileNumber(1)};
  request.output_level = Level{2};
  request.output_file_bytes_max = 100;
  auto plan = PickFiles(Tree(), {}, options, request, kMaxSequenceNumber);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->path_id, 1);
  request.path_id = 0;
  plan = PickFiles(Tree(), {}, options, request, kMaxSequenceNumber);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->path_id, 0);
}

}  // namespace
}  // namespace tamis
