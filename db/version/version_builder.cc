// SPDX-License-Identifier: Apache-2.0
#include "db/version/version_builder.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

namespace tamis {

namespace {

// Orders level 0 as every RocksDB release does: newest first, by sequence
// number. Epoch numbers give the same order of tables that share keys, as
// CheckVersion verifies.
bool NewerThan(const TableFilePtr& a, const TableFilePtr& b) {
  const FileMetaData& x = a->meta;
  const FileMetaData& y = b->meta;
  if (x.largest_seqno != y.largest_seqno) {
    return x.largest_seqno > y.largest_seqno;
  }
  if (x.smallest_seqno != y.smallest_seqno) {
    return x.smallest_seqno > y.smallest_seqno;
  }
  return x.number > y.number;
}

std::string Describe(Level level, const FileMetaData& file) {
  return "table " + file.number.ToString() + " at level " + level.ToString() +
         " [" + PrintableInternalKey(file.smallest) + " .. " +
         PrintableInternalKey(file.largest) + "] seqnos [" +
         std::to_string(file.smallest_seqno) + ", " +
         std::to_string(file.largest_seqno) + "]";
}

Status CheckFile(const KeyOrder& order, Level level, const FileMetaData& file) {
  if (file.smallest.size() < kInternalKeyTailBytes ||
      file.largest.size() < kInternalKeyTailBytes) {
    return Status::Corruption(
        "table " + file.number.ToString(),
        "its bounds in the MANIFEST are shorter than an internal key");
  }
  if (order.Compare(file.smallest, file.largest) > 0) {
    return Status::Corruption(Describe(level, file), "bounds out of order");
  }
  if (file.smallest_seqno > file.largest_seqno) {
    return Status::Corruption(Describe(level, file),
                              "sequence numbers out of order");
  }
  if (file.size == 0) {
    return Status::Corruption(Describe(level, file), "a table of 0 bytes");
  }
  // The next flush needs a higher epoch.
  if (file.epoch_number == kEpochNumberMax) {
    return Status::Corruption(Describe(level, file),
                              "expected an epoch below 2^64-1");
  }
  return Status::OK();
}

bool MayShareKeys(const KeyOrder& order, const FileMetaData& a,
                  const FileMetaData& b) {
  return order.CompareUserKeys(ExtractUserKey(a.largest),
                               ExtractUserKey(b.smallest)) >= 0 &&
         order.CompareUserKeys(ExtractUserKey(b.largest),
                               ExtractUserKey(a.smallest)) >= 0;
}

// Epochs may contradict the order of files[i] and newer files with which it
// shares no keys: an ingested table may be newer than what is in memory, and
// flushed later, beside it or around it. In the second case, only sequence
// numbers tell the order, and they are right.
Status CheckEpoch(const KeyOrder& order, const LevelFiles& files, size_t i) {
  const FileMetaData& older = files[i]->meta;
  for (size_t n = 0; n < i; ++n) {
    const FileMetaData& newer = files[n]->meta;
    if (newer.epoch_number == kUnknownEpoch ||
        newer.epoch_number > older.epoch_number ||
        newer.smallest_seqno == newer.largest_seqno ||  // ingested
        !MayShareKeys(order, newer, older)) {
      continue;
    }
    return Status::Corruption(
        Describe(kLevelZero, newer),
        "its epoch " + newer.epoch_number.ToString() + " is not above epoch " +
            older.epoch_number.ToString() + " of the older " +
            Describe(kLevelZero, older));
  }
  return Status::OK();
}

Status CheckLevel0(const KeyOrder& order, const LevelFiles& files) {
  EpochNumber lowest = kEpochNumberMax;  // of the newer files
  for (size_t i = 1; i < files.size(); ++i) {
    const FileMetaData& newer = files[i - 1]->meta;
    const FileMetaData& older = files[i]->meta;
    const bool ingested = older.smallest_seqno == older.largest_seqno;
    // Tables that were ingested beside a memtable, and merged, lie within its
    // sequence numbers. They share no keys with it.
    const bool beside = newer.epoch_number != kUnknownEpoch &&
                        older.epoch_number != kUnknownEpoch &&
                        newer.epoch_number > older.epoch_number &&
                        !MayShareKeys(order, newer, older);
    const bool in_order =
        ingested ? (older.smallest_seqno == 0 ||
                    older.smallest_seqno < newer.largest_seqno)
                 : (newer.smallest_seqno > older.smallest_seqno || beside);
    if (!in_order) {
      return Status::Corruption(Describe(kLevelZero, newer),
                                "its sequence numbers nest with those of " +
                                    Describe(kLevelZero, older));
    }
    if (newer.epoch_number != kUnknownEpoch) {
      lowest = std::min(lowest, newer.epoch_number);
    }
    if (older.epoch_number != kUnknownEpoch && older.epoch_number >= lowest) {
      TAMIS_RETURN_IF_ERROR(CheckEpoch(order, files, i));
    }
  }
  return Status::OK();
}

Status CheckSortedLevel(const KeyOrder& order, Level level,
                        const LevelFiles& files) {
  for (size_t i = 1; i < files.size(); ++i) {
    if (order.Compare(files[i - 1]->meta.largest, files[i]->meta.smallest) >=
        0) {
      return Status::Corruption(Describe(level, files[i - 1]->meta),
                                "overlaps " + Describe(level, files[i]->meta));
    }
  }
  return Status::OK();
}

Status CheckLevel(const Version& version, Level level) {
  return level == kLevelZero
             ? CheckLevel0(version.order(), version.files(kLevelZero))
             : CheckSortedLevel(version.order(), level, version.files(level));
}

}  // namespace

Status CheckVersion(const Version& version) {
  for (const Level level : kLevels) {
    for (const TableFilePtr& file : version.files(level)) {
      TAMIS_RETURN_IF_ERROR(CheckFile(version.order(), level, file->meta));
    }
    TAMIS_RETURN_IF_ERROR(CheckLevel(version, level));
  }
  return Status::OK();
}

VersionBuilder::VersionBuilder(const KeyOrder& order, const TableCache* tables,
                               const Version* base)
    : order_(order), tables_(tables), base_(base) {}

VersionBuilder::FilesByNumber VersionBuilder::FindInBase(
    const VersionEdit& edit) const {
  FilesByNumber found;
  if (base_ == nullptr) return found;
  std::unordered_set<FileNumber> wanted;
  for (const auto& [level, number] : edit.deleted_files) wanted.insert(number);
  for (const auto& [level, meta] : edit.new_files) wanted.insert(meta.number);
  for (const Level level : kLevels) {
    for (const TableFilePtr& file : base_->files(level)) {
      const FileNumber number = file->meta.number;
      if (wanted.contains(number) && !removed_.contains(number)) {
        found.emplace(number, Placed{level, file});
      }
    }
  }
  return found;
}

TableFilePtr VersionBuilder::Remove(Level level, FileNumber number,
                                    FilesByNumber* in_base) {
  const auto added = added_.find(number);
  if (added != added_.end()) {
    if (added->second.level != level) return nullptr;
    return std::move(added_.extract(added).mapped().file);
  }
  const auto based = in_base->find(number);
  if (based == in_base->end() || based->second.level != level) return nullptr;
  removed_.emplace(number, level);
  return std::move(in_base->extract(based).mapped().file);
}

TableFilePtr VersionBuilder::NewFile(FileMetaData meta) const {
  if (tables_ == nullptr)
    return std::make_shared<const TableFile>(std::move(meta));
  meta.path_id = tables_->paths().PathOf(meta.path_id);
  meta.directory = tables_->paths().directory(meta.path_id);
  return std::make_shared<const TableFile>(std::move(meta), tables_->lookups());
}

Status VersionBuilder::Apply(const VersionEdit& edit) {
  FilesByNumber in_base = FindInBase(edit);
  std::map<FileNumber, TableFilePtr> removed;  // a moved file keeps its reader
  for (const auto& [level, number] : edit.deleted_files) {
    TableFilePtr file = Remove(level, number, &in_base);
    if (file == nullptr) {
      const auto added = added_.find(number);
      const auto based = in_base.find(number);
      std::optional<Level> at;
      if (added != added_.end()) {
        at = added->second.level;
      } else if (based != in_base.end()) {
        at = based->second.level;
      }
      return Status::Corruption(
          "an edit deletes table " + number.ToString() + " from level " +
              level.ToString(),
          at ? "it is at level " + at->ToString() : "no such table exists");
    }
    removed[number] = std::move(file);
  }
  for (const auto& [level, meta] : edit.new_files) {
    if (!IsLevel(level)) {
      return Status::InvalidArgument(
          "an edit adds table " + meta.number.ToString() + " at level " +
              level.ToString(),
          "there are " + std::to_string(kNumLevels) + " levels");
    }
    const auto moved = removed.find(meta.number);
    TableFilePtr file = moved != removed.end() ? moved->second : NewFile(meta);
    if (in_base.contains(meta.number) ||
        !added_.emplace(meta.number, Placed{level, std::move(file)}).second) {
      return Status::Corruption(
          "an edit adds table " + meta.number.ToString() + " twice",
          "at level " + level.ToString());
    }
  }
  return Status::OK();
}

Result<VersionPtr> VersionBuilder::Build() const {
  Version::Levels levels;
  PerLevel<bool> touched{};
  for (const auto& [number, level] : removed_) touched[level] = true;
  Version::Levels fresh;
  for (const auto& [number, placed] : added_) {
    TAMIS_CHECK(placed.file != nullptr);
    TAMIS_CHECK(placed.file->meta.number == number);
    TAMIS_RETURN_IF_ERROR(CheckFile(order_, placed.level, placed.file->meta));
    fresh[placed.level].push_back(placed.file);
  }
  const auto by_key = [this](const TableFilePtr& a, const TableFilePtr& b) {
    return order_.Compare(a->meta.smallest, b->meta.smallest) < 0;
  };
  for (const Level level : kLevels) {
    touched[level] = touched[level] || !fresh[level].empty();
    LevelFiles& files = levels[level];
    if (base_ != nullptr) files = base_->files(level);
    if (!touched[level]) continue;
    std::erase_if(files, [this](const TableFilePtr& file) {
      return removed_.contains(file->meta.number);
    });
    const auto middle = static_cast<ptrdiff_t>(files.size());
    files.insert(files.end(), fresh[level].begin(), fresh[level].end());
    const auto merge = [&](const auto& before) {
      std::sort(files.begin() + middle, files.end(), before);
      std::inplace_merge(files.begin(), files.begin() + middle, files.end(),
                         before);
    };
    level == kLevelZero ? merge(NewerThan) : merge(by_key);
  }
  auto version =
      std::make_shared<const Version>(order_, tables_, std::move(levels));
  for (const Level level : kLevels) {
    if (!touched[level]) continue;
    TAMIS_RETURN_IF_ERROR(CheckLevel(*version, level));
  }
  return VersionPtr(std::move(version));
}

}  // namespace tamis
