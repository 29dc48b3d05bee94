// SPDX-License-Identifier: Apache-2.0
#include "db/version/version.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "db/version/level_iterator.h"

namespace tamis {

// Computes the sums here because they are read far more often than a version is
// made.
Version::Version(const KeyOrder& order, const TableCache* tables, Levels levels)
    : order_(order), tables_(tables), levels_(std::move(levels)) {
  bool marked = false;  // a file above, or of, the level
  for (const Level level : kLevels) {
    if (!levels_[level].empty()) has_marked_files_ = marked;
    for (const TableFilePtr& file : levels_[level]) {
      level_bytes_[level] += file->meta.size;
      file->SetLevel(level);
      largest_epoch_ = std::max(largest_epoch_, file->meta.epoch_number);
      marked = marked || file->meta.marked_for_compaction;
    }
    indexes_.emplace_back(order, levels_[level]);
    if (level > kLevelZero && !levels_[level].empty()) {
      sorted_levels_.push_back(level);
    }
  }
  for (const TableFilePtr& file : levels_[kLevelZero]) {
    newest_.emplace_back(order, std::span<const TableFilePtr>(&file, 1));
  }
}

size_t Version::NumFiles() const {
  size_t count = 0;
  for (const LevelFiles& level : levels_) count += level.size();
  return count;
}

void Version::AddIterators(
    const ReadContext& context, RangeDelAggregator* tombstones,
    std::vector<std::unique_ptr<InternalIterator>>* out) const {
  ReadContext here = context;
  here.level = kLevelZero.value();
  for (const LevelIndex& of_file : newest_) {
    out->push_back(NewLevelIterator(of_file, tables_, here, tombstones));
  }
  for (const Level level : LevelsBelow(kLevelZero)) {
    here.level = level.value();
    if (!files(level).empty()) {
      out->push_back(NewLevelIterator(index(level), tables_, here, tombstones));
    }
  }
}

bool Version::Overlaps(const TableFile& file, const Slice* begin,
                       const Slice* end) const {
  return (begin == nullptr || !EndsBefore(file, *begin)) &&
         (end == nullptr || order_.CompareUserKeys(
                                ExtractUserKey(file.meta.smallest), *end) <= 0);
}

LevelFiles Version::Overlapping(Level level, const Slice* begin,
                                const Slice* end) const {
  return level == kLevelZero ? OverlappingLevel0(begin, end)
                             : OverlappingSorted(files(level), begin, end);
}

LevelFiles Version::OverlappingBelow(Level level,
                                     const FileMetaData& file) const {
  const Slice smallest = ExtractUserKey(file.smallest);
  const Slice largest = ExtractUserKey(file.largest);
  LevelFiles all;
  for (const Level deeper : LevelsBelow(level)) {
    LevelFiles of_level = Overlapping(deeper, &smallest, &largest);
    std::move(of_level.begin(), of_level.end(), std::back_inserter(all));
  }
  return all;
}

std::optional<Version::Place> Version::Find(FileNumber number) const {
  for (const Level level : kLevels) {
    const LevelFiles& of_level = files(level);
    for (size_t i = 0; i < of_level.size(); ++i) {
      if (of_level[i]->meta.number == number) return Place{level, i};
    }
  }
  return std::nullopt;
}

// Each chosen file extends the range. Repeats until no file extends it.
LevelFiles Version::OverlappingLevel0(const Slice* begin,
                                      const Slice* end) const {
  LevelFiles chosen;
  Slice low = begin != nullptr ? *begin : Slice();
  Slice high = end != nullptr ? *end : Slice();
  const Slice* first = begin != nullptr ? &low : nullptr;
  const Slice* last = end != nullptr ? &high : nullptr;
  for (;;) {
    chosen.clear();
    bool grew = false;
    for (const TableFilePtr& file : files(kLevelZero)) {
      if (!Overlaps(*file, first, last)) continue;
      chosen.push_back(file);
      const Slice smallest = ExtractUserKey(file->meta.smallest);
      const Slice largest = ExtractUserKey(file->meta.largest);
      if (first != nullptr && order_.CompareUserKeys(smallest, low) < 0) {
        low = smallest;
        grew = true;
      }
      if (last != nullptr && order_.CompareUserKeys(largest, high) > 0) {
        high = largest;
        grew = true;
      }
    }
    if (!grew) return chosen;
  }
}

// A level may have tens of thousands of files: no step visits all of them.
LevelFiles Version::OverlappingSorted(const LevelFiles& sorted,
                                      const Slice* begin,
                                      const Slice* end) const {
  auto from = sorted.begin();
  if (begin != nullptr) from = FirstReaching(sorted, *begin);
  auto to = sorted.end();
  if (end != nullptr) {
    to = std::upper_bound(from, sorted.end(), *end,
                          [this](const Slice& key, const TableFilePtr& file) {
                            return order_.CompareUserKeys(
                                       key,
                                       ExtractUserKey(file->meta.smallest)) < 0;
                          });
  }
  if (from == to) return {};
  return WithSharedKeys(sorted, from, to);
}

LevelFiles Version::SharingKeysWith(Level level, size_t i) const {
  TAMIS_DCHECK(level > kLevelZero);
  const LevelFiles& sorted = files(level);
  TAMIS_DCHECK(i < sorted.size());
  const auto at = sorted.begin() + static_cast<ptrdiff_t>(i);
  return WithSharedKeys(sorted, at, at + 1);
}

LevelFiles Version::WithSharedKeys(const LevelFiles& sorted,
                                   LevelFiles::const_iterator from,
                                   LevelFiles::const_iterator to) const {
  TAMIS_DCHECK(from < to);
  // The versions of a user key may continue in the next file.
  const auto share_a_key = [this](const TableFilePtr& a,
                                  const TableFilePtr& b) {
    return !EndsBefore(*a, ExtractUserKey(b->meta.smallest));
  };
  while (from != sorted.begin() && share_a_key(*(from - 1), *from)) --from;
  while (to != sorted.end() && share_a_key(*(to - 1), *to)) ++to;
  return {from, to};
}

bool Version::EndsBefore(const TableFile& file, const Slice& user_key) const {
  const int c =
      order_.CompareUserKeys(ExtractUserKey(file.meta.largest), user_key);
  return c < 0 || (c == 0 && file.meta.ends_in_tombstone());
}

// Returns the first file that does not end before the key.
LevelFiles::const_iterator Version::FirstReaching(const LevelFiles& sorted,
                                                  const Slice& user_key) const {
  return std::lower_bound(sorted.begin(), sorted.end(), user_key,
                          [this](const TableFilePtr& file, const Slice& key) {
                            return EndsBefore(*file, key);
                          });
}

bool Version::MayExistBelow(Level level, const Slice& user_key) const {
  for (const Level deeper : LevelsBelow(level)) {
    const LevelFiles& sorted = files(deeper);
    const auto it = FirstReaching(sorted, user_key);
    if (it != sorted.end() &&
        order_.CompareUserKeys(user_key,
                               ExtractUserKey((*it)->meta.smallest)) >= 0) {
      return true;
    }
  }
  return false;
}

bool Version::MayOverlapBelow(Level level, const Slice& begin,
                              const Slice& end) const {
  for (const Level deeper : LevelsBelow(level)) {
    const LevelFiles& sorted = files(deeper);
    const auto it = FirstReaching(sorted, begin);
    if (it != sorted.end() &&
        order_.CompareUserKeys(end, ExtractUserKey((*it)->meta.smallest)) > 0) {
      return true;
    }
  }
  return false;
}

std::string Version::DebugString() const {
  std::string text;
  std::optional<Level> shown;
  ForEachFile(*this, [&](Level level, const TableFilePtr& file) {
    if (level != shown) text += "level " + level.ToString() + "\n";
    shown = level;
    text += "  " + file->meta.DebugString() + "\n";
  });
  return text;
}

namespace {

template <typename Figure>
std::string ByLevel(const Version& version, const Figure& figure) {
  std::string text;
  std::string pending;
  for (const Level level : kLevels) {
    pending += (level == kLevelZero ? "" : ",") + std::to_string(figure(level));
    if (level == kLevelZero || !version.files(level).empty()) text = pending;
  }
  return text;
}

}  // namespace

std::string TablesByLevel(const Version& version) {
  return ByLevel(version,
                 [&](Level level) { return version.files(level).size(); });
}

std::string BytesByLevel(const Version& version) {
  return ByLevel(version,
                 [&](Level level) { return version.LevelBytes(level); });
}

}  // namespace tamis
