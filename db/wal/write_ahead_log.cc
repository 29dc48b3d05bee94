// SPDX-License-Identifier: Apache-2.0
#include "db/wal/write_ahead_log.h"

#include <algorithm>
#include <utility>

#include "util/base/exceptions.h"
#include "util/coding/coding.h"
#include "util/io/file_io.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

Status WriteAheadLog::NewLog(FileNumber number,
                             std::unique_ptr<LogWriter>* log) const {
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(file_io::Create(
      context_.fs(), LogFileName(context_.log_directory(), number),
      {.role = FileRole::kLog}, &file));
  *log = std::make_unique<LogWriter>(std::move(file), number,
                                     LogWriter::Style::kInPlace,
                                     context_.options.wal_compression);
  return Status::OK();
}

Status WriteAheadLog::AppendRecord(const Record& record) {
  TAMIS_CHECK(!failed_);
  TAMIS_DCHECK(PartsBytes() == record.bytes);
  // An empty batch would be a clean-close marker, so users' are not logged.
  if (record.bytes > WriteBatchInternal::kHeaderBytes) {
    EncodeFixed64(header_, record.first);
    EncodeFixed32(header_ + 8, record.count);
    TAMIS_RETURN_IF_ERROR(log_->AddRecord(parts_));
  }
  if (!context_.options.manual_wal_flush || record.sync) [[likely]] {
    TAMIS_RETURN_IF_ERROR(log_->Flush());
  }
  const uint64_t step = context_.Live<&DBOptions::wal_bytes_per_sync>();
  if (step != 0) [[unlikely]] {
    log_->StartWriteback(step);
  }
  RecordTick(context_.statistics(), WRITE_WITH_WAL);
  RecordTick(context_.statistics(), WAL_FILE_BYTES, record.bytes);
  if (!record.sync) return Status::OK();
  RecordTick(context_.statistics(), WAL_FILE_SYNCED);
  context_.write_stats->log_syncs.Add(1);
  return Sync();
}

Status WriteAheadLog::AppendPrepared(const std::string& id,
                                     const WriteBatch& changes,
                                     SequenceNumber next) {
  const LogMarks marks = LogMarks::Copy(id);
  StartRecord(1);
  AddBatch(changes, &marks);
  return AppendRecord(
      {.first = next,
       .count = WriteBatchInternal::Count(changes),
       .bytes = WriteBatchInternal::Contents(changes).size() + marks.size(),
       .sync = true});
}

void WriteAheadLog::AddKept(const std::vector<LogFile>& files) {
  mutex_.AssertHeld();
  TAMIS_CHECK(closed_.empty());
  for (const LogFile& file : files) {
    TAMIS_CHECK(file.number < log_->number());
    closed_.push_back(file);
    closed_bytes_ += file.bytes;
  }
}

bool WriteAheadLog::IsOverLimitFrom(FileNumber number) const {
  mutex_.AssertHeld();
  uint64_t bytes = TotalBytes();
  for (const LogFile& file : closed_) {
    if (file.number >= number) break;
    bytes -= file.bytes;
  }
  return bytes > Limit();
}

Status WriteAheadLog::Sync() {
  const HistogramTimer timing(context_.statistics(), WAL_FILE_SYNC_MICROS);
  return log_->Sync();
}

Status WriteAheadLog::Flush(bool sync) {
  const Status status =
      CatchExceptions([&] { return sync ? Sync() : log_->Flush(); });
  if (!status.ok()) MarkFailed();
  return status;
}

// Syncs the closed file first, with its marker. Otherwise a power failure could
// lose its last records, or leave a torn marker, but keep the records of the
// next file. The name of that file becomes durable before its first record.
Status WriteAheadLog::Switch(FileNumber number, SequenceNumber last_sequence) {
  mutex_.AssertHeld();
  TAMIS_CHECK(number > log_->number());
  TAMIS_CHECK(closed_.empty() || closed_.back().number < log_->number());
  std::unique_ptr<LogWriter> next;
  const Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    {
      MutexUnlock unlock(&mutex_);
      if (!failed_) {
        TAMIS_RETURN_IF_ERROR(AddMarker(last_sequence));
        TAMIS_RETURN_IF_ERROR(Sync());
        TAMIS_RETURN_IF_ERROR(log_->Close());
      }
      TAMIS_RETURN_IF_ERROR(NewLog(number, &next));
      TAMIS_RETURN_IF_ERROR(
          file_io::SyncDirectory(context_.fs(), context_.log_directory()));
    }
    const LogFile closed{log_->number(), log_->size(),
                         last_good_ != kMaxSequenceNumber, last_good_};
    if (closed.failed) failed_files_.push_back(closed);
    closed_.push_back(closed);
    return Status::OK();
  });
  failed_ = !status.ok();
  if (!status.ok()) return status;
  last_good_ = kMaxSequenceNumber;
  closed_bytes_ += log_->size();
  log_ = std::move(next);
  return status;
}

Status WriteAheadLog::AddMarker(SequenceNumber last_sequence) {
  const SequenceNumber next = std::min(last_sequence + 1, kMaxSequenceNumber);
  if (!log_->is_synced()) TAMIS_RETURN_IF_ERROR(Sync());
  return log_->AddCleanCloseMarker(next);
}

Status WriteAheadLog::Close(SequenceNumber last_sequence) {
  TAMIS_CHECK(!failed_);
  if (log_->size() > 0) {
    using Mode = WALRecoveryMode;
    const Mode mode = context_.options.wal_recovery_mode;
    TAMIS_RETURN_IF_ERROR(AddMarker(last_sequence));
    // These fail an open that finds a torn marker.
    if (mode == Mode::kTolerateCorruptedTailRecords ||
        mode == Mode::kAbsoluteConsistency) {
      TAMIS_RETURN_IF_ERROR(Sync());
    }
  }
  return log_->Close();
}

std::vector<WriteAheadLog::LogFile> WriteAheadLog::FilesFrom(
    FileNumber number) const {
  mutex_.AssertHeld();
  std::vector<LogFile> files;
  for (const LogFile& file : closed_) {
    TAMIS_CHECK(file.number < log_->number());
    if (file.number >= number) files.push_back(file);
  }
  files.push_back({log_->number(), log_->size()});
  return files;
}

}  // namespace tamis
