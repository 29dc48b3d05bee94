// SPDX-License-Identifier: Apache-2.0
//
// The write-ahead log of an open database: a sequence of log files. Records are
// appended to the newest one; older ones stay on disk while a family needs
// them.
//
//   000004.log   000007.log   000009.log
//   closed; each ends in a    open
//   clean-close marker,
//   unless it failed
//
// A lock and a role guard the state. Each call says which it REQUIRES:
//   mutex    The database's mutex is held. It guards the list of closed files
//            and the size limit.
//   leader   The caller leads the write queue (db/write_queue.h), or no other
//            thread has the database. The leader alone uses the open file, its
//            failure and the scratch space.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/wal/log_writer.h"
#include "db/wal/prepared_sections.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/mutex.h"

namespace tamis {

class WriteAheadLog {
 public:
  // A group of batches that becomes one record.
  struct Record {
    SequenceNumber first = 0;
    uint32_t count = 0;
    uint64_t bytes = 0;  // of the record, including its header
    bool sync = false;   // some writer of the group wants a sync
  };
  struct LogFile {
    FileNumber number;
    uint64_t bytes;
    // The file may end with records that were not applied: those with sequence
    // numbers above last_good.
    bool failed = false;
    SequenceNumber last_good = kMaxSequenceNumber;
  };

  // Both arguments must outlive the log.
  WriteAheadLog(const DBContext& context, Mutex* db_mutex)
      : context_(context), mutex_(*db_mutex) {}

  // Creates the first file, or truncates it. It must succeed before any other
  // call. On an error the file may exist. Its name must be durable before the
  // first record; the caller syncs the directory. REQUIRES: leader.
  Status Open(FileNumber number) {
    TAMIS_CHECK(log_ == nullptr);
    return NewLog(number, &log_);
  }
  // Adds files of earlier opens, oldest first, which are whole, durable and
  // still needed. REQUIRES: mutex; Open was called, and Switch was not.
  void AddKept(const std::vector<LogFile>& files);
  // Closes the first file without a marker, after a failed open of the
  // database. The caller removes the file. REQUIRES: leader.
  void Abandon() { log_.reset(); }

  // To append a group as if it were one batch:
  //   StartRecord AddBatch* AppendRecord
  // StartRecord allocates the memory for up to `batches` calls of AddBatch,
  // which therefore does not throw. Discards a record that was started before.
  // REQUIRES: leader.
  void StartRecord(size_t batches) {
    parts_.reserve(3 * batches + 1);
    parts_.resize(1);
  }
  // Adds the records of the batch, between the marks if there are any, without
  // copying them. REQUIRES: leader; both remain alive and unchanged until
  // AppendRecord returns.
  void AddBatch(const WriteBatch& batch, const LogMarks* marks = nullptr) {
    TAMIS_DCHECK(!parts_.empty());
    TAMIS_DCHECK(parts_.size() + 2 < parts_.capacity());
    if (marks != nullptr) parts_.push_back(marks->before);
    parts_.push_back(WriteBatchInternal::Records(batch));
    if (marks != nullptr) parts_.push_back(marks->after);
  }
  // Appends the added batches as one record and flushes it. If this returns OK,
  // the record survives a kill of the process; with record.sync, also a power
  // failure. After an error or an exception, the caller must call MarkFailed.
  // A group without records is not logged. REQUIRES: leader; !failed().
  Status AppendRecord(const Record& record);
  // Appends a copy of a prepared section, and syncs it. `next` is the sequence
  // number of the next change. Otherwise as AppendRecord. REQUIRES: leader;
  // !failed().
  Status AppendPrepared(const std::string& id, const WriteBatch& changes,
                        SequenceNumber next);
  // Flushes the open file, which changes nothing after AppendRecord; with
  // `sync`, makes all its records durable. Calls MarkFailed on an error. Throws
  // nothing. REQUIRES: leader; !failed().
  Status Flush(bool sync);

  // Declares the contents of the open file unknown, after the records up to
  // the sequence number `last_good`. It gets no clean-close marker, and Switch
  // is required before the next record. REQUIRES: leader.
  void MarkFailed(SequenceNumber last_good = kMaxSequenceNumber) {
    failed_ = true;
    last_good_ = std::min(last_good_, last_good);
  }
  // REQUIRES: leader.
  bool failed() const { return failed_; }

