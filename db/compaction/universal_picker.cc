// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/universal_picker.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "db/compaction/level0_merge.h"
#include "db/compaction/level_targets.h"
#include "db/compaction/output_partitioner.h"
#include "db/compaction/output_path.h"

namespace tamis {

namespace {

using Runs = std::vector<SortedRun>;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// Runs [first, first + count) of the list. No runs if count is 0.
struct Pick {
  size_t first = 0;
  size_t count = 0;
  const char* reason = "";
  bool manual = false;
};

double Percent(unsigned percent) { return percent / 100.0; }

double BytesOf(const Runs& runs, size_t first, size_t count) {
  double bytes = 0;
  for (size_t i = first; i < first + count; ++i) {
    bytes += static_cast<double>(runs[i].bytes);
  }
  return bytes;
}

Pick ForSpace(const Runs& runs, const CompactionOptionsUniversal& options) {
  const double above = BytesOf(runs, 0, runs.size() - 1);
  const auto oldest = static_cast<double>(runs.back().bytes);
  if (above < oldest * Percent(options.max_size_amplification_percent)) {
    return {};
  }
  return {0, runs.size(), "space"};
}

// Returns how many runs from `first` on are of similar size.
size_t SimilarFrom(const Runs& runs, size_t first,
                   const CompactionOptionsUniversal& options) {
  const double tolerance = 1 + Percent(options.size_ratio);
  auto taken = static_cast<double>(runs[first].bytes);
  size_t count = 1;
  while (first + count < runs.size() && count < options.max_merge_width) {
    const auto next = static_cast<double>(runs[first + count].bytes);
    if (next > taken * tolerance) break;
    if (options.stop_style == kCompactionStopStyleSimilarSize) {
      if (taken > next * tolerance) break;
      taken = next;
    } else {
      taken += next;
    }
    ++count;
  }
  return count;
}

Pick ForSimilarSizes(const Runs& runs,
                     const CompactionOptionsUniversal& options) {
  for (size_t first = 0; first + 1 < runs.size(); ++first) {
    const size_t count = SimilarFrom(runs, first, options);
    if (count >= options.min_merge_width) return {first, count, "sizes"};
  }
  return {};
}

Pick ForNumber(const Runs& runs, const ColumnFamilyOptions& options) {
  const CompactionOptionsUniversal& universal =
      options.compaction_options_universal;
  const auto trigger =
      static_cast<size_t>(options.level0_file_num_compaction_trigger);
  if (runs.size() <= trigger) return {};
  const size_t count = std::min<size_t>(
      {runs.size() - trigger + 1, universal.max_merge_width, runs.size()});
  // Writes that wait for fewer runs cannot wait for more of them.
  const auto slowdown =
      static_cast<size_t>(options.level0_slowdown_writes_trigger);
  if (count < universal.min_merge_width && runs.size() < slowdown) return {};
  return {0, std::max<size_t>(count, 2), "number"};
}

Pick PickRuns(const Runs& runs, const ColumnFamilyOptions& options) {
  const auto trigger =
      static_cast<size_t>(options.level0_file_num_compaction_trigger);
  if (runs.size() < std::max<size_t>(trigger, 2)) return {};
  const CompactionOptionsUniversal& universal =
      options.compaction_options_universal;
  Pick pick = ForSpace(runs, universal);
  if (pick.count == 0) pick = ForSimilarSizes(runs, universal);
  if (pick.count == 0) pick = ForNumber(runs, options);
  return pick;
}

// Returns the sorted runs without the newest `skipped`.
Runs RunsFrom(const Version& version, const ColumnFamilyOptions& options,
              size_t skipped) {
  Runs runs = SortedRunsOf(version, LastLevelOf(options));
  runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(skipped));
  return runs;
}

bool AnyBusy(const Version& version, const BusyFiles& busy) {
  if (busy.empty()) return false;
  bool any = false;
  ForEachFile(version, [&](Level, const TableFilePtr& file) {
    any = any || busy.contains(file->meta.number);
  });
  return any;
}

// As deep as the next older run permits.
Level OutputLevel(const Runs& runs, const Pick& pick,
                  const ColumnFamilyOptions& options) {
  const size_t next = pick.first + pick.count;
  if (next == runs.size()) return LastLevelOf(options);
  const Level level = runs[next].level;
  return level == kLevelZero ? level : Level{level.value() - 1};
}

bool AreDisjoint(const Version& version, LevelFiles files) {
  const KeyOrder& order = version.order();
  std::sort(files.begin(), files.end(),
            [&order](const TableFilePtr& a, const TableFilePtr& b) {
              return order.Compare(a->meta.smallest, b->meta.smallest) < 0;
            });
  for (size_t i = 1; i < files.size(); ++i) {
    if (!version.EndsBefore(*files[i - 1],
                            ExtractUserKey(files[i]->meta.smallest))) {
      return false;
    }
  }
  return true;
}

bool Compresses(const Runs& runs, const Pick& pick,
                const CompactionOptionsUniversal& options) {
  if (options.compression_size_percent < 0) return true;
  const size_t next = pick.first + pick.count;
  const double older = BytesOf(runs, next, runs.size() - next);
  const double all = BytesOf(runs, 0, runs.size());
  return older <
         all * Percent(static_cast<unsigned>(options.compression_size_percent));
}

bool AreInPath(const LevelFiles& files, uint8_t path_id) {
  return std::all_of(files.begin(), files.end(),
                     [path_id](const TableFilePtr& file) {
                       return file->meta.path_id == path_id;
                     });
}

Compaction Plan(const VersionPtr& version, const ColumnFamilyOptions& options,
                Runs runs, const Pick& pick) {
  TAMIS_CHECK(pick.count > 0);
  TAMIS_CHECK(pick.first + pick.count <= runs.size());
  Compaction plan;
  plan.input_version = version;
  plan.level = runs[pick.first].level;
  plan.output_level = OutputLevel(runs, pick, options);
  plan.bottommost = pick.first + pick.count == runs.size();
  plan.compress = Compresses(runs, pick, options.compaction_options_universal);
  plan.reason = pick.reason;
  plan.grandparent_bytes_max = kNoLimit;
  plan.output_file_bytes_max =
      plan.output_level == kLevelZero
          ? kNoLimit  // one run is one table there
          : TableBytesMax(plan.output_level, Level{1}, options);
  LevelFiles all;
  for (size_t i = pick.first; i < pick.first + pick.count; ++i) {
    SortedRun& run = runs[i];
    all.insert(all.end(), run.files.begin(), run.files.end());
    if (run.level == plan.level) {
      plan.inputs.insert(plan.inputs.end(), run.files.begin(), run.files.end());
    } else if (run.level == plan.output_level) {
      plan.output_inputs = std::move(run.files);
    } else {
      plan.between.push_back({run.level, std::move(run.files)});
    }
  }
  plan.path_id = PathOfMerge(plan.InputBytes(), options);
  // CompactRange passes all entries to a filter, and drops what is deleted.
  if (options.compaction_options_universal.allow_trivial_move && !pick.manual &&
      plan.output_level > plan.level && plan.compress &&
      AreInPath(all, plan.path_id) &&
      std::all_of(all.begin(), all.end(),
                  [&](const TableFilePtr& file) {
                    return PartitionerAllowsMove(
                        options.sst_partitioner_factory.get(),
                        plan.output_level, /*manual=*/false, *file);
                  }) &&
      AreDisjoint(*version, std::move(all))) {
    plan.trivial_move = true;
    plan.output_inputs.clear();  // they are where they should be
  }
  TAMIS_CHECK(plan.output_level >= plan.level);
  return plan;
}

}  // namespace

