// SPDX-License-Identifier: Apache-2.0
//
// DeleteFilesInRanges and DeleteFile drop tables without reading them. Levels
// are searched from the deepest up, so that a table stays if an older one below
// it does. The calls lead the write queue: one at a time, and none beside an
// ingestion.
#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "tamis/convenience.h"

#include "db/base/file_names.h"
#include "db/db_facade.h"

namespace tamis {

namespace {

bool IsIn(const KeyOrder& order, const FileMetaData& file,
          const RangePtr& range, bool include_end) {
  if (range.start != nullptr &&
      order.CompareUserKeys(ExtractUserKey(file.smallest), *range.start) < 0) {
    return false;
  }
  if (range.limit == nullptr) return true;
  const int compared =
      order.CompareUserKeys(ExtractUserKey(file.largest), *range.limit);
  return compared < 0 ||
         (compared == 0 && (include_end || file.ends_in_tombstone()));
}

// Returns whether one of the snapshots, in ascending order, may read the table.
bool MayBeRead(const FileMetaData& file,
               const std::vector<SequenceNumber>& snapshots) {
  return !snapshots.empty() && file.smallest_seqno <= snapshots.back();
}

// Chooses tables of one Version.
class Chooser {
 public:
  Chooser(const Version& version, std::span<const RangePtr> ranges,
          bool include_end, const std::vector<SequenceNumber>& snapshots)
      : version_(version),
        ranges_(ranges),
        include_end_(include_end),
        snapshots_(snapshots) {}

  // Calls choose(level, file) for each. is_busy(number): whether a compaction
  // reads the table.
  template <typename IsBusy, typename Choose>
  void Run(const IsBusy& is_busy, const Choose& choose) {
    for (const Level level : kLevelsDeepestFirst) {
      if (level == kLevelZero) return;
      const LevelFiles& files = version_.files(level);
      for (size_t i = 0; i < files.size();) {
        // Versions of one key, the newest first, may be in several tables.
        const LevelFiles together = version_.SharingKeysWith(level, i);
        i += std::max<size_t>(together.size(), 1);
        if (!std::all_of(together.begin(), together.end(),
                         [&](const TableFilePtr& file) {
                           return !is_busy(file->meta.number) &&
                                  MayGo(level, file->meta);
                         })) {
          continue;
        }
        for (const TableFilePtr& file : together) {
          chosen_.insert(file->meta.number);
          choose(level, file);
        }
      }
    }
  }

 private:
  bool MayGo(Level level, const FileMetaData& file) const {
    if (MayBeRead(file, snapshots_)) return false;
    const bool inside =
        std::any_of(ranges_.begin(), ranges_.end(), [&](const RangePtr& range) {
          return IsIn(version_.order(), file, range, include_end_);
        });
    return inside && !IsAboveWhatStays(level, file);
  }
  bool IsAboveWhatStays(Level level, const FileMetaData& file) const {
    const LevelFiles below = version_.OverlappingBelow(level, file);
    return std::any_of(below.begin(), below.end(),
                       [this](const TableFilePtr& older) {
                         return !chosen_.contains(older->meta.number);
                       });
  }

  const Version& version_;
  const std::span<const RangePtr> ranges_;
  const bool include_end_;
  const std::vector<SequenceNumber>& snapshots_;
  std::set<FileNumber> chosen_;
};

}  // namespace

// Calls choose(edit, files), which fills both, while no job begins; then makes
// the edit durable, and drops the files.
template <typename Choose>
Status DBImpl::DropTables(const ColumnFamilyPtr& family, const Choose& choose) {
  {
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDueForEdit());
    if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
    // A power failure must not leave the deletion without the writes before it.
    TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/true));
    const Scheduler::Hold hold(&scheduler_);
    VersionEdit edit;
    LevelFiles files;
    TAMIS_RETURN_IF_ERROR(choose(&edit, &files));
    if (files.empty()) return Status::OK();
    ++snapshot_holds_;
    const Status status = versions_.LogAndApply(family, &edit);
    --snapshot_holds_;
    scheduler_.changed().notify_all();
    if (!status.ok()) {
      errors_.Set("delete_files", status);
      return status;
    }
    for (const TableFilePtr& file : files) obsolete_.AddTable(file);
    context_.event_log->Event("tables_dropped")
        .Add("family", Slice(family->name()))
        .Add("tables", files.size());
  }
  scheduler_.PurgeObsoleteFiles();
  return Status::OK();
}