  // Closes the open file, unless it failed, and opens file `number`; the log is
  // then not failed. On an error, marks the log as failed: the old file remains
  // the open one, but takes no records, and an empty file `number` may exist.
  // Throws nothing. REQUIRES: leader; the mutex, which it releases meanwhile.
  Status Switch(FileNumber number, SequenceNumber last_sequence);
  // Makes all records of the open file durable, appends the clean-close marker,
  // which states that they are, and closes the file. A power failure may lose
  // or tear the marker, which is synced only if the recovery mode does not
  // accept that: damage of the log is then judged as if it had not been closed.
  // A file without records gets no marker. Does not call
  // MarkFailed on an error. The file takes no records afterwards. REQUIRES:
  // leader; !failed().
  Status Close(SequenceNumber last_sequence);

  // Returns the number of the open file. REQUIRES: leader.
  FileNumber number() const { return log_->number(); }

  // Returns the size of the files that were not dropped: those that this object
  // created, and kept ones. REQUIRES: leader and mutex.
  uint64_t TotalBytes() const {
    mutex_.AssertHeld();
    return closed_bytes_ + log_->size();
  }
  // Returns whether TotalBytes() exceeds max_total_wal_size, or the default
  // limit if that option is 0. REQUIRES: leader and mutex.
  bool IsOverLimit() const {
    mutex_.AssertHeld();
    return TotalBytes() > Limit();
  }
  // Returns whether they would without the files below that number. REQUIRES:
  // leader and mutex.
  bool IsOverLimitFrom(FileNumber number) const;
  // Sets the limit for max_total_wal_size = 0. REQUIRES: mutex.
  void set_default_limit(uint64_t bytes) {
    mutex_.AssertHeld();
    default_limit_ = bytes;
  }

  // Returns the closed files with at least that number and the open one, oldest
  // first, with their current sizes. REQUIRES: leader and mutex.
  std::vector<LogFile> FilesFrom(FileNumber number) const;

  // Returns the files, since the open of the database, that end with records
  // that were not applied, also those that were dropped. REQUIRES: mutex.
  const std::vector<LogFile>& FailedFiles() const {
    mutex_.AssertHeld();
    return failed_files_;
  }

  // Calls remove(file), which must not use this object, for each closed file
  // below that number, oldest first, then removes the file from the list. An
  // exception from remove() propagates; the list keeps that file and all newer
  // ones. REQUIRES: mutex, which remains held during remove().
  template <typename Remove>
  void DropBelow(FileNumber number, const Remove& remove) {
    mutex_.AssertHeld();
    while (!closed_.empty() && closed_.front().number < number) {
      TAMIS_CHECK(closed_.front().number < log_->number());
      TAMIS_CHECK(closed_.front().bytes <= closed_bytes_);
      remove(closed_.front());
      closed_bytes_ -= closed_.front().bytes;
      closed_.pop_front();
    }
  }

 private:
  // Creates a file. Its directory entry is not durable.
  Status NewLog(FileNumber number, std::unique_ptr<LogWriter>* log) const;
  uint64_t Limit() const REQUIRES(mutex_) {
    const uint64_t given = context_.Live<&DBOptions::max_total_wal_size>();
    return given != 0 ? given : default_limit_;
  }
  // Makes the records of the open file durable.
  Status Sync();
  // Makes the records durable, then appends the marker.
  Status AddMarker(SequenceNumber last_sequence);
  size_t PartsBytes() const {
    size_t bytes = 0;
    for (const Slice& part : parts_) bytes += part.size();
    return bytes;
  }

  const DBContext& context_;
  Mutex& mutex_;

  // Guarded by leader.
  std::unique_ptr<LogWriter> log_;
  bool failed_ = false;
  SequenceNumber last_good_ = kMaxSequenceNumber;  // of the open file
  char header_[WriteBatchInternal::kHeaderBytes];
  // The parts of the record being built; its header first.
  std::vector<Slice> parts_{{header_, sizeof(header_)}};

  std::deque<LogFile> closed_ GUARDED_BY(mutex_);  // oldest first
  std::vector<LogFile> failed_files_ GUARDED_BY(mutex_);
  uint64_t closed_bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t default_limit_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
