// SPDX-License-Identifier: Apache-2.0
#include "db/wal/update_iterator.h"

#include <algorithm>
#include <utility>

#include "db/base/file_names.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/coding/coding.h"

namespace tamis {

TransactionLogIterator::~TransactionLogIterator() = default;

Status UpdateIterator::Seek(SequenceNumber sequence) {
  next_ = sequence;
  published_ = source_();
  const auto first = FirstLogFor(sequence);
  if (!first.ok()) {
    status_ = first.status();
    return status_;
  }
  number_ = FileNumber(first->value() > 0 ? first->value() - 1 : 0);
  Next();
  return status_;
}

// Returns the newest log that begins at the sequence number or below it, or the
// oldest log. From the newest on: most callers are not far behind.
Result<FileNumber> UpdateIterator::FirstLogFor(SequenceNumber sequence) const {
  const auto logs = ListLogs(context_);
  if (!logs.ok()) return logs.status();
  for (auto log = logs->rbegin(); log != logs->rend(); ++log) {
    const auto described = DescribeLog(context_, log->number);
    if (described.status().IsPathNotFound()) continue;  // deleted meanwhile
    if (!described.ok()) return described.status();
    if (described->start != 0 && described->start <= sequence) {
      return log->number;
    }
  }
  return logs->empty() ? kNoFile : logs->front().number;
}

void UpdateIterator::Next() {
  if (!status_.ok() && !status_.IsTryAgain()) return;
  batch_.reset();
  status_ = CatchExceptions([this] { return Advance(); });
}

BatchResult UpdateIterator::GetBatch() {
  return {batch_sequence_, std::move(batch_)};
}

Status UpdateIterator::Advance() {
  for (;;) {
    if (next_ > published_.last) {
      published_ = source_();
      fresh_ = false;
      if (next_ > published_.last) return Status::OK();
    }
    if (reader_ == nullptr) {
      const auto opened = OpenNextLog();
      if (!opened.ok()) return opened.status();
      if (!*opened) return AtEnd();
    }
    const bool again = std::exchange(unpublished_, false);
    const LogReader::Outcome outcome =
        again ? LogReader::Outcome::kRecord : reader_->ReadRecord(&record_);
    Step step = Step::kNotHere;
    // Old contents of a block that has more records by now look like zeros.
    const bool may_be_stale = !fresh_ && reader_->after_zeros();
    if (outcome == LogReader::Outcome::kRecord && !may_be_stale) {
      const auto considered = Consider();
      if (!considered.ok()) return considered.status();
      step = *considered;
    }
    if (step == Step::kFound) return Status::OK();
    if (step == Step::kSkip) continue;
    if (step == Step::kUnpublished) {
      unpublished_ = true;
      const SequenceNumber last = published_.last;
      published_ = source_();
      if (published_.last == last) return Status::OK();
      continue;
    }
    if (!fresh_) {
      fresh_ = true;
      reader_->Reread();
      continue;
    }
    if (outcome == LogReader::Outcome::kRecord) {
      const SequenceNumber found = DecodeFixed64(record_.data());
      if (found <= LastGoodOf(number_)) return Gap(found);
    } else if (outcome == LogReader::Outcome::kCorrupt) {
      if (!reader_->status().IsPathNotFound()) return reader_->status();
      const auto reopened = Reopen();
      if (!reopened.ok()) return reopened.status();
      if (*reopened) continue;
    }
    // The log ends here, or was deleted; its successor tells whether anything
    // is missing. If none follows, the place is read again later.
    const auto opened = OpenNextLog();
    if (!opened.ok()) return opened.status();
    if (!*opened) {
      fresh_ = false;
      return AtEnd();
    }
  }
}

// Opens the log with the next higher number. Returns false, and changes
// nothing, if there is none.
Result<bool> UpdateIterator::OpenNextLog() {
  const auto logs = ListLogs(context_);
  if (!logs.ok()) return logs.status();
  for (const ListedLog& log : *logs) {
    if (log.number <= number_) continue;
    auto reader = OpenLog(context_, log.number);
    if (reader.status().IsPathNotFound()) continue;  // deleted meanwhile
    if (!reader.ok()) return reader.status();
    reader_ = std::move(reader).value();
    number_ = log.number;
    considered_.reset();
    fresh_ = true;  // nothing was read yet
    return true;
  }
  return false;
}

// The log has moved to the archive. It is read from its beginning, and
// Consider skips what has been used. Returns false if it was deleted.
Result<bool> UpdateIterator::Reopen() {
  auto reader = OpenLog(context_, number_);
  if (reader.status().IsPathNotFound()) return false;
  if (!reader.ok()) return reader.status();
  reader_ = std::move(reader).value();
  fresh_ = true;
  return true;
}

SequenceNumber UpdateIterator::LastGoodOf(FileNumber number) const {
  for (const WriteAheadLog::LogFile& log : published_.failed) {
    if (log.number == number) return log.last_good;
  }
  return kMaxSequenceNumber;
}

// Returns whether the record has only prepared sections, whose changes come
// with the batch that commits them.
Result<bool> UpdateIterator::IsPrepared(const Slice& contents) const {
  BatchCursor cursor(contents, BatchCursor::Marks::kShow);
  BatchRecord record;
  bool in_section = false;
  bool has_section = false;
  bool has_others = false;
  while (cursor.Next(&record)) {
    in_section = record.kind == BatchRecord::kBeginPrepare ||
                 (in_section && record.kind != BatchRecord::kEndPrepare);
    has_section = has_section || in_section;
    has_others = has_others || (record.is_change() && !in_section);
    if (record.kind == BatchRecord::kCommit || (has_section && has_others)) {
      return Status::NotSupported(
          LogFileName(context_.log_directory(), number_),
          "two-phase commits of RocksDB, which are not in one place");
    }
  }
  return has_section;
}

// Judges the record that was read.
Result<UpdateIterator::Step> UpdateIterator::Consider() {
  const uint64_t offset = reader_->record_offset();
  if (record_.size() < WriteBatchInternal::kHeaderBytes) {
    return Status::Corruption(
        LogFileName(context_.log_directory(), number_),
        "offset " + std::to_string(offset) + ": expected a batch of " +
            std::to_string(WriteBatchInternal::kHeaderBytes) +
            " bytes or more, got " + std::to_string(record_.size()));
  }
  if (considered_ && offset <= *considered_) return Step::kSkip;
  const SequenceNumber first = DecodeFixed64(record_.data());
  const uint64_t count = DecodeFixed32(record_.data() + sizeof(uint64_t));
  // A clean-close marker, or an older record.
  const bool wanted =
      record_.size() > WriteBatchInternal::kHeaderBytes &&
      (first + count > next_ || (started_ && count == 0 && first == next_));
  if (!wanted) return Step::kSkip;
  const auto is_prepared = IsPrepared(record_);
  if (!is_prepared.ok()) return is_prepared.status();
  if (*is_prepared) return Step::kSkip;
  const bool continues = started_ ? first == next_ : first <= next_;
  if (first > LastGoodOf(number_)) return Step::kNotHere;
  if (!continues && (started_ || !fresh_)) return Step::kNotHere;
  // Behind numbers that no log has, as those of an ingestion. The place is
  // fresh, as always where the record does not continue the last batch.
  if (first > published_.last) return Step::kUnpublished;
  auto batch = std::make_unique<WriteBatch>(std::move(record_));
  record_.clear();
  considered_ = offset;
  started_ = true;
  next_ = first + count;
  batch_sequence_ = first;
  batch_ = std::move(batch);
  return Step::kFound;
}

Status UpdateIterator::Gap(SequenceNumber found) const {
  return Status::NotFound(
      LogFileName(context_.log_directory(), number_),
      "gap in sequence numbers: expected " + std::to_string(next_) + ", got " +
          std::to_string(found) +
          "; the changes between are in no log that is left");
}

Status UpdateIterator::AtEnd() const {
  if (!started_) return Status::OK();
  return Status::TryAgain(
      context_.directory,
      "the logs do not have sequence number " + std::to_string(next_) +
          ", although it was written: without the log, or it waits in a "
          "buffer");
}

}  // namespace tamis