Status DBImpl::DeleteFilesInRanges(ColumnFamilyHandle* handle,
                                   const RangePtr* ranges, size_t n,
                                   bool include_end) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return DropTables(family, [&](VersionEdit* edit, LevelFiles* files) {
    mutex_.AssertHeld();
    const std::vector<SequenceNumber> snapshots = snapshots_.All();
    Chooser(*family->version(), {ranges, n}, include_end, snapshots)
        .Run(
            [this](FileNumber number) {
              mutex_.AssertHeld();
              return scheduler_.IsBusy(number);
            },
            [&](Level level, const TableFilePtr& file) {
              edit->deleted_files.emplace_back(level, file->meta.number);
              files->push_back(file);
            });
    return Status::OK();
  });
}

namespace {

constexpr std::string_view kArchivePrefix = "archive/";

// Returns why the versions in the table are not the oldest of their keys; empty
// if they are.
std::string WhatIsOlder(const Version& version, const Version::Place& place) {
  const LevelFiles& files = version.files(place.level);
  if (place.level == kLevelZero) {
    // The newest is the first.
    if (place.index + 1 != files.size()) {
      return "it is not the oldest table of level 0";
    }
  } else if (version.SharingKeysWith(place.level, place.index).size() > 1) {
    return "a neighbour has other versions of one of its keys";
  }
  const LevelFiles below =
      version.OverlappingBelow(place.level, files[place.index]->meta);
  if (below.empty()) return "";
  const FileNumber older = below.front()->meta.number;
  return "table " + older.ToString() + " of level " +
         std::to_string(version.Find(older)->level.value()) +
         " is older and has its range";
}

}  // namespace

Status DBImpl::DeleteFile(const std::string& name) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  std::string_view base = name;
  if (base.starts_with('/')) base.remove_prefix(1);
  const bool archived = base.starts_with(kArchivePrefix);
  if (archived) base.remove_prefix(kArchivePrefix.size());
  const auto parsed = ParseFileName(base);
  if (parsed && parsed->type == FileKind::kLog) {
    if (!archived) {
      return Status::NotSupported(
          name, "it may be needed: expected a table, or a log in archive/");
    }
    const Status status = wal_archive_.Delete(parsed->number);
    return status.IsPathNotFound()
               ? Status::InvalidArgument(name, "there is no such log")
               : status;
  }
  if (!parsed || parsed->type != FileKind::kTable || archived) {
    return Status::InvalidArgument(
        name, "expected the name of a table, or of a log in archive/");
  }
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const auto may_go = [&](const Version& version, const Version::Place& place) {
    mutex_.AssertHeld();
    if (scheduler_.IsBusy(parsed->number)) {
      return Status::Busy(name, "a compaction reads it");
    }
    const std::string older = WhatIsOlder(version, place);
    if (!older.empty()) return Status::InvalidArgument(name, older);
    return MayBeRead(version.files(place.level)[place.index]->meta,
                     snapshots_.All())
               ? Status::InvalidArgument(name, "a snapshot may read it")
               : Status::OK();
  };
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  for (const ColumnFamilyPtr& family : *families) {
    const auto sought = family->version()->Find(parsed->number);
    if (!sought) continue;
    // A table that must stay costs no sync of the log.
    TAMIS_RETURN_IF_ERROR(may_go(*family->version(), *sought));
    return DropTables(family, [&](VersionEdit* edit, LevelFiles* files) {
      mutex_.AssertHeld();
      const Version& version = *family->version();
      const auto found = version.Find(parsed->number);
      if (!found) return Status::InvalidArgument(name, "it is gone meanwhile");
      TAMIS_RETURN_IF_ERROR(may_go(version, *found));
      edit->deleted_files.emplace_back(found->level, parsed->number);
      files->push_back(version.files(found->level)[found->index]);
      return Status::OK();
    });
  }
  return Status::InvalidArgument(name, "there is no such table");
}

Status DeleteFilesInRanges(DB* db, ColumnFamilyHandle* family,
                           const RangePtr* ranges, size_t n, bool include_end) {
  DBFacade* const facade = DBFacade::Of(db);
  return facade != nullptr
             ? facade->DeleteFilesInRanges(family, ranges, n, include_end)
             : Status::InvalidArgument("DeleteFilesInRanges",
                                       "not a database of DB::Open");
}

Status DeleteFilesInRange(DB* db, ColumnFamilyHandle* family,
                          const Slice* begin, const Slice* end,
                          bool include_end) {
  const RangePtr range(begin, end);
  return DeleteFilesInRanges(db, family, &range, 1, include_end);
}

}  // namespace tamis
