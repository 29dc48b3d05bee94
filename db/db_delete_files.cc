// SPDX-License-Identifier: Apache-2.0
//
// DeleteFilesInRanges drops tables without reading them. Levels are searched
// from the deepest up, so that a table stays if an older one below it does. The
// call leads the write queue: one at a time, and none beside an ingestion.
#include <algorithm>
#include <set>
#include <span>

#include "tamis/convenience.h"

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

// Chooses tables of one Version.
class Chooser {
 public:
  Chooser(const Version& version, std::span<const RangePtr> ranges,
          bool include_end, SequenceNumber newest_snapshot)
      : version_(version),
        ranges_(ranges),
        include_end_(include_end),
        newest_snapshot_(newest_snapshot) {}

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
    if (newest_snapshot_ != kNoSnapshot &&
        file.smallest_seqno <= newest_snapshot_) {
      return false;
    }
    const bool inside =
        std::any_of(ranges_.begin(), ranges_.end(), [&](const RangePtr& range) {
          return IsIn(version_.order(), file, range, include_end_);
        });
    return inside && !IsAboveWhatStays(level, file);
  }
  bool IsAboveWhatStays(Level level, const FileMetaData& file) const {
    const Slice smallest = ExtractUserKey(file.smallest);
    const Slice largest = ExtractUserKey(file.largest);
    for (const Level deeper : LevelsBelow(level)) {
      for (const TableFilePtr& below :
           version_.Overlapping(deeper, &smallest, &largest)) {
        if (!chosen_.contains(below->meta.number)) return true;
      }
    }
    return false;
  }

 public:
  static constexpr SequenceNumber kNoSnapshot = UINT64_MAX;

 private:
  const Version& version_;
  const std::span<const RangePtr> ranges_;
  const bool include_end_;
  const SequenceNumber newest_snapshot_;
  std::set<FileNumber> chosen_;
};

}  // namespace

Status DBImpl::DeleteFilesInRanges(ColumnFamilyHandle* handle,
                                   const RangePtr* ranges, size_t n,
                                   bool include_end) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  {
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDueForEdit());
    if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
    // A power failure must not leave the deletion without the writes before it.
    TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/true));
    const Scheduler::Hold hold(&scheduler_);
    const std::vector<SequenceNumber> snapshots = snapshots_.All();
    VersionEdit edit;
    LevelFiles files;
    Chooser(*family->version(), {ranges, n}, include_end,
            snapshots.empty() ? Chooser::kNoSnapshot : snapshots.back())
        .Run(
            [this](FileNumber number) {
              mutex_.AssertHeld();
              return scheduler_.IsBusy(number);
            },
            [&](Level level, const TableFilePtr& file) {
              edit.deleted_files.emplace_back(level, file->meta.number);
              files.push_back(file);
            });
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
