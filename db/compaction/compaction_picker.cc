// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_picker.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "db/compaction/entry_filter.h"
#include "db/compaction/trivial_move.h"

namespace tamis {

namespace {

// A file may overlap this many times its target size in the level below, which
// is the cost of its next compaction.
constexpr uint64_t kGrandparentOverlapFactor = 10;

struct UserKeyRange {
  Slice smallest;
  Slice largest;
};

UserKeyRange RangeOf(const KeyOrder& order, const LevelFiles& files) {
  TAMIS_CHECK(!files.empty());
  UserKeyRange range{ExtractUserKey(files[0]->meta.smallest),
                     ExtractUserKey(files[0]->meta.largest)};
  for (const TableFilePtr& file : files) {
    const Slice smallest = ExtractUserKey(file->meta.smallest);
    const Slice largest = ExtractUserKey(file->meta.largest);
    if (order.CompareUserKeys(smallest, range.smallest) < 0) {
      range.smallest = smallest;
    }
    if (order.CompareUserKeys(largest, range.largest) > 0) {
      range.largest = largest;
    }
  }
  return range;
}

bool AnyBusy(const LevelFiles& files, const BusyFiles& busy) {
  return std::any_of(files.begin(), files.end(), [&](const TableFilePtr& f) {
    return busy.contains(f->meta.number);
  });
}

// Saturates instead of overflowing.
uint64_t GrandparentBytesMax(const ColumnFamilyOptions& options) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return options.target_file_size_base > kMost / kGrandparentOverlapFactor
             ? kMost
             : kGrandparentOverlapFactor * options.target_file_size_base;
}

uint64_t TotalBytes(const LevelFiles& files) {
  uint64_t bytes = 0;
  for (const TableFilePtr& file : files) bytes += file->meta.size;
  return bytes;
}

uint64_t BytesNotBusy(const LevelFiles& files, const BusyFiles& busy) {
  uint64_t bytes = 0;
  for (const TableFilePtr& file : files) {
    if (!busy.contains(file->meta.number)) bytes += file->meta.size;
  }
  return bytes;
}

// An automatic compaction: from one level to the next.
TableMove OneDown(Level level, const ColumnFamilyOptions& options) {
  return {.level = level,
          .output_level = level.Next(),
          .grandparent_bytes_max = GrandparentBytesMax(options)};
}

// Completes a plan from its upper inputs.
std::optional<Compaction> Plan(const VersionPtr& version, const BusyFiles& busy,
                               const ColumnFamilyOptions& options,
                               const TableMove& move, LevelFiles inputs) {
  if (inputs.empty() || AnyBusy(inputs, busy)) return std::nullopt;
  Compaction plan;
  plan.input_version = version;
  plan.level = move.level;
  plan.output_level = move.output_level;
  plan.inputs = std::move(inputs);
  plan.output_file_bytes_max = options.target_file_size_base;
  plan.grandparent_bytes_max = move.grandparent_bytes_max;
  plan.manual = move.manual;
  // A manual compaction passes all entries of the range to a filter.
  plan.trivial_move =
      !(move.manual && HasCompactionFilter(options)) &&
      MovableFiles(*version, plan.inputs, move).size() == plan.inputs.size();

  UserKeyRange range = RangeOf(version->order(), plan.inputs);
  if (!plan.trivial_move && plan.output_level != plan.level) {
    plan.output_inputs = version->Overlapping(plan.output_level,
                                              &range.smallest, &range.largest);
    if (AnyBusy(plan.output_inputs, busy)) return std::nullopt;
    if (!plan.output_inputs.empty()) {
      const LevelFiles all = plan.AllInputs();
      range = RangeOf(version->order(), all);
    }
  }
  plan.bottommost = true;
  for (const Level deeper : LevelsBelow(plan.output_level)) {
    LevelFiles below =
        version->Overlapping(deeper, &range.smallest, &range.largest);
    if (below.empty()) continue;
    plan.bottommost = false;
    if (deeper == plan.output_level.Next()) {
      plan.grandparents = std::move(below);
    }
  }
  TAMIS_CHECK(plan.output_level >= plan.level);
  TAMIS_CHECK(IsLevel(plan.output_level));
  TAMIS_CHECK(!plan.trivial_move || plan.output_inputs.empty());
  TAMIS_CHECK(!plan.trivial_move || plan.output_level > plan.level);
  TAMIS_CHECK(!plan.bottommost || plan.grandparents.empty());
  TAMIS_DCHECK(!AnyBusy(plan.AllInputs(), busy));
  return plan;
}

// The first level below the files that overlaps their key range; `deepest` if
// none above it does. Skipping a level that overlaps them would leave its older
// versions above theirs.
Level OutputLevel(const Version& version, Level level, Level deepest,
                  const LevelFiles& files) {
  const UserKeyRange range = RangeOf(version.order(), files);
  for (Level output = level.Next(); output < deepest; output++) {
    if (!version.Overlapping(output, &range.smallest, &range.largest).empty()) {
      return output;
    }
  }
  return deepest;
}

// The next file in the round robin of a sorted level: the first one after the
// cursor.
size_t NextInRound(const KeyOrder& order, const LevelFiles& files,
                   const std::string& cursor) {
  if (cursor.empty()) return 0;
  const auto next = std::upper_bound(
      files.begin(), files.end(), cursor,
      [&order](const Slice& key, const TableFilePtr& file) {
        return order.CompareUserKeys(key, ExtractUserKey(file->meta.largest)) <
               0;
      });
  return next == files.end() ? 0 : static_cast<size_t>(next - files.begin());
}

std::optional<Compaction> PickFromLevel0(const VersionPtr& version,
                                         const BusyFiles& busy,
                                         const ColumnFamilyOptions& options) {
  const LevelFiles& files = version->files(kLevelZero);
  // Only one compaction at a time reads level 0.
  if (AnyBusy(files, busy)) return std::nullopt;
  const TableMove move = OneDown(kLevelZero, options);
  // Files that overlap no other file of the level may move in any order.
  LevelFiles movable = MovableFiles(*version, files, move);
  if (!movable.empty()) {
    return Plan(version, busy, options, move, std::move(movable));
  }
  // All files: an older file that stayed would be above newer versions.
  return Plan(version, busy, options, move, files);
}

// Returns file i of the level, with the files that share user keys at its
// boundaries, and the following files that may move too, until the level has
// its target size. Returns no files if file i may not move.
LevelFiles MovesFrom(const Version& version, const BusyFiles& busy,
                     const ColumnFamilyOptions& options, const TableMove& move,
                     size_t i) {
  const LevelFiles& files = version.files(move.level);
  const uint64_t level_bytes = LevelBytesMax(move.level, options);
  uint64_t bytes = 0;  // that remain in the level
  LevelFiles moves;
  do {
    const LevelFiles next = version.SharingKeysWith(move.level, i);
    if (AnyBusy(next, busy) ||
        MovableFiles(version, next, move).size() != next.size()) {
      break;
    }
    if (moves.empty()) bytes = BytesNotBusy(files, busy);
    TAMIS_DCHECK(TotalBytes(next) <= bytes);
    bytes -= TotalBytes(next);
    moves.insert(moves.end(), next.begin(), next.end());
    while (files[i] != next.back()) ++i;
    ++i;
  } while (i < files.size() && bytes >= level_bytes);
  return moves;
}

std::optional<Compaction> PickFromSortedLevel(
    const VersionPtr& version, const BusyFiles& busy,
    const ColumnFamilyOptions& options, Level level, std::string* cursor) {
  const LevelFiles& files = version->files(level);
  // Files that a running compaction reads do not count. They leave the level,
  // or the level is checked again when the compaction ends.
  if (!busy.empty() &&
      BytesNotBusy(files, busy) < LevelBytesMax(level, options)) {
    return std::nullopt;
  }
  const TableMove move = OneDown(level, options);
  const size_t start = NextInRound(version->order(), files, *cursor);
  for (size_t n = 0; n < files.size(); ++n) {
    const size_t i = (start + n) % files.size();
    if (busy.contains(files[i]->meta.number)) continue;
    LevelFiles inputs = MovesFrom(*version, busy, options, move, i);
    // Includes the files that share a user key at its boundaries.
    if (inputs.empty()) inputs = version->SharingKeysWith(level, i);
    auto plan = Plan(version, busy, options, move, std::move(inputs));
    if (plan) {
      *cursor = ExtractUserKey(plan->inputs.back()->meta.largest).ToString();
      return plan;
    }
  }
  return std::nullopt;
}

}  // namespace

