// SPDX-License-Identifier: Apache-2.0
//
// The iterator of DB::GetUpdatesSince. It reads the logs while they are
// written, switched, archived and deleted:
//
//   000004.log ──▶ 000007.log ──▶ 000009.log
//   read to its    found by a listing     read up to the last published
//   end            of the directory       sequence number
//
// A record whose sequence numbers are published is complete in its file. What a
// reader does not find there was read before it was written (LogReader keeps
// the block), so the iterator reads the place once more before it believes that
// the log has no such record.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/transaction_log.h"

#include "db/base/db_context.h"
#include "db/wal/log_list.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_ahead_log.h"

namespace tamis {

class UpdateIterator final : public TransactionLogIterator {
 public:
  // What the database has published at one time.
  struct Published {
    SequenceNumber last = 0;
    // Of these logs, records above last_good were not applied. The list has all
    // logs that failed before `last` was published.
    std::vector<WriteAheadLog::LogFile> failed;
  };
  using Source = std::function<Published()>;

  // `context`, and what `source` uses, must outlive *this.
  UpdateIterator(const DBContext& context, Source source)
      : context_(context), source_(std::move(source)) {}

  // Moves to the batch that has the sequence number, or to the next one. Must
  // be the first call. Returns status().
  Status Seek(SequenceNumber sequence);

  bool Valid() override { return batch_ != nullptr; }
  void Next() override;
  Status status() override { return status_; }
  BatchResult GetBatch() override;

 private:
  enum class Step : uint8_t {
    kFound,        // batch_ is set
    kSkip,         // the record is not wanted
    kNotHere,      // the log does not have the next sequence number here
    kUnpublished,  // the record is wanted once it is published
  };

  Status Advance();
  Result<FileNumber> FirstLogFor(SequenceNumber sequence) const;
  Result<bool> OpenNextLog();
  Result<bool> Reopen();
  Result<bool> IsPrepared(const Slice& contents) const;
  Result<Step> Consider();
  Status Gap(SequenceNumber found) const;
  Status AtEnd() const;
  SequenceNumber LastGoodOf(FileNumber number) const;

  const DBContext& context_;
  const Source source_;
  Published published_;

  FileNumber number_;  // of the log that is read; the next has a higher one
  std::unique_ptr<LogReader> reader_;  // nullptr: the log has been read
  bool fresh_ = false;  // what the reader holds was read after `published_`
  std::optional<uint64_t> considered_;  // the offset of the last record used
  bool unpublished_ = false;            // record_ is to be considered again
  bool started_ = false;                // a batch was found
  SequenceNumber next_ = 0;             // the sequence number wanted
  std::string record_;
  std::unique_ptr<WriteBatch> batch_;  // Valid(): not nullptr
  SequenceNumber batch_sequence_ = 0;
  Status status_;
};

}  // namespace tamis
