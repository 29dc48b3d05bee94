// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_picker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "db/compaction/entry_filter.h"
#include "db/compaction/key_range.h"
#include "db/compaction/level_targets.h"
#include "db/compaction/output_compression.h"
#include "db/compaction/output_path.h"
#include "db/compaction/trivial_move.h"

namespace tamis {

namespace {

bool AnyBusy(const LevelFiles& files, const BusyFiles& busy) {
  return std::any_of(files.begin(), files.end(), [&](const TableFilePtr& f) {
    return busy.contains(f->meta.number);
  });
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

TableMove MoveOf(Level level, Level output_level, Level base,
                 const ColumnFamilyOptions& options) {
  const auto codec = [&](Level of, bool bottommost) {
    return CompressionOf(options, of, base, bottommost).type;
  };
  const bool same_at_bottom = codec(level, false) == codec(output_level, true);
  // A sorted level's table that is the deepest of its range was so before.
  const bool was_bottommost =
      level > kLevelZero &&
      options.bottommost_compression != kDisableCompressionOption;
  return {.level = level,
          .output_level = output_level,
          .grandparent_bytes_max = CompactionBytesMax(options),
          .table_bytes_max = TableBytesMax(output_level, base, options),
          .path_id = PathOfLevel(output_level, options),
          .partitioner = options.sst_partitioner_factory.get(),
          .same_codec = codec(level, false) == codec(output_level, false),
          .same_codec_at_bottom = was_bottommost || same_at_bottom,
          .same_compression_at_bottom =
              same_at_bottom && !options.bottommost_compression_opts.enabled};
}

// An automatic compaction: from one level to the next, from level 0 to the
// base.
TableMove OneDown(Level level, const LevelTargets& targets,
                  const ColumnFamilyOptions& options) {
  return MoveOf(level, level == kLevelZero ? targets.base : level.Next(),
                targets.base, options);
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
  plan.path_id = move.path_id;
  plan.inputs = std::move(inputs);
  plan.reason = move.manual                ? "manual"
                : move.level == kLevelZero ? "level0"
                                           : "size";
  plan.base = LevelTargetsOf(*version, options).base;
  plan.output_file_bytes_max =
      TableBytesMax(plan.output_level, plan.base, options);
  plan.grandparent_bytes_max = move.grandparent_bytes_max;
  // Such compactions pass all entries to a filter.
  plan.trivial_move =
      !((move.manual || move.due_by_age) && HasCompactionFilter(options)) &&
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
                                         const ColumnFamilyOptions& options,
                                         const LevelTargets& targets) {
  const LevelFiles& files = version->files(kLevelZero);
  // Only one compaction at a time reads level 0.
  if (AnyBusy(files, busy)) return std::nullopt;
  const TableMove move = OneDown(kLevelZero, targets, options);
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
// `level_bytes`. Returns no files if file i may not move.
LevelFiles MovesFrom(const Version& version, const BusyFiles& busy,
                     uint64_t level_bytes, const TableMove& move, size_t i) {
  const LevelFiles& files = version.files(move.level);
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

// Returns whether no table should be in the level: the data does not need it,
// or, with dynamic levels, the next one is empty. So a tree that was static
// moves down before anything is merged.
bool MustEmpty(const Version& version, Level level,
               const LevelTargets& targets) {
  return level < targets.needed ||
         (targets.dynamic && version.files(level.Next()).empty());
}

// The bytes that the files overlap in the level below, for each byte of theirs.
std::vector<double> OverlapRatios(const Version& version, Level level) {
  const KeyOrder& order = version.order();
  const LevelFiles& below = version.files(level.Next());
  std::vector<double> ratios;
  size_t first = 0;  // of `below` that does not end before the file
  for (const TableFilePtr& file : version.files(level)) {
    const Slice smallest = ExtractUserKey(file->meta.smallest);
    const Slice largest = ExtractUserKey(file->meta.largest);
    while (first < below.size() &&
           version.EndsBefore(*below[first], smallest)) {
      ++first;
    }
    double bytes = 0;
    for (size_t i = first;
         i < below.size() &&
         order.CompareUserKeys(ExtractUserKey(below[i]->meta.smallest),
                               largest) <= 0;
         ++i) {
      bytes += static_cast<double>(below[i]->meta.size);
    }
    ratios.push_back(bytes / static_cast<double>(file->meta.size));
  }
  return ratios;
}

// Returns the files of a sorted level in the order in which compactions of it
// should begin with them. Equal ones rotate.
std::vector<size_t> ByPriority(const Version& version, Level level,
                               CompactionPri priority,
                               const std::string& cursor) {
  const LevelFiles& files = version.files(level);
  const size_t start = NextInRound(version.order(), files, cursor);
  std::vector<size_t> all(files.size());
  for (size_t n = 0; n < all.size(); ++n) all[n] = (start + n) % all.size();
  const auto sort_by = [&all](const auto& rank_of) {
    std::stable_sort(all.begin(), all.end(), [&rank_of](size_t a, size_t b) {
      return rank_of(a) < rank_of(b);
    });
  };
  switch (priority) {
    case kByCompensatedSize:
      sort_by([&](size_t i) { return ~files[i]->meta.size; });
      break;
    case kOldestLargestSeqFirst:
      sort_by([&](size_t i) { return files[i]->meta.largest_seqno; });
      break;
    case kOldestSmallestSeqFirst:
      sort_by([&](size_t i) { return files[i]->meta.smallest_seqno; });
      break;
    case kMinOverlappingRatio: {
      const std::vector<double> ratios = OverlapRatios(version, level);
      sort_by([&](size_t i) { return ratios[i]; });
      break;
    }
    case kRoundRobin:
      break;
  }
  return all;
}

std::optional<Compaction> PickFromSortedLevel(
    const VersionPtr& version, const BusyFiles& busy,
    const ColumnFamilyOptions& options, const LevelTargets& targets,
    Level level, std::string* cursor) {
  const LevelFiles& files = version->files(level);
  const uint64_t level_bytes =
      MustEmpty(*version, level, targets) ? 0 : targets.bytes_max[level];
  // Files that a running compaction reads do not count. They leave the level,
  // or the level is checked again when the compaction ends.
  if (!busy.empty() && BytesNotBusy(files, busy) < level_bytes) {
    return std::nullopt;
  }
  const TableMove move = OneDown(level, targets, options);
  for (const size_t i :
       ByPriority(*version, level, options.compaction_pri, *cursor)) {
    if (busy.contains(files[i]->meta.number)) continue;
    LevelFiles inputs = MovesFrom(*version, busy, level_bytes, move, i);
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

double ScoreOf(const Version& version, Level level, const LevelTargets& targets,
               const ColumnFamilyOptions& options) {
  if (level == kLevelZero) {
    return static_cast<double>(version.files(kLevelZero).size()) /
           std::max(1, options.level0_file_num_compaction_trigger);
  }
  // No level is below the last one.
  if (level >= targets.last || version.files(level).empty()) return 0;
  if (MustEmpty(version, level, targets)) {
    // A move costs nothing, and the deepest one makes room for the next.
    constexpr double kFree = 1e6;
    constexpr double kMerge = 1.001;
    const bool moves = version.files(level.Next()).empty();
    return moves ? kFree * (1 + level.value()) : kMerge + level.value() / 1e3;
  }
  return static_cast<double>(version.LevelBytes(level)) /
         static_cast<double>(targets.bytes_max[level]);
}

// Erases files from number `first_new` on, except for those that share a user
// key with older ones: one of them rewritten alone could get its versions out
// of order. REQUIRES: a sorted level
void EraseNew(const Version& version, Level level, FileNumber first_new,
              LevelFiles* files) {
  if (first_new == kFileNumberMax) return;
  const auto is_new = [first_new](const TableFilePtr& file) {
    return file->meta.number >= first_new;
  };
  const LevelFiles& all = version.files(level);
  std::erase_if(*files, [&](const TableFilePtr& file) {
    const auto at = std::find(all.begin(), all.end(), file);
    const LevelFiles near =
        version.SharingKeysWith(level, static_cast<size_t>(at - all.begin()));
    return std::all_of(near.begin(), near.end(), is_new);
  });
}

}  // namespace

double CompactionScore(const Version& version, Level level,
                       const ColumnFamilyOptions& options) {
  return ScoreOf(version, level, LevelTargetsOf(version, options), options);
}

std::optional<Compaction> PickCompaction(const VersionPtr& version,
                                         const BusyFiles& busy,
                                         const ColumnFamilyOptions& options,
                                         CompactionCursors* cursors) {
  const LevelTargets targets = LevelTargetsOf(*version, options);
  std::vector<std::pair<double, Level>> due;
  for (const Level level : kLevels) {
    const double score = ScoreOf(*version, level, targets, options);
    if (score >= 1) due.emplace_back(-score, level);
  }
  std::sort(due.begin(), due.end());
  for (const auto& [score, level] : due) {
    auto plan = level == kLevelZero
                    ? PickFromLevel0(version, busy, options, targets)
                    : PickFromSortedLevel(version, busy, options, targets,
                                          level, &(*cursors)[level]);
    if (plan) return plan;
  }
  return std::nullopt;
}

std::optional<Compaction> PickOld(const VersionPtr& version,
                                  const BusyFiles& busy,
                                  const ColumnFamilyOptions& options,
                                  uint64_t now_seconds) {
  if (options.ttl == 0 && options.periodic_compaction_seconds == 0) {
    return std::nullopt;
  }
  const auto is_older = [now_seconds](uint64_t time, uint64_t seconds) {
    return seconds != 0 && time != 0 && now_seconds > time &&
           now_seconds - time > seconds;
  };
  const LevelTargets targets = LevelTargetsOf(*version, options);
  for (const Level level : kLevels) {
    if (level > targets.last) break;
    const LevelFiles& files = version->files(level);
    for (size_t i = 0; i < files.size(); ++i) {
      const FileMetaData& file = files[i]->meta;
      const bool periodic = is_older(file.file_creation_time,
                                     options.periodic_compaction_seconds);
      const bool bottom =
          level >= targets.last || !OverlapsBelow(*version, level, *files[i]);
      const bool expired =
          !bottom && is_older(file.oldest_ancestor_time, options.ttl);
      if (!periodic && !expired) continue;
      TableMove move = OneDown(level, targets, options);
      if (bottom && level > kLevelZero) {
        move.output_level = level;
        move.path_id = PathOfLevel(level, options);
      }
      move.due_by_age = true;
      LevelFiles inputs =
          level > kLevelZero ? version->SharingKeysWith(level, i) : files;
      auto plan = Plan(version, busy, options, move, std::move(inputs));
      if (!plan) continue;
      plan->reason = expired ? "age" : "periodic";
      return plan;
    }
  }
  return std::nullopt;
}

std::optional<Compaction> PickMarked(const VersionPtr& version,
                                     const BusyFiles& busy,
                                     const ColumnFamilyOptions& options,
                                     std::set<FileNumber>* marked) {
  if (marked->empty() && !version->has_marked_files()) return std::nullopt;
  const LevelTargets targets = LevelTargetsOf(*version, options);
  const auto deepest =
      std::find_if(kLevelsDeepestFirst.begin(), kLevelsDeepestFirst.end(),
                   [&](Level level) { return !version->files(level).empty(); });
  std::set<FileNumber> left;
  for (const Level level : kLevels) {
    if (deepest == kLevelsDeepestFirst.end()) break;  // there are none
    if (level >= *deepest || level >= targets.last) break;
    const LevelFiles& files = version->files(level);
    for (size_t i = 0; i < files.size(); ++i) {
      const FileMetaData& meta = files[i]->meta;
      if (!meta.marked_for_compaction && !marked->contains(meta.number)) {
        continue;
      }
      LevelFiles inputs =
          level > kLevelZero ? version->SharingKeysWith(level, i) : files;
      auto plan = Plan(version, busy, options, OneDown(level, targets, options),
                       std::move(inputs));
      if (!plan) {
        if (!meta.marked_for_compaction) left.insert(meta.number);
        continue;
      }
      plan->reason = "marked";
      for (const TableFilePtr& file : plan->inputs) {
        marked->erase(file->meta.number);
      }
      return plan;
    }
  }
  *marked = std::move(left);
  return std::nullopt;
}

std::optional<Compaction> PickRange(const VersionPtr& version,
                                    const BusyFiles& busy,
                                    const ColumnFamilyOptions& options,
                                    const ManualStep& step) {
  const auto& [level, deepest, begin, end, first_new, path_id] = step;
  TAMIS_CHECK(level <= deepest);
  TAMIS_CHECK(IsLevel(deepest));
  LevelFiles inputs = version->Overlapping(level, begin, end);
  if (level == deepest) EraseNew(*version, level, first_new, &inputs);
  if (inputs.empty()) return std::nullopt;
  if (level == kLevelZero) {
    // All files of level 0: see PickFromLevel0.
    inputs = version->files(kLevelZero);
  }
  TableMove move = MoveOf(level, OutputLevel(*version, level, deepest, inputs),
                          LevelTargetsOf(*version, options).base, options);
  move.manual = true;
  move.path_id = path_id;
  return Plan(version, busy, options, move, std::move(inputs));
}

}  // namespace tamis
