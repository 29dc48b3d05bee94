// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/fifo_picker.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "db/compaction/level0_merge.h"
#include "db/compaction/level_targets.h"

namespace tamis {

namespace {

Level DeepestLevel(const Version& version) {
  for (const Level level : kLevelsDeepestFirst) {
    if (!version.files(level).empty()) return level;
  }
  return kLevelZero;
}

// A table of unknown age is not old.
bool IsOld(const FileMetaData& file, uint64_t ttl, uint64_t now_seconds) {
  const uint64_t written = file.file_creation_time != 0
                               ? file.file_creation_time
                               : file.oldest_ancestor_time;
  return ttl != 0 && written != 0 && now_seconds > written &&
         now_seconds - written > ttl;
}

Compaction Deletion(const VersionPtr& version, Level level, LevelFiles files,
                    const char* reason) {
  Compaction plan;
  plan.input_version = version;
  plan.level = plan.output_level = level;
  plan.inputs = std::move(files);
  plan.deletes_inputs = true;
  plan.reason = reason;
  return plan;
}

// From the smallest key on. Tables that share a user key go together: the
// second one has older versions, which would reappear.
Compaction DeleteFromSorted(const VersionPtr& version, Level level,
                            uint64_t excess) {
  const LevelFiles& files = version->files(level);
  LevelFiles deleted;
  uint64_t bytes = 0;
  while (deleted.size() < files.size() && bytes < excess) {
    for (const TableFilePtr& file :
         version->SharingKeysWith(level, deleted.size())) {
      deleted.push_back(file);
      bytes += file->meta.size;
    }
  }
  return Deletion(version, level, std::move(deleted), "size");
}

std::optional<Compaction> DeleteFromLevel0(const VersionPtr& version,
                                           const ColumnFamilyOptions& options,
                                           uint64_t excess,
                                           uint64_t now_seconds) {
  const LevelFiles& files = version->files(kLevelZero);
  LevelFiles deleted;
  uint64_t bytes = 0;
  const char* reason = "age";
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (bytes < excess) {
      reason = "size";
    } else if (!IsOld((*file)->meta, options.ttl, now_seconds)) {
      break;
    }
    deleted.push_back(*file);
    bytes += (*file)->meta.size;
  }
  if (deleted.empty()) return std::nullopt;
  return Deletion(version, kLevelZero, std::move(deleted), reason);
}

uint64_t BytesOf(const LevelFiles& files, const Level0Range& range) {
  uint64_t bytes = 0;
  for (size_t i = range.begin; i < range.end; ++i) bytes += files[i]->meta.size;
  return bytes;
}

// Takes the newest tables that may be merged, while each lowers the bytes that
// are read for a table saved: an old merged table, which is large, is left
// alone. Takes fewer if what they need beside them is too large.
std::optional<Compaction> MergeNewest(const VersionPtr& version,
                                      const ColumnFamilyOptions& options,
                                      SequenceNumber unflushed) {
  const LevelFiles& files = version->files(kLevelZero);
  const size_t first = TablesThatWaitForFlush(files, unflushed);
  const uint64_t bytes_max = CompactionBytesMax(options);
  uint64_t bytes = 0;
  double cost = std::numeric_limits<double>::infinity();
  size_t count = 0;
  for (size_t i = first; i < files.size(); ++i) {
    const uint64_t with_file = bytes + files[i]->meta.size;
    if (with_file > bytes_max) break;
    if (count > 0) {
      const double next =
          static_cast<double>(with_file) / static_cast<double>(count);
      if (next > cost) break;
      cost = next;
    }
    bytes = with_file;
    ++count;
  }
  const auto trigger =
      static_cast<size_t>(options.level0_file_num_compaction_trigger);
  const auto is_cheap = [&](const Level0Range& merge) {
    const uint64_t read = BytesOf(files, merge);
    const auto saved = static_cast<double>(merge.end - merge.begin - 1);
    return read <= bytes_max &&
           static_cast<double>(read) / saved <=
               static_cast<double>(options.write_buffer_size);
  };
  Level0Range merge;
  for (;; --count) {
    if (count < std::max<size_t>(trigger, 2)) return std::nullopt;
    merge = MergeThatIncludes(files, {first, first + count});
    if (merge.begin < first) return std::nullopt;
    if (is_cheap(merge)) break;
  }
  Compaction plan;
  plan.input_version = version;
  plan.inputs.assign(files.begin() + static_cast<std::ptrdiff_t>(merge.begin),
                     files.begin() + static_cast<std::ptrdiff_t>(merge.end));
  plan.output_file_bytes_max = std::numeric_limits<uint64_t>::max();
  plan.grandparent_bytes_max = std::numeric_limits<uint64_t>::max();
  plan.bottommost = merge.end == version->NumFiles();
  plan.reason = "number";
  return plan;
}

}  // namespace

std::optional<Compaction> PickFifo(const VersionPtr& version,
                                   const BusyFiles& busy,
                                   const ColumnFamilyOptions& options,
                                   uint64_t now_seconds,
                                   SequenceNumber unflushed) {
  uint64_t bytes = 0;
  bool any_busy = false;
  ForEachFile(*version, [&](Level, const TableFilePtr& file) {
    bytes += file->meta.size;
    any_busy = any_busy || busy.contains(file->meta.number);
  });
  if (any_busy) return std::nullopt;
  const CompactionOptionsFIFO& fifo = options.compaction_options_fifo;
  const uint64_t excess = bytes - std::min(bytes, fifo.max_table_files_size);
  const Level deepest = DeepestLevel(*version);
  if (deepest > kLevelZero) {
    if (excess > 0) return DeleteFromSorted(version, deepest, excess);
  } else {
    auto plan = DeleteFromLevel0(version, options, excess, now_seconds);
    if (plan) return plan;
  }
  if (!fifo.allow_compaction) return std::nullopt;
  return MergeNewest(version, options, unflushed);
}

}  // namespace tamis
