// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/trivial_move.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "db/base/numbers.h"
#include "db/compaction/output_partitioner.h"

namespace tamis {

namespace {

// Numbers of the files of level 0 that overlap no other file there.
std::set<FileNumber> FilesApartInLevel0(const Version& version) {
  LevelFiles files = version.files(kLevelZero);
  const KeyOrder& order = version.order();
  std::sort(files.begin(), files.end(),
            [&order](const TableFilePtr& a, const TableFilePtr& b) {
              return order.Compare(a->meta.smallest, b->meta.smallest) < 0;
            });
  const auto begins_behind = [&](const TableFile& file, const TableFile* left) {
    return left == nullptr ||
           version.EndsBefore(*left, ExtractUserKey(file.meta.smallest));
  };
  std::set<FileNumber> apart;
  const TableFile* furthest = nullptr;  // the previous file that ends last
  for (size_t i = 0; i < files.size(); ++i) {
    const TableFile* const file = files[i].get();
    const bool next_is_behind =
        i + 1 == files.size() || begins_behind(*files[i + 1], file);
    if (begins_behind(*file, furthest) && next_is_behind) {
      apart.insert(file->meta.number);
    }
    if (furthest == nullptr ||
        order.Compare(file->meta.largest, furthest->meta.largest) > 0) {
      furthest = file;
    }
  }
  return apart;
}

// Files of the level that overlap `file`.
LevelFiles OverlappingFile(const Version& version, Level level,
                           const TableFile& file) {
  const Slice smallest = ExtractUserKey(file.meta.smallest);
  const Slice largest = ExtractUserKey(file.meta.largest);
  LevelFiles near = version.Overlapping(level, &smallest, &largest);
  // A file that begins at the exclusive end of a tombstone of `file` does not
  // overlap it.
  std::erase_if(near, [&](const TableFilePtr& other) {
    return version.EndsBefore(file, ExtractUserKey(other->meta.smallest));
  });
  return near;
}

// Returns whether a rewrite on request would leave the table as it is: there is
// nothing to drop, to divide, or to merge it with.
bool IsAsRewritten(const TableFile& file, const TableMove& move, bool alone) {
  return alone && move.same_compression_at_bottom &&
         file.meta.has_one_value_each && file.meta.size <= move.table_bytes_max;
}

// Checks everything except overlaps within level 0. `alone`: no other table is
// compacted with it.
bool MayMove(const Version& version, const TableFile& file,
             const TableMove& move, bool alone) {
  if (file.meta.path_id != move.path_id) return false;
  if (!PartitionerAllowsMove(move.partitioner, move.output_level,
                             move.manual || move.due_by_age, file)) {
    return false;
  }
  for (Level level = move.level.Next(); level <= move.output_level; level++) {
    if (!OverlappingFile(version, level, file).empty()) return false;
  }
  if (move.output_level < kLastLevel) {
    uint64_t grandparent_bytes = 0;
    for (const TableFilePtr& below :
         OverlappingFile(version, move.output_level.Next(), file)) {
      grandparent_bytes += below->meta.size;
    }
    if (grandparent_bytes > move.grandparent_bytes_max) return false;
  }
  const bool is_asked_for = move.manual || move.due_by_age;
  if (!is_asked_for && move.same_codec && move.same_codec_at_bottom) {
    return true;
  }
  if (OverlapsBelow(version, move.output_level, file)) return move.same_codec;
  if (move.due_by_age) return false;
  return move.same_codec_at_bottom &&
         (!move.manual || IsAsRewritten(file, move, alone));
}

}  // namespace

bool OverlapsBelow(const Version& version, Level level, const TableFile& file) {
  for (const Level deeper : LevelsBelow(level)) {
    if (!OverlappingFile(version, deeper, file).empty()) return true;
  }
  return false;
}

LevelFiles MovableFiles(const Version& version, const LevelFiles& files,
                        const TableMove& move) {
  if (move.level == move.output_level) return {};
  std::set<FileNumber> apart;
  if (move.level == kLevelZero) apart = FilesApartInLevel0(version);
  LevelFiles movable;
  std::copy_if(
      files.begin(), files.end(), std::back_inserter(movable),
      [&](const TableFilePtr& file) {
        return (move.level > kLevelZero || apart.contains(file->meta.number)) &&
               MayMove(version, *file, move, /*alone=*/files.size() == 1);
      });
  return movable;
}

void DeleteInputs(const Compaction& plan, VersionEdit* edit) {
  plan.ForEachInputLevel([edit](Level level, const LevelFiles& files) {
    for (const TableFilePtr& file : files) {
      edit->deleted_files.emplace_back(level, file->meta.number);
    }
  });
}

VersionEdit EditWithoutTables(const Compaction& plan) {
  TAMIS_CHECK(plan.NeedsNoTables());
  TAMIS_CHECK(plan.output_inputs.empty());
  VersionEdit edit;
  DeleteInputs(plan, &edit);
  if (plan.deletes_inputs) return edit;
  plan.ForEachInput([&](const TableFilePtr& file) {
    edit.new_files.emplace_back(plan.output_level, file->meta);
  });
  return edit;
}

}  // namespace tamis
