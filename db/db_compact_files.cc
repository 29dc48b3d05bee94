// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls with which users direct compactions: of files
// that they name, of ranges when there is time, moves of level 0, and whether
// compactions start by themselves.
#include <algorithm>
#include <string_view>
#include <utility>

#include "tamis/experimental.h"
#include "tamis/listener.h"

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/base/table_paths.h"
#include "db/db_impl.h"

namespace tamis {

namespace {

constexpr const char* kCompactFiles = "CompactFiles";

Status CheckLevelOf(const char* call, const ColumnFamilyOptions& options,
                    int lowest, int level) {
  const int deepest = DeepestForIngestion(options).value();
  if (level >= lowest && level <= deepest) return Status::OK();
  return Status::InvalidArgument(
      call, "the output level is " + std::to_string(level) + "; allowed is " +
                std::to_string(lowest) + " to " + std::to_string(deepest));
}

// -1 leaves the choice to the compaction.
Status CheckOutputPath(const ColumnFamilyOptions& options, int path_id) {
  constexpr char kWhat[] = "CompactFiles: output_path_id";
  if (path_id >= 0) {
    return CheckPathId(kWhat, options, static_cast<uint64_t>(path_id));
  }
  if (path_id == -1) return Status::OK();
  return Status::InvalidArgument(
      kWhat, "it is " + std::to_string(path_id) + "; allowed is -1 or more");
}

Status CheckCompactionOptions(const CompactionOptions& options) {
  if (options.output_file_size_limit == 0) {
    return Status::InvalidArgument("CompactionOptions::output_file_size_limit",
                                   "it is 0; expected at least 1");
  }
  if (options.max_subcompactions > 1024) {
    return Status::InvalidArgument(
        "CompactionOptions::max_subcompactions",
        "it is " + std::to_string(options.max_subcompactions) +
            "; allowed is 0 to 1024");
  }
  return options.compression == kDisableCompressionOption
             ? Status::OK()
             : CheckCodec("CompactionOptions::compression",
                          options.compression);
}

// "/000012.sst", "000012.sst", or with a path before it.
Result<std::vector<FileNumber>> NumbersOf(
    const std::vector<std::string>& names) {
  if (names.empty()) {
    return Status::InvalidArgument(kCompactFiles, "no file is named");
  }
  std::vector<FileNumber> numbers;
  for (const std::string& name : names) {
    const auto parsed = ParseFileName(
        std::string_view(name).substr(name.find_last_of('/') + 1));
    if (!parsed || parsed->type != FileKind::kTable) {
      return Status::InvalidArgument(name, "expected the name of a table");
    }
    numbers.push_back(parsed->number);
  }
  return numbers;
}

}  // namespace

Status DBImpl::CompactFiles(const CompactionOptions& options,
                            ColumnFamilyHandle* handle,
                            const std::vector<std::string>& names,
                            int output_level, int output_path_id,
                            std::vector<std::string>* outputs,
                            CompactionJobInfo* info) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  TAMIS_RETURN_IF_ERROR(CheckCompactionOptions(options));
  auto numbers = NumbersOf(names);
  if (!numbers.ok()) return numbers.status();
  FilesRequest request;
  request.files = std::move(numbers).value();
  request.output_file_bytes_max = options.output_file_size_limit;
  if (options.compression != kDisableCompressionOption) {
    request.compression = options.compression;
  }
  const ColumnFamilyPtr family = FamilyOf(handle);
  CompactionJobInfo done;
  Status status;
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
    TAMIS_RETURN_IF_ERROR(
        CheckLevelOf(kCompactFiles, family->options(), 0, output_level));
    TAMIS_RETURN_IF_ERROR(CheckOutputPath(family->options(), output_path_id));
    request.output_level = Level{output_level};
    if (output_path_id >= 0) {
      request.path_id = static_cast<uint8_t>(output_path_id);
    }
    status = scheduler_.CompactFiles(family, request,
                                     options.max_subcompactions, &done);
    if (family->dropped()) status = Status::ColumnFamilyDropped(family->name());
  }
  if (outputs != nullptr) *outputs = done.output_files;
  if (info != nullptr) {
    done.status = status;
    *info = std::move(done);
  }
  return status;
}

Status DBImpl::SuggestCompactRange(ColumnFamilyHandle* handle,
                                   const Slice* begin, const Slice* end) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  if (family->options().compaction_style != kCompactionStyleLevel) {
    return Status::NotSupported("SuggestCompactRange",
                                "the style is not kCompactionStyleLevel");
  }
  const VersionPtr& version = family->version();
  const auto deepest =
      std::find_if(kLevelsDeepestFirst.begin(), kLevelsDeepestFirst.end(),
                   [&](Level level) { return !version->files(level).empty(); });
  if (deepest == kLevelsDeepestFirst.end()) return Status::OK();
  for (Level level = kLevelZero; level < *deepest; level++) {
    for (const TableFilePtr& file : version->Overlapping(level, begin, end)) {
      family->marked_files().insert(file->meta.number);
    }
  }
  scheduler_.MaybeSchedule();
  return Status::OK();
}

Status DBImpl::PromoteL0(ColumnFamilyHandle* handle, int target_level) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  if (family->options().compaction_style == kCompactionStyleFIFO) {
    return Status::NotSupported("PromoteL0",
                                "kCompactionStyleFIFO has only level 0");
  }
  TAMIS_RETURN_IF_ERROR(
      CheckLevelOf("PromoteL0", family->options(), 1, target_level));
  const Status status = scheduler_.PromoteLevel0(family, Level{target_level});
  return family->dropped() ? Status::ColumnFamilyDropped(family->name())
                           : status;
}

Status DBImpl::EnableAutoCompaction(
    const std::vector<ColumnFamilyHandle*>& handles) {
  Status first;
  for (ColumnFamilyHandle* handle : handles) {
    Status status = SetOptions(handle, {{"disable_auto_compactions", "false"}});
    if (first.ok()) first = std::move(status);
  }
  return first;
}

namespace experimental {

Status SuggestCompactRange(DB* db, ColumnFamilyHandle* family,
                           const Slice* begin, const Slice* end) {
  return db != nullptr
             ? db->SuggestCompactRange(family, begin, end)
             : Status::InvalidArgument("SuggestCompactRange", "db is nullptr");
}

Status SuggestCompactRange(DB* db, const Slice* begin, const Slice* end) {
  return db != nullptr
             ? db->SuggestCompactRange(db->DefaultColumnFamily(), begin, end)
             : Status::InvalidArgument("SuggestCompactRange", "db is nullptr");
}

Status PromoteL0(DB* db, ColumnFamilyHandle* family, int target_level) {
  return db != nullptr ? db->PromoteL0(family, target_level)
                       : Status::InvalidArgument("PromoteL0", "db is nullptr");
}

}  // namespace experimental

}  // namespace tamis
