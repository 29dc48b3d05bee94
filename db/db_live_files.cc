// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl for programs that copy the files of
// an open database: they list them, and keep them from being deleted.
#include <algorithm>
#include <optional>
#include <utility>

#include "tamis/transaction_log.h"

#include "db/base/file_names.h"
#include "db/db_impl.h"
#include "db/wal/log_reader.h"
#include "util/coding/coding.h"

namespace tamis {

LogFile::~LogFile() = default;

namespace {

class LogFileImpl final : public LogFile {
 public:
  LogFileImpl(FileNumber number, SequenceNumber start, uint64_t bytes)
      : number_(number), start_(start), bytes_(bytes) {}
  std::string PathName() const override { return LogFileName("", number_); }
  uint64_t LogNumber() const override { return number_.value(); }
  WalFileType Type() const override { return kAliveLogFile; }
  SequenceNumber StartSequence() const override { return start_; }
  uint64_t SizeFileBytes() const override { return bytes_; }

 private:
  const FileNumber number_;
  const SequenceNumber start_;
  const uint64_t bytes_;
};

// The sequence number of the first record with entries; 0 if there is none.
Result<SequenceNumber> StartOf(FileSystem* fs, const std::string& path,
                               FileNumber number) {
  const auto reader = LogReader::Open(fs, path, number, LogKind::kWal);
  if (!reader.ok()) return reader.status();
  std::string record;
  while ((*reader)->ReadRecord(&record) == LogReader::Outcome::kRecord) {
    if (record.size() < WriteBatchInternal::kHeaderBytes) break;
    if (DecodeFixed32(record.data() + sizeof(uint64_t)) > 0) {
      return SequenceNumber{DecodeFixed64(record.data())};
    }
  }
  return SequenceNumber{0};
}

}  // namespace

Status DBImpl::DisableFileDeletions() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  obsolete_.Disable();
  return Status::OK();
}

Status DBImpl::EnableFileDeletions() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (!obsolete_.Enable()) {
    return Status::InvalidArgument("EnableFileDeletions",
                                   "file deletions are not disabled");
  }
  scheduler_.PurgeObsoleteFiles();
  return Status::OK();
}

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
  for (const FileNumber number :
       ColumnFamilySet::TableNumbers(*versions_.families().view())) {
    files->push_back(TableFileName("", number));
  }
  files->push_back(CurrentFileName(""));
  files->push_back(manifest);
  return Status::OK();
}

Status DBImpl::GetSortedWalFiles(VectorLogPtr* files) {
  files->clear();
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  std::vector<WriteAheadLog::LogFile> logs;
  std::optional<ObsoleteFiles::Hold> hold;
  {
    std::optional<WriteBarrier> barrier;
    if (wal_locks_ == 0) {
      barrier.emplace(&write_path_.queue(), context_.runner());
    }
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    if (barrier) {
      TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
      TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/false));
    } else if (!errors_.ok()) {  // LockWAL flushed the log
      return errors_.error();
    }
    logs = wal_.FilesFrom(versions_.min_log_number_to_keep());
    hold.emplace(&obsolete_);
  }
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    for (const WriteAheadLog::LogFile& log : logs) {
      const auto start =
          StartOf(context_.fs(), LogFileName(context_.directory, log.number),
                  log.number);
      status = start.status();
      if (!status.ok()) break;
      files->push_back(
          std::make_unique<LogFileImpl>(log.number, *start, log.bytes));
    }
  }
  if (!status.ok()) files->clear();
  hold.reset();
  scheduler_.PurgeObsoleteFiles();
  return status;
}

}  // namespace tamis