std::vector<SortedRun> SortedRunsOf(const Version& version, Level last) {
  Runs runs;
  for (const TableFilePtr& file : version.files(kLevelZero)) {
    runs.push_back({kLevelZero, {file}, file->meta.size});
  }
  for (const Level level : LevelsBelow(kLevelZero)) {
    const LevelFiles& files = version.files(level);
    if (files.empty() || level > last) continue;
    runs.push_back({level, files, version.LevelBytes(level)});
  }
  return runs;
}

std::optional<Compaction> PickUniversal(const VersionPtr& version,
                                        const BusyFiles& busy,
                                        const ColumnFamilyOptions& options,
                                        SequenceNumber unflushed) {
  if (AnyBusy(*version, busy)) return std::nullopt;
  const LevelFiles& level0 = version->files(kLevelZero);
  const size_t waiting = TablesThatWaitForFlush(level0, unflushed);
  Runs runs = RunsFrom(*version, options, waiting);
  Pick pick = PickRuns(runs, options);
  if (pick.count == 0) return std::nullopt;
  if (OutputLevel(runs, pick, options) == kLevelZero) {
    const size_t first = waiting + pick.first;
    const Level0Range merge =
        MergeThatIncludes(level0, {first, first + pick.count});
    if (merge.begin < waiting) return std::nullopt;
    pick.first = merge.begin - waiting;
    pick.count = merge.end - merge.begin;
  }
  return Plan(version, options, std::move(runs), pick);
}

std::optional<Compaction> PickUniversalRange(const VersionPtr& version,
                                             const BusyFiles& busy,
                                             const ColumnFamilyOptions& options,
                                             const Slice* begin,
                                             const Slice* end,
                                             SequenceNumber unflushed) {
  if (AnyBusy(*version, busy)) return std::nullopt;
  const bool overlaps =
      std::any_of(kLevels.begin(), kLevels.end(), [&](Level level) {
        return !version->Overlapping(level, begin, end).empty();
      });
  if (!overlaps) return std::nullopt;
  const bool stays = LastLevelOf(options) == kLevelZero;
  Runs runs = RunsFrom(
      *version, options,
      stays ? TablesThatWaitForFlush(version->files(kLevelZero), unflushed)
            : 0);
  if (runs.empty()) return std::nullopt;
  const Pick pick{
      .first = 0, .count = runs.size(), .reason = "manual", .manual = true};
  return Plan(version, options, std::move(runs), pick);
}

}  // namespace tamis
