// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_style.h"

#include <algorithm>

#include "db/compaction/fifo_picker.h"
#include "db/compaction/level0_merge.h"
#include "db/compaction/level_targets.h"
#include "db/compaction/universal_picker.h"

namespace tamis {

bool CompactsByItself(const ColumnFamilyOptions& options) {
  return !options.disable_auto_compactions &&
         options.compaction_style != kCompactionStyleNone;
}

bool Level0StallsWrites(const ColumnFamilyOptions& options) {
  return CompactsByItself(options) &&
         options.compaction_style != kCompactionStyleFIFO;
}

bool CompactsMarkedFiles(const ColumnFamilyOptions& options) {
  return CompactsByItself(options) &&
         options.compaction_style == kCompactionStyleLevel;
}

Level DeepestForIngestion(const ColumnFamilyOptions& options) {
  return options.compaction_style == kCompactionStyleFIFO
             ? kLevelZero
             : LastLevelOf(options);
}

int Level0TablesThatStall(const Version& version,
                          const ColumnFamilyOptions& options,
                          SequenceNumber unflushed) {
  if (!Level0StallsWrites(options)) return 0;
  const LevelFiles& level0 = version.files(kLevelZero);
  size_t tables = level0.size();
  if (options.compaction_style == kCompactionStyleUniversal) {
    tables -= TablesThatWaitForFlush(level0, unflushed);
  }
  return static_cast<int>(tables);
}

CompactionLag LagOf(const Version& version, const ColumnFamilyOptions& options,
                    SequenceNumber unflushed, StallCause* cause) {
  if (!Level0StallsWrites(options)) return CompactionLag::kNone;
  const int tables = Level0TablesThatStall(version, options, unflushed);
  *cause = StallCause::kLevel0;
  if (tables >= options.level0_stop_writes_trigger) {
    return CompactionLag::kStops;
  }
  uint64_t pending = 0;
  if (options.compaction_style == kCompactionStyleLevel) {
    pending = PendingCompactionBytes(version, options);
  }
  const auto reaches = [pending](uint64_t limit) {
    return limit != 0 && pending >= limit;
  };
  if (reaches(options.hard_pending_compaction_bytes_limit)) {
    *cause = StallCause::kPendingBytes;
    return CompactionLag::kStops;
  }
  if (tables >= options.level0_slowdown_writes_trigger) {
    return CompactionLag::kSlows;
  }
  *cause = StallCause::kPendingBytes;
  return reaches(options.soft_pending_compaction_bytes_limit)
             ? CompactionLag::kSlows
             : CompactionLag::kNone;
}

const char* StallCauseText(StallCause cause) {
  switch (cause) {
    case StallCause::kMemTables:
      return "memtables";
    case StallCause::kLevel0:
      return "level0";
    case StallCause::kPendingBytes:
      break;
  }
  return "pending_compaction_bytes";
}

std::optional<Compaction> PickByStyle(const VersionPtr& version,
                                      const BusyFiles& busy,
                                      const ColumnFamilyOptions& options,
                                      uint64_t now_seconds,
                                      CompactionCursors* cursors,
                                      SequenceNumber unflushed) {
  if (!CompactsByItself(options)) return std::nullopt;
  switch (options.compaction_style) {
    case kCompactionStyleLevel: {
      auto plan = PickCompaction(version, busy, options, cursors);
      return plan ? plan : PickOld(version, busy, options, now_seconds);
    }
    case kCompactionStyleUniversal:
      return PickUniversal(version, busy, options, unflushed);
    case kCompactionStyleFIFO:
      return PickFifo(version, busy, options, now_seconds, unflushed);
    case kCompactionStyleNone:
      break;
  }
  return std::nullopt;
}

bool CompactionIsDue(const VersionPtr& version,
                     const ColumnFamilyOptions& options, uint64_t now_seconds,
                     SequenceNumber unflushed) {
  if (!CompactsByItself(options)) return false;
  if (options.compaction_style == kCompactionStyleLevel) {
    return std::any_of(kLevels.begin(), kLevels.end(),
                       [&](Level level) {
                         return CompactionScore(*version, level, options) >= 1;
                       }) ||
           PickOld(version, {}, options, now_seconds);
  }
  return PickByStyle(version, {}, options, now_seconds, nullptr, unflushed)
      .has_value();
}

bool MergesWaitForFlush(const Version& version,
                        const ColumnFamilyOptions& options,
                        SequenceNumber unflushed) {
  const CompactionStyle style = options.compaction_style;
  const bool merges_within_level0 =
      CompactsByItself(options) &&
      (style == kCompactionStyleUniversal ||
       (style == kCompactionStyleFIFO &&
        options.compaction_options_fifo.allow_compaction));
  return merges_within_level0 &&
         TablesThatWaitForFlush(version.files(kLevelZero), unflushed) >=
             static_cast<size_t>(options.level0_file_num_compaction_trigger);
}

std::vector<ManualStep> ManualSteps(const Version& version,
                                    const ColumnFamilyOptions& options,
                                    const Slice* begin, const Slice* end,
                                    std::optional<ManualStep>* rewrite) {
  rewrite->reset();
  switch (options.compaction_style) {
    case kCompactionStyleFIFO:
      // Entries stay in the order in which they are deleted.
      return {};
    case kCompactionStyleUniversal: {
      const ManualStep all{kLevelZero, kLevelZero, begin, end};
      const auto runs = SortedRunsOf(version, LastLevelOf(options));
      // One run of level 0 goes down, where no flush joins it. It is not
      // rewritten a second time there.
      if (runs.size() != 1 || runs[0].level != LastLevelOf(options)) {
        return {all};
      }
      *rewrite = all;
      return {};
    }
    case kCompactionStyleLevel:
    case kCompactionStyleNone:
      break;
  }
  // If only level 0 has tables, they go to the base, where they are sorted.
  Level bottom = LevelTargetsOf(version, options).base;
  for (const Level level : LevelsBelow(kLevelZero)) {
    if (level > LastLevelOf(options) ||
        version.Overlapping(level, begin, end).empty()) {
      continue;
    }
    bottom = std::max(bottom, level);
  }
  std::vector<ManualStep> steps;
  for (Level level = kLevelZero; level < bottom; level++) {
    steps.push_back({level, bottom, begin, end});
  }
  *rewrite = ManualStep{bottom, bottom, begin, end};
  return steps;
}

std::optional<Compaction> PickManual(const VersionPtr& version,
                                     const BusyFiles& busy,
                                     const ColumnFamilyOptions& options,
                                     const ManualStep& step,
                                     SequenceNumber unflushed) {
  if (options.compaction_style == kCompactionStyleUniversal) {
    auto plan = PickUniversalRange(version, busy, options, step.begin, step.end,
                                   unflushed);
    if (plan) plan->path_id = step.path_id;
    return plan;
  }
  return PickRange(version, busy, options, step);
}

std::optional<Level> OnlyLevel(const Version& version) {
  std::optional<Level> only;
  for (const Level level : kLevels) {
    if (version.files(level).empty()) continue;
    if (only || level == kLevelZero) return std::nullopt;
    only = level;
  }
  return only;
}

Level LowestFitting(const Version& version, const ColumnFamilyOptions& options,
                    Level from) {
  Level level = kLevelZero.Next();
  while (level < from &&
         version.LevelBytes(from) > LevelBytesMax(level, options)) {
    level++;
  }
  return level;
}

Compaction PlanMove(const VersionPtr& version,
                    const ColumnFamilyOptions& options, Level from, Level to) {
  Compaction plan;
  plan.input_version = version;
  plan.level = from;
  plan.output_level = to;
  plan.inputs = version->files(from);
  plan.base = LevelTargetsOf(*version, options).base;
  plan.trivial_move = true;
  plan.reason = "change level";
  TAMIS_CHECK(!plan.inputs.empty());
  TAMIS_CHECK(version->files(to).empty());
  return plan;
}

CompactionReason ReasonOf(const Compaction& plan, CompactionStyle style) {
  const struct {
    CompactionStyle style;
    std::string_view reason;
    CompactionReason is;
  } reasons[] = {
      {kCompactionStyleLevel, "level0", CompactionReason::kLevelL0FilesNum},
      {kCompactionStyleLevel, "size", CompactionReason::kLevelMaxLevelSize},
      {kCompactionStyleLevel, "age", CompactionReason::kTtl},
      {kCompactionStyleUniversal, "space",
       CompactionReason::kUniversalSizeAmplification},
      {kCompactionStyleUniversal, "sizes",
       CompactionReason::kUniversalSizeRatio},
      {kCompactionStyleUniversal, "number",
       CompactionReason::kUniversalSortedRunNum},
      {kCompactionStyleFIFO, "size", CompactionReason::kFIFOMaxSize},
      {kCompactionStyleFIFO, "number", CompactionReason::kFIFOReduceNumFiles},
      {kCompactionStyleFIFO, "age", CompactionReason::kFIFOTtl},
  };
  if (plan.manual) return CompactionReason::kManualCompaction;
  const std::string_view reason = plan.reason;
  if (reason == "marked") return CompactionReason::kFilesMarkedForCompaction;
  if (reason == "periodic") return CompactionReason::kPeriodicCompaction;
  for (const auto& one : reasons) {
    if (one.style == style && one.reason == reason) return one.is;
  }
  return CompactionReason::kUnknown;
}

}  // namespace tamis
