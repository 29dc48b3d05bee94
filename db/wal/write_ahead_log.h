// SPDX-License-Identifier: Apache-2.0
//
// The write-ahead log of an open database: a sequence of log files. Records are
// appended to the newest one; older ones stay on disk while a family needs
// them.
//
//   000004.log   000007.log   000009.log
//   closed, each ends in a    open
//   clean-close marker
//
// Two locks guard the state, and each call says which of them it REQUIRES:
//   leader   guards the open file, its failure and the scratch space: the
//            caller leads the write queue, or no other thread has the database
//   mutex    guards the closed files and the size limit: the database's mutex
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/file_names.h"
#include "db/wal/log_writer.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/mutex.h"

namespace tamis {

class WriteAheadLog {
 public:
  // A group of batches as one record.
  struct Record {
    SequenceNumber first = 0;
    uint32_t count = 0;
    uint64_t bytes = 0;  // of the record, including its header
    bool sync = false;
  };
  struct LogFile {
    uint64_t number;
    uint64_t bytes;
  };

  // Both must outlive the log.
  WriteAheadLog(const DBContext& context, Mutex* db_mutex)
      : context_(context), mutex_(*db_mutex) {}

  // Creates the first file of this open. REQUIRES: leader.
  Status Open(uint64_t number) { return NewLog(number, &log_); }
  // For a failed open; the caller removes the file. REQUIRES: leader.
  void Abandon() { log_.reset(); }

  // REQUIRES, for all calls down to number(): leader.

  // Appends a group as if it were one batch:
  //   StartRecord AddBatch* AppendRecord
  // StartRecord allocates for AddBatch, which does not throw then. An unused
  // StartRecord needs no undo.
  void StartRecord(size_t batches) {
    parts_.reserve(batches + 1);
    parts_.resize(1);
  }
  void AddBatch(const WriteBatch& batch) {
    parts_.push_back(WriteBatchInternal::Records(batch));
  }
  // Afterwards the record survives a kill of the process; with `sync`, also a
  // power failure. On an error the caller must call MarkFailed.
  Status AppendRecord(const Record& record);
  Status Flush(bool sync);

  // The contents of the open file are unknown. It gets no clean-close marker,
  // and Switch is required before the next record.
  void MarkFailed() { failed_ = true; }
  bool failed() const { return failed_; }

  // Closes the open file, unless it failed, and opens a new one. An error marks
  // the log as failed. REQUIRES: also the mutex, which it releases meanwhile.
  Status Switch(uint64_t number, SequenceNumber last_sequence);
  // Syncs the open file before it writes the clean-close marker, which states
  // that all records before it are durable. REQUIRES: !failed().
  Status Close(SequenceNumber last_sequence);

  // The open file's.
  uint64_t number() const { return log_->number(); }

  // REQUIRES, for all below: the mutex.

  // Size of all files. REQUIRES: leader.
  uint64_t TotalBytes() const {
    mutex_.AssertHeld();
    return closed_bytes_ + log_->size();
  }
  // Whether TotalBytes() exceeds max_total_wal_size. REQUIRES: leader.
  bool IsOverLimit() const {
    mutex_.AssertHeld();
    const uint64_t given = context_.options.max_total_wal_size;
    return TotalBytes() > (given != 0 ? given : default_limit_);
  }
  // The limit if max_total_wal_size is 0.
  void set_default_limit(uint64_t bytes) {
    mutex_.AssertHeld();
    default_limit_ = bytes;
  }

  // The files with at least that number, oldest first, with their current
  // sizes. REQUIRES: leader.
  std::vector<LogFile> FilesFrom(uint64_t number) const;

  // Calls remove(path) for each closed file below that number, then forgets the
  // file. If remove throws, the file is kept.
  template <typename Remove>
  void DropBelow(uint64_t number, const Remove& remove) {
    mutex_.AssertHeld();
    while (!closed_.empty() && closed_.front().number < number) {
      remove(LogFileName(context_.directory, closed_.front().number));
      closed_bytes_ -= closed_.front().bytes;
      closed_.pop_front();
    }
  }

 private:
  Status NewLog(uint64_t number, std::unique_ptr<LogWriter>* log) const;

  const DBContext& context_;
  Mutex& mutex_;

  // Guarded by leader.
  std::unique_ptr<LogWriter> log_;
  bool failed_ = false;
  char header_[WriteBatchInternal::kHeaderBytes];
  // Of the record being built; its header first.
  std::vector<Slice> parts_{{header_, sizeof(header_)}};

  std::deque<LogFile> closed_ GUARDED_BY(mutex_);  // oldest first
  uint64_t closed_bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t default_limit_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
