// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl for programs that copy the files of
// an open database: they list them, and keep them from being deleted. db_wal.cc
// has those for logs.
#include <optional>
#include <utility>

#include "db/base/file_names.h"
#include "db/db_impl.h"
#include "db/manifest/table_path.h"

namespace tamis {

Status DBImpl::DisableFileDeletions() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    obsolete_.Disable();
  }
  wal_archive_.Disable();
  return Status::OK();
}

Status DBImpl::EnableFileDeletions() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    if (!obsolete_.Enable()) {
      return Status::InvalidArgument("EnableFileDeletions",
                                     "file deletions are not disabled");
    }
    scheduler_.PurgeObsoleteFiles();
  }
  wal_archive_.Enable();
  return Status::OK();
}

namespace {

Status CheckTablesAreHere(const DBContext& context,
                          const ColumnFamilySet::View& families) {
  Status status;
  for (const ColumnFamilyPtr& family : families) {
    ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
      if (file->meta.directory == nullptr || !status.ok()) return;
      status = Status::NotSupported(
          TablePath(context, file->meta),
          "GetLiveFiles names only files of the database's directory; "
          "GetLiveFilesStorageInfo has all");
    });
  }
  return status;
}

}  // namespace

Status DBImpl::GetLiveFiles(std::vector<std::string>* files,
                            uint64_t* manifest_bytes, bool flush_memtable) {
  files->clear();
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (flush_memtable) {
    TAMIS_RETURN_IF_ERROR(write_path_.Flush(*versions_.families().view(),
                                            /*wait=*/true,
                                            FlushReason::kGetLiveFiles));
  }
  *manifest_bytes = versions_.ManifestBytes();
  const std::string manifest =
      DescriptorFileName("", versions_.manifest_number());
  if (*manifest_bytes == 0) {
    TAMIS_RETURN_IF_ERROR(context_.fs()->GetFileSize(
        context_.directory + manifest, manifest_bytes));
  }
  TAMIS_RETURN_IF_ERROR(
      CheckTablesAreHere(context_, *versions_.families().view()));
  for (const FileNumber number :
       ColumnFamilySet::TableNumbers(*versions_.families().view())) {
    files->push_back(TableFileName("", number));
  }
  files->push_back(CurrentFileName(""));
  files->push_back(manifest);
  return Status::OK();
}

namespace {

LiveFileStorageInfo FileOf(const DBContext& context, FileType type,
                           const std::string& name, FileNumber number) {
  LiveFileStorageInfo file;
  file.relative_filename = name.substr(1);
  file.directory = context.directory;
  file.file_number = number.value();
  file.file_type = type;
  return file;
}

LiveFileStorageInfo WithContents(LiveFileStorageInfo file,
                                 std::string contents) {
  file.size = contents.size();
  file.replacement_contents = std::move(contents);
  return file;
}

}  // namespace

Status DBImpl::GetLiveFilesStorageInfo(
    const LiveFilesStorageInfoOptions& options,
    std::vector<LiveFileStorageInfo>* files) {
  files->clear();
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const uint64_t limit = options.wal_size_for_flush;
  SequenceNumber flushed = 0;
  TAMIS_RETURN_IF_ERROR(
      FlushBeforeCheckpoint(limit == 0 ? 0 : limit - 1, &flushed));
  std::vector<LiveFileStorageInfo> all;
  {
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
    TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/false));
    TAMIS_RETURN_IF_ERROR(ListLiveFiles(options, &all));
  }
  MutexUnlock unlock(&mutex_);
  // Those of LevelDB have another name.
  for (LiveFileStorageInfo& file : all) {
    const std::string path = file.directory + "/" + file.relative_filename;
    if (file.file_type != kTableFile ||
        !context_.fs()->FileExists(path).IsPathNotFound()) {
      continue;
    }
    std::string alias = LevelDBTableFileName("", FileNumber(file.file_number));
    if (context_.fs()->FileExists(file.directory + alias).ok()) {
      file.relative_filename = alias.substr(1);
    }
  }
  *files = std::move(all);
  return Status::OK();
}

// REQUIRES: the caller leads the write queue.
Status DBImpl::ListLiveFiles(const LiveFilesStorageInfoOptions& options,
                             std::vector<LiveFileStorageInfo>* all) {
  uint64_t manifest_bytes = versions_.ManifestBytes();
  // From here on, the mutex is not released: the parts fit together.
  const FileNumber number = versions_.manifest_number();
  const std::string manifest = DescriptorFileName("", number);
  if (manifest_bytes == 0) {
    TAMIS_RETURN_IF_ERROR(context_.fs()->GetFileSize(
        context_.directory + manifest, &manifest_bytes));
  }
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
      const FileMetaData& meta = file->meta;
      LiveFileStorageInfo& table = all->emplace_back(FileOf(
          context_, kTableFile, TableFileName("", meta.number), meta.number));
      table.directory = TableDirectory(context_, meta);
      table.size = meta.size;
      if (options.include_checksum_info) {
        table.file_checksum = meta.checksum.value;
        table.file_checksum_func_name = meta.checksum.function;
      }
    });
  }
  all->push_back(
      WithContents(FileOf(context_, kCurrentFile, CurrentFileName(""), kNoFile),
                   manifest.substr(1) + "\n"));
  LiveFileStorageInfo& descriptor =
      all->emplace_back(FileOf(context_, kDescriptorFile, manifest, number));
  descriptor.size = manifest_bytes;
  descriptor.trim_to_size = true;
  all->push_back(WithContents(
      FileOf(context_, kOptionsFile, OptionsFileName("", number), number),
      OptionsText()));
  for (const WriteAheadLog::LogFile& log :
       wal_.FilesFrom(versions_.min_log_number_to_keep())) {
    if (log.bytes == 0) continue;
    LiveFileStorageInfo& file = all->emplace_back(
        FileOf(context_, kWalFile, LogFileName("", log.number), log.number));
    file.directory = context_.log_directory();
    file.size = log.bytes;
    file.trim_to_size = log.number == wal_.number();
  }
  return Status::OK();
}

}  // namespace tamis
