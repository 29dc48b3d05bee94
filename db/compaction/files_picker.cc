// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/files_picker.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "db/base/file_names.h"
#include "db/compaction/level0_merge.h"
#include "db/compaction/level_targets.h"
#include "db/compaction/output_path.h"

namespace tamis {

namespace {

std::string NameOf(FileNumber number) { return TableFileName("", number); }

// The files of a request, by level, and their bounds.
class Closure {
 public:
  Closure(const Version& version, const FilesRequest& request)
      : version_(version), output_(request.output_level) {}

  Status AddNamed(const std::vector<FileNumber>& numbers) {
    const Places places = PlacesOf(numbers);
    for (const FileNumber number : numbers) {
      const auto& place = places.at(number);
      if (!place) {
        return Status::InvalidArgument(NameOf(number),
                                       "the column family has no such table");
      }
      const auto [level, index] = *place;
      if (level > output_) {
        return Status::InvalidArgument(NameOf(number),
                                       "it is at level " + level.ToString() +
                                           ", below the output level " +
                                           output_.ToString());
      }
      Widen(level, index, index);
    }
    return Status::OK();
  }

  // Adds what else must be compacted, from the top down. Returns false if a
  // table of level 0 waits for a flush, the first one.
  bool Close(size_t waiting) {
    for (Level level = kLevelZero; level <= output_; level++) {
      if (level > kLevelZero && smallest_) AddOverlapping(level);
      if (spans_[level].empty()) continue;
      if (level > kLevelZero) {
        AddSharingKeys(level);
      } else if (output_ > kLevelZero) {
        Widen(level, version_.files(level).size() - 1,
              version_.files(level).size() - 1);
      } else {
        const Span& span = spans_[level];
        const Level0Range merge =
            MergeThatIncludes(version_.files(level), {span.begin, span.end});
        Widen(level, merge.begin, merge.end - 1);
        if (merge.begin < waiting) return false;
      }
      NoteBounds(level);
    }
    return true;
  }

  LevelFiles FilesOf(Level level) const {
    const Span& span = spans_[level];
    const LevelFiles& files = version_.files(level);
    return {files.begin() + static_cast<std::ptrdiff_t>(span.begin),
            files.begin() + static_cast<std::ptrdiff_t>(span.end)};
  }
  bool HasFilesAt(Level level) const { return !spans_[level].empty(); }
  size_t FirstOf(Level level) const { return spans_[level].begin; }
  // Returns whether no table that is not included may hold older versions.
  bool IsBottommost() const {
    const Slice smallest = *smallest_;
    const Slice largest = *largest_;
    if (output_ == kLevelZero &&
        spans_[kLevelZero].end < version_.files(kLevelZero).size()) {
      return false;
    }
    const auto below = LevelsBelow(output_);
    return std::all_of(below.begin(), below.end(), [&](Level level) {
      return version_.Overlapping(level, &smallest, &largest).empty();
    });
  }

 private:
  // Adjacent files, in the level's order.
  struct Span {
    size_t begin = 0;
    size_t end = 0;
    bool empty() const { return begin == end; }
  };

  // Of files that are named; nullopt if the Version has no such file.
  using Places = std::map<FileNumber, std::optional<std::pair<Level, size_t>>>;

  // Visits each file once: a level may have tens of thousands, all named, and
  // the caller holds the database's mutex.
  Places PlacesOf(const std::vector<FileNumber>& numbers) const {
    Places places;
    for (const FileNumber number : numbers) places[number] = std::nullopt;
    for (const Level level : kLevels) {
      const LevelFiles& files = version_.files(level);
      for (size_t i = 0; i < files.size(); ++i) {
        const auto named = places.find(files[i]->meta.number);
        if (named != places.end()) named->second = std::pair(level, i);
      }
    }
    return places;
  }

  // Includes the files from `first` to `last`.
  void Widen(Level level, size_t first, size_t last) {
    Span& span = spans_[level];
    span = span.empty() ? Span{first, last + 1}
                        : Span{std::min(span.begin, first),
                               std::max(span.end, last + 1)};
  }

  // REQUIRES: the level is below 0, and `added` are adjacent in it.
  void Include(Level level, const LevelFiles& added) {
    if (added.empty()) return;
    const LevelFiles& files = version_.files(level);
    const auto first = static_cast<size_t>(
        std::find(files.begin(), files.end(), added.front()) - files.begin());
    const size_t last = first + added.size() - 1;
    TAMIS_CHECK(last < files.size());
    TAMIS_CHECK(files[last] == added.back());
    Widen(level, first, last);
  }
  void AddOverlapping(Level level) {
    const Slice smallest = *smallest_;
    const Slice largest = *largest_;
    Include(level, version_.Overlapping(level, &smallest, &largest));
  }
  void AddSharingKeys(Level level) {
    Include(level, version_.SharingKeysWith(level, spans_[level].begin));
    Include(level, version_.SharingKeysWith(level, spans_[level].end - 1));
  }

