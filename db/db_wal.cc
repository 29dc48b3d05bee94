// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that show the logs: their files, and
// the updates in them.
#include <optional>
#include <utility>

#include "tamis/transaction_log.h"

#include "db/base/file_names.h"
#include "db/db_impl.h"
#include "db/wal/log_list.h"
#include "db/wal/update_iterator.h"
#include "util/stats/perf_counters.h"

namespace tamis {

LogFile::~LogFile() = default;

namespace {

class LogFileImpl final : public LogFile {
 public:
  LogFileImpl(FileNumber number, const DescribedLog& log)
      : number_(number), log_(log) {}
  std::string PathName() const override {
    return log_.archived ? ArchivedLogFileName("", number_)
                         : LogFileName("", number_);
  }
  uint64_t LogNumber() const override { return number_.value(); }
  WalFileType Type() const override {
    return log_.archived ? kArchivedLogFile : kAliveLogFile;
  }
  SequenceNumber StartSequence() const override { return log_.start; }
  uint64_t SizeFileBytes() const override { return log_.bytes; }

 private:
  const FileNumber number_;
  const DescribedLog log_;
};

}  // namespace

// Flushes the log, and returns the files that it needs, oldest first.
Result<std::vector<WriteAheadLog::LogFile>> DBImpl::FlushAndListLogs() {
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
  return wal_.FilesFrom(versions_.min_log_number_to_keep());
}

// Adds the logs before `first`. One that is deleted meanwhile is left out.
Status DBImpl::AddKeptLogs(FileNumber first, VectorLogPtr* files) const {
  const auto kept = ListLogs(context_);
  if (!kept.ok()) return kept.status();
  for (const ListedLog& log : *kept) {
    if (log.number >= first) break;
    // Logs that are not kept are about to be deleted.
    if (!log.archived && !wal_archive_.enabled()) continue;
    const auto described = DescribeLog(context_, log.number);
    if (described.status().IsPathNotFound()) continue;
    if (!described.ok()) return described.status();
    files->push_back(std::make_unique<LogFileImpl>(log.number, *described));
  }
  return Status::OK();
}

Status DBImpl::GetSortedWalFiles(VectorLogPtr* files) {
  files->clear();
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const auto logs = FlushAndListLogs();
  if (!logs.ok()) return logs.status();
  std::optional<ObsoleteFiles::Hold> hold(&obsolete_);
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = AddKeptLogs(logs->front().number, files);
    for (const WriteAheadLog::LogFile& log : *logs) {
      if (!status.ok()) break;
      auto described = DescribeLog(context_, log.number);
      status = described.status();
      if (!status.ok()) break;
      described->bytes = log.bytes;
      files->push_back(std::make_unique<LogFileImpl>(log.number, *described));
    }
  }
  if (!status.ok()) files->clear();
  hold.reset();
  scheduler_.PurgeObsoleteFiles();
  return status;
}

Status DBImpl::GetCurrentWalFile(std::unique_ptr<LogFile>* file) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const auto logs = FlushAndListLogs();
  if (!logs.ok()) return logs.status();
  const WriteAheadLog::LogFile current = logs->back();
  MutexUnlock unlock(&mutex_);
  auto described = DescribeLog(context_, current.number);
  if (!described.ok()) return described.status();
  described->bytes = current.bytes;
  *file = std::make_unique<LogFileImpl>(current.number, *described);
  return Status::OK();
}

Status DBImpl::GetUpdatesSince(SequenceNumber sequence,
                               std::unique_ptr<TransactionLogIterator>* iter) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  RecordTick(context_.statistics(), GET_UPDATES_SINCE_CALLS);
  auto updates = std::make_unique<UpdateIterator>(context_, [this] {
    UpdateIterator::Published published;
    published.last = versions_.last_sequence();
    // A log that failed did so before a later number was published.
    MutexLock lock(&mutex_);
    published.failed = wal_.FailedFiles();
    return published;
  });
  const SequenceNumber last = versions_.last_sequence();
  if (sequence > last) {
    return Status::NotFound(context_.directory,
                            "sequence number " + std::to_string(sequence) +
                                " is not yet written; the last one is " +
                                std::to_string(last));
  }
  TAMIS_RETURN_IF_ERROR(updates->Seek(sequence));
  *iter = std::move(updates);
  return Status::OK();
}

}  // namespace tamis
