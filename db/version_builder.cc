// SPDX-License-Identifier: Apache-2.0
#include "db/version_builder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tamis {

namespace {

// Level 0, newest first. By sequence, which every release agrees on; epochs
// rise with it in all that we write, and CheckVersion holds us to that.
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

std::string Describe(int level, const FileMetaData& file) {
  return "table " + std::to_string(file.number) + " at level " +
         std::to_string(level) + " [" + InternalKeyToString(file.smallest) +
         " .. " + InternalKeyToString(file.largest) + "] seqnos [" +
         std::to_string(file.smallest_seqno) + ", " +
         std::to_string(file.largest_seqno) + "]";
}

Status CheckFile(const KeyOrder& order, int level, const FileMetaData& file) {
  if (file.smallest.size() < kInternalKeyTailBytes ||
      file.largest.size() < kInternalKeyTailBytes) {
    return Status::Corruption(
        "table " + std::to_string(file.number),
        "its bounds in the MANIFEST are shorter than an internal key");
  }
  if (order.Compare(file.smallest, file.largest) > 0) {
    return Status::Corruption(Describe(level, file), "bounds out of order");
  }
  if (file.smallest_seqno > file.largest_seqno) {
    return Status::Corruption(Describe(level, file), "seqnos out of order");
  }
  return Status::OK();
}

Status CheckLevel0(const LevelFiles& files) {
  for (size_t i = 1; i < files.size(); ++i) {
    const FileMetaData& newer = files[i - 1]->meta;
    const FileMetaData& older = files[i]->meta;
    const bool ingested = older.smallest_seqno == older.largest_seqno;
    const bool in_order = ingested
                              ? (older.smallest_seqno == 0 ||
                                 older.smallest_seqno < newer.largest_seqno)
                              : newer.smallest_seqno > older.smallest_seqno;
    if (!in_order) {
      return Status::Corruption(
          Describe(0, newer),
          "its sequence numbers nest with those of " + Describe(0, older));
    }
    if (newer.epoch_number != 0 && older.epoch_number != 0 &&
        newer.epoch_number <= older.epoch_number) {
      return Status::Corruption(
          Describe(0, newer),
          "its epoch " + std::to_string(newer.epoch_number) +
              " is not above epoch " + std::to_string(older.epoch_number) +
              " of the older " + Describe(0, older));
    }
  }
  return Status::OK();
}

Status CheckSortedLevel(const KeyOrder& order, int level,
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

}  // namespace

Status CheckVersion(const Version& version) {
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version.files(level)) {
      TAMIS_RETURN_IF_ERROR(CheckFile(version.order(), level, file->meta));
    }
    TAMIS_RETURN_IF_ERROR(level == 0 ? CheckLevel0(version.files(0))
                                     : CheckSortedLevel(version.order(), level,
                                                        version.files(level)));
  }
  return Status::OK();
}

VersionBuilder::VersionBuilder(const KeyOrder& order, const TableCache* tables,
                               const Version* base)
    : order_(order), tables_(tables) {
  if (base == nullptr) return;
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : base->files(level)) {
      files_[static_cast<size_t>(level)][file->meta.number] = file;
      level_of_[file->meta.number] = level;
    }
  }
}

Status VersionBuilder::Apply(const VersionEdit& edit) {
  std::map<uint64_t, TableFilePtr> removed;  // a moved file keeps its reader
  for (const auto& [level, number] : edit.deleted_files) {
    const auto found = level_of_.find(number);
    if (found == level_of_.end() || found->second != level) {
      return Status::Corruption(
          "an edit deletes table " + std::to_string(number) + " from level " +
              std::to_string(level),
          found == level_of_.end()
              ? "there is no such table"
              : "it is at level " + std::to_string(found->second));
    }
    auto& files = files_[static_cast<size_t>(level)];
    removed[number] = std::move(files[number]);
    files.erase(number);
    level_of_.erase(found);
  }
  for (const auto& [level, meta] : edit.new_files) {
    if (level < 0 || level >= kNumLevels) {
      return Status::InvalidArgument(
          "an edit adds table " + std::to_string(meta.number) + " at level " +
              std::to_string(level),
          "there are " + std::to_string(kNumLevels) + " levels");
    }
    if (!level_of_.emplace(meta.number, level).second) {
      return Status::Corruption(
          "an edit adds table " + std::to_string(meta.number) + " twice",
          "at level " + std::to_string(level));
    }
    const auto moved = removed.find(meta.number);
    files_[static_cast<size_t>(level)][meta.number] =
        moved != removed.end() ? std::move(moved->second)
                               : std::make_shared<const TableFile>(meta);
  }
  return Status::OK();
}

Result<VersionPtr> VersionBuilder::Build() const {
  Version::Levels levels;
  for (size_t level = 0; level < levels.size(); ++level) {
    for (const auto& [number, file] : files_[level]) {
      TAMIS_RETURN_IF_ERROR(
          CheckFile(order_, static_cast<int>(level), file->meta));
      levels[level].push_back(file);
    }
    if (level == 0) {
      std::sort(levels[0].begin(), levels[0].end(), NewerThan);
    } else {
      std::sort(levels[level].begin(), levels[level].end(),
                [this](const TableFilePtr& a, const TableFilePtr& b) {
                  return order_.Compare(a->meta.smallest, b->meta.smallest) < 0;
                });
    }
  }
  auto version =
      std::make_shared<const Version>(order_, tables_, std::move(levels));
  TAMIS_RETURN_IF_ERROR(CheckVersion(*version));
  return VersionPtr(std::move(version));
}

}  // namespace tamis
