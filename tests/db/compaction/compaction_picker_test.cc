// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_picker.h"

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "db/compaction/level_targets.h"
#include "tests/db/version/trees.h"

namespace tamis {
namespace {

// "L1 5 6 -> L2 7, below 8, move, bottom"
std::string Describe(const std::optional<Compaction>& plan) {
  if (!plan) return "nothing";
  std::string text = "L" + plan->level.ToString() + " " +
                     Numbers(plan->inputs) + " -> L" +
                     plan->output_level.ToString();
  if (!plan->output_inputs.empty()) text += " " + Numbers(plan->output_inputs);
  if (!plan->grandparents.empty()) {
    text += ", below " + Numbers(plan->grandparents);
  }
  if (plan->trivial_move) text += ", move";
  if (plan->bottommost) text += ", bottom";
  return text;
}

// Two tables fill level 0, 300 bytes level 1.
ColumnFamilyOptions SmallTree() {
  ColumnFamilyOptions options;
  options.level0_file_num_compaction_trigger = 2;
  options.max_bytes_for_level_base = 300;
  options.max_bytes_for_level_multiplier = 10;
  options.target_file_size_base = 100;
  options.max_compaction_bytes = 1000;
  options.level_compaction_dynamic_level_bytes = false;
  options.compaction_pri = kRoundRobin;
  return options;
}

std::string LevelBytes(const DataCase& data) {
  ColumnFamilyOptions options;
  options.max_bytes_for_level_base = data.Number("base");
  options.max_bytes_for_level_multiplier = std::stod(data.Text("multiplier"));
  std::string text;
  for (const Level level : LevelsBelow(kLevelZero)) {
    text += (text.empty() ? "" : " ") +
            std::to_string(LevelBytesMax(level, options));
  }
  return text;
}

std::string Scores(const Version& version) {
  std::ostringstream text;
  for (const Level level : kLevels) {
    text << "L" << level << " " << CompactionScore(version, level, SmallTree())
         << "\n";
  }
  return text.str();
}

// "base 5 of 6: 300 3000"
std::string Targets(const DataCase& data, const Version& version) {
  ColumnFamilyOptions options = SmallTree();
  options.level_compaction_dynamic_level_bytes = data.Has("dynamic");
  options.num_levels =
      static_cast<int>(data.Number("levels", uint64_t{kNumLevels}));
  for (const uint64_t more : data.Numbers("additional")) {
    options.max_bytes_for_level_multiplier_additional.push_back(
        static_cast<int>(more));
  }
  const LevelTargets targets = LevelTargetsOf(version, options);
  std::string text =
      "base " + targets.base.ToString() + " of " + targets.last.ToString();
  if (targets.needed > targets.base) {
    text += ", needed from " + targets.needed.ToString();
  }
  text += ":";
  for (Level level = targets.base; level <= targets.last; level++) {
    text += " " + std::to_string(targets.bytes_max[level]);
  }
  return text;
}

BusyFiles Busy(const DataCase& data) {
  const std::vector<uint64_t> numbers = data.Numbers("busy");
  return {numbers.begin(), numbers.end()};
}

std::string Pick(const DataCase& data, const VersionPtr& version) {
  ColumnFamilyOptions options = SmallTree();
  options.target_file_size_base =
      data.Number("file_size", options.target_file_size_base);
  options.max_compaction_bytes =
      data.Number("compaction_bytes",
                  data.Has("file_size") ? 0 : options.max_compaction_bytes);
  options.compaction_pri = static_cast<CompactionPri>(
      data.Number("priority", uint64_t{kRoundRobin}));
  options.level_compaction_dynamic_level_bytes = data.Has("dynamic");
  options.num_levels =
      static_cast<int>(data.Number("levels", uint64_t{kNumLevels}));
  const BusyFiles busy = Busy(data);
  CompactionCursors cursors;
  std::string text;
  for (uint64_t i = data.Number("times", 1); i > 0; --i) {
    text += Describe(PickCompaction(version, busy, options, &cursors)) + "\n";
  }
  return text;
}

// Plans one after the other as if none ended.
std::string PickAll(const VersionPtr& version) {
  BusyFiles busy;
  CompactionCursors cursors;
  std::string text;
  while (auto plan = PickCompaction(version, busy, SmallTree(), &cursors)) {
    text += Describe(plan) + "\n";
    for (const TableFilePtr& file : plan->AllInputs()) {
      if (!busy.insert(file->meta.number).second) return text + "busy already";
    }
  }
  return text;
}

std::string Range(const DataCase& data, const VersionPtr& version) {
  const std::string begin = data.Text("begin", "");
  const std::string end = data.Text("end", "");
  const Slice begin_key(begin);
  const Slice end_key(end);
  return Describe(PickRange(version, Busy(data), SmallTree(),
                            {.level = LevelOf(data),
                             .deepest = LevelOf(data, "to"),
                             .begin = data.Has("begin") ? &begin_key : nullptr,
                             .end = data.Has("end") ? &end_key : nullptr}));
}

void RunPickerFile(const std::string& name) {
  TreeOfCase tree;
  RunDataFile(
      "db/compaction/picker/" + name + ".txt",
      {{"define", [&](const DataCase& data) { return tree.Define(data); }},
       {"level_bytes", LevelBytes},
       {"score", [&](const DataCase& data) { return Scores(*tree.Of(data)); }},
       {"targets",
        [&](const DataCase& data) { return Targets(data, *tree.Of(data)); }},
       {"pending",
        [&](const DataCase& data) {
          return std::to_string(
              PendingCompactionBytes(*tree.Of(data), SmallTree()));
        }},
       {"pick",
        [&](const DataCase& data) { return Pick(data, tree.Of(data)); }},
       {"pick_all",
        [&](const DataCase& data) { return PickAll(tree.Of(data)); }},
       {"range",
        [&](const DataCase& data) { return Range(data, tree.Of(data)); }}});
}

TEST(CompactionPickerTest, ScoresTellWhichLevelsAreDue) {
  RunPickerFile("level_bytes_and_scores");
}

TEST(CompactionPickerTest, PendingBytesAreThoseOfAllLevels) {
  RunPickerFile("pending_bytes");
}

TEST(CompactionPickerTest, DynamicLevelsGrowUpwards) {
  RunPickerFile("dynamic_levels");
}

TEST(CompactionPickerTest, ThePriorityChoosesTheFirstFile) {
  RunPickerFile("priorities");
}

// The trees of the files above have one sequence number per table.
TEST(CompactionPickerTest, TheOldestEntryAndTheOldestNewestEntryDiffer) {
  Version::Levels levels;
  for (const auto& [text, oldest] : std::map<std::string, SequenceNumber>{
           {"5=a-c@200", 5}, {"6=d-f@200", 2}}) {
    FileMetaData meta = ParseFile(text);
    meta.smallest_seqno = oldest;
    levels[Level{1}].push_back(std::make_shared<const TableFile>(meta));
  }
  const auto version =
      std::make_shared<const Version>(Bytewise(), nullptr, std::move(levels));
  const auto first = [&](CompactionPri priority) {
    ColumnFamilyOptions options = SmallTree();
    options.compaction_pri = priority;
    options.max_bytes_for_level_base = 250;
    CompactionCursors cursors;
    return Describe(PickCompaction(version, {}, options, &cursors));
  };
  EXPECT_EQ(first(kOldestLargestSeqFirst), "L1 5 -> L2, move, bottom");
  EXPECT_EQ(first(kOldestSmallestSeqFirst), "L1 6 -> L2, move, bottom");
}

TEST(CompactionPickerTest, PicksTheHighestScore) { RunPickerFile("most_due"); }

TEST(CompactionPickerTest, RotatesThroughTheFilesOfALevel) {
  RunPickerFile("rounds");
}

TEST(CompactionPickerTest, RunningCompactionsAreNotDisturbed) {
  RunPickerFile("running");
}

TEST(CompactionPickerTest, BusyFilesAreSkipped) { RunPickerFile("busy"); }

TEST(CompactionPickerTest, RangesTakeAllOfLevel0AndOverlapsElsewhere) {
  RunPickerFile("ranges");
}

TEST(CompactionPickerTest, ARangeSkipsLevelsWithoutOverlap) {
  RunPickerFile("range_target");
}

}  // namespace
}  // namespace tamis