uint64_t LevelBytesMax(Level level, const ColumnFamilyOptions& options) {
  TAMIS_DCHECK(level > kLevelZero);
  auto bytes = static_cast<double>(options.max_bytes_for_level_base);
  for (Level above{1}; above < level; above++) {
    bytes *= options.max_bytes_for_level_multiplier;
  }
  constexpr double kMost = 9e18;  // below 2^63
  return static_cast<uint64_t>(std::min(bytes, kMost));
}

double CompactionScore(const Version& version, Level level,
                       const ColumnFamilyOptions& options) {
  if (level == kLevelZero) {
    return static_cast<double>(version.files(kLevelZero).size()) /
           std::max(1, options.level0_file_num_compaction_trigger);
  }
  // No level is below the last one.
  if (level == kLastLevel) return 0;
  return static_cast<double>(version.LevelBytes(level)) /
         static_cast<double>(LevelBytesMax(level, options));
}

std::optional<Compaction> PickCompaction(const VersionPtr& version,
                                         const BusyFiles& busy,
                                         const ColumnFamilyOptions& options,
                                         CompactionCursors* cursors) {
  std::vector<std::pair<double, Level>> due;
  for (const Level level : kLevels) {
    const double score = CompactionScore(*version, level, options);
    if (score >= 1) due.emplace_back(-score, level);
  }
  std::sort(due.begin(), due.end());
  for (const auto& [score, level] : due) {
    auto plan = level == kLevelZero
                    ? PickFromLevel0(version, busy, options)
                    : PickFromSortedLevel(version, busy, options, level,
                                          &(*cursors)[level]);
    if (plan) return plan;
  }
  return std::nullopt;
}

std::optional<Compaction> PickRange(const VersionPtr& version,
                                    const BusyFiles& busy,
                                    const ColumnFamilyOptions& options,
                                    Level level, Level deepest,
                                    const Slice* begin, const Slice* end) {
  TAMIS_CHECK(level <= deepest);
  TAMIS_CHECK(IsLevel(deepest));
  LevelFiles inputs = version->Overlapping(level, begin, end);
  if (inputs.empty()) return std::nullopt;
  if (level == kLevelZero) {
    // All files of level 0: see PickFromLevel0.
    inputs = version->files(kLevelZero);
  }
  const TableMove move{
      .level = level,
      .output_level = OutputLevel(*version, level, deepest, inputs),
      .grandparent_bytes_max = GrandparentBytesMax(options),
      .manual = true};
  return Plan(version, busy, options, move, std::move(inputs));
}

}  // namespace tamis