  void NoteBounds(Level level) {
    const KeyOrder& order = version_.order();
    const LevelFiles& files = version_.files(level);
    for (size_t i = spans_[level].begin; i < spans_[level].end; ++i) {
      const Slice smallest = ExtractUserKey(files[i]->meta.smallest);
      const Slice largest = ExtractUserKey(files[i]->meta.largest);
      if (!smallest_ || order.CompareUserKeys(smallest, *smallest_) < 0) {
        smallest_ = smallest;
      }
      if (!largest_ || order.CompareUserKeys(largest, *largest_) > 0) {
        largest_ = largest;
      }
    }
  }

  const Version& version_;
  const Level output_;
  PerLevel<Span> spans_{};
  // User keys, of the levels above.
  std::optional<Slice> smallest_;
  std::optional<Slice> largest_;
};

Status CheckNotBusy(const Compaction& plan, const BusyFiles& busy) {
  for (const TableFilePtr& file : plan.AllInputs()) {
    if (!busy.contains(file->meta.number)) continue;
    return Status::Aborted(NameOf(file->meta.number),
                           "it is needed, and is being compacted");
  }
  return Status::OK();
}

}  // namespace

Result<Compaction> PickFiles(const VersionPtr& version, const BusyFiles& busy,
                             const ColumnFamilyOptions& options,
                             const FilesRequest& request,
                             SequenceNumber unflushed) {
  TAMIS_CHECK(!request.files.empty());
  const LevelFiles& level0 = version->files(kLevelZero);
  Closure closure(*version, request);
  TAMIS_RETURN_IF_ERROR(closure.AddNamed(request.files));
  if (!closure.Close(TablesThatWaitForFlush(level0, unflushed))) {
    return Status::Aborted(
        NameOf(level0[closure.FirstOf(kLevelZero)]->meta.number),
        "it was ingested beside entries in memory; within level 0 it can only "
        "be compacted after their flush");
  }
  Compaction plan;
  plan.input_version = version;
  plan.output_level = request.output_level;
  plan.level = request.output_level;
  for (const Level level : kLevels) {
    if (level > request.output_level) break;
    if (!closure.HasFilesAt(level)) continue;
    LevelFiles files = closure.FilesOf(level);
    if (plan.inputs.empty()) {
      plan.level = level;
      plan.inputs = std::move(files);
    } else if (level == request.output_level) {
      plan.output_inputs = std::move(files);
    } else {
      plan.between.push_back({level, std::move(files)});
    }
  }
  TAMIS_RETURN_IF_ERROR(CheckNotBusy(plan, busy));
  plan.bottommost = closure.IsBottommost();
  plan.base = LevelTargetsOf(*version, options).base;
  plan.compression = request.compression;
  plan.path_id = request.path_id.value_or(
      PathOfOutput(plan.output_level, plan.InputBytes(), options));
  plan.grandparent_bytes_max = std::numeric_limits<uint64_t>::max();
  plan.output_file_bytes_max =
      request.output_level == kLevelZero
          ? std::numeric_limits<uint64_t>::max()  // one run is one table there
          : request.output_file_bytes_max;
  // Without a limit of the output's size, there would be only one part.
  plan.part_bytes_min =
      request.output_level == kLevelZero
          ? 0
          : std::min(plan.output_file_bytes_max,
                     TableBytesMax(plan.output_level, plan.base, options));
  plan.reason = "files";
  return plan;
}

Result<std::optional<Compaction>> PickPromotion(
    const VersionPtr& version, const BusyFiles& busy,
    const ColumnFamilyOptions& options, Level target) {
  TAMIS_CHECK(target > kLevelZero);
  for (Level level{1}; level <= target; level++) {
    if (version->files(level).empty()) continue;
    return Status::InvalidArgument(
        NameOf(version->files(level).front()->meta.number),
        "it is at level " + level.ToString() +
            "; the levels down to the target must be empty");
  }
  LevelFiles files = version->files(kLevelZero);
  if (files.empty()) return std::optional<Compaction>();
  const KeyOrder& order = version->order();
  std::sort(files.begin(), files.end(),
            [&order](const TableFilePtr& a, const TableFilePtr& b) {
              return order.Compare(a->meta.smallest, b->meta.smallest) < 0;
            });
  for (size_t i = 0; i < files.size(); ++i) {
    if (busy.contains(files[i]->meta.number)) {
      return Status::InvalidArgument(NameOf(files[i]->meta.number),
                                     "it is being compacted");
    }
    if (i > 0 && !version->EndsBefore(
                     *files[i - 1], ExtractUserKey(files[i]->meta.smallest))) {
      return Status::InvalidArgument(
          NameOf(files[i]->meta.number),
          "it overlaps " + NameOf(files[i - 1]->meta.number));
    }
  }
  Compaction plan;
  plan.input_version = version;
  plan.level = kLevelZero;
  plan.output_level = target;
  plan.inputs = std::move(files);
  plan.base = LevelTargetsOf(*version, options).base;
  plan.trivial_move = true;
  plan.reason = "promote";
  return std::optional<Compaction>(std::move(plan));
}

}  // namespace tamis
