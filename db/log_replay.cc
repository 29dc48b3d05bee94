// SPDX-License-Identifier: Apache-2.0
//
// The second half of recovery: what the logs hold becomes tables of level 0.
#include <algorithm>
#include <memory>
#include <utility>

#include "db/file_names.h"
#include "db/flush_job.h"
#include "db/log_reader.h"
#include "db/recovery.h"
#include "db/write_batch_internal.h"

namespace tamis {

namespace {

// Point-in-time recovery over all logs in order. A log may end in what a crash
// tore; whatever follows in later logs counts only if it goes on with exactly
// the next sequence number: history has no holes.
class LogReplay {
 public:
  LogReplay(const DBContext& context, VersionSet* versions)
      : context_(context),
        versions_(*versions),
        family_(versions->default_family()) {
    NewMemTable();
  }

  Status ReplayLog(uint64_t number);
  Status Finish() {
    TAMIS_RETURN_IF_ERROR(FlushMemTable());
    if (next_sequence_ > versions_.last_sequence() + 1) {
      versions_.PublishSequence(next_sequence_ - 1);
    }
    return Status::OK();
  }
  RecoveredLogs TakeResult() { return std::move(result_); }
  // Removes the tables that were written so far: the logs still hold it all.
  void Undo() {
    for (const auto& [level, file] : result_.edit.new_files) {
      context_.fs()
          ->RemoveFile(TableFileName(context_.directory, file.number))
          .PermitUncheckedError();
    }
  }

 private:
  Status ReplayRecord(uint64_t number, std::string record, bool* log_ended);
  Status Insert(uint64_t number, const WriteBatch& batch);
  Status FlushMemTable();
  void NewMemTable() {
    memtable_ = std::make_shared<MemTable>(family_.order(), 0, 0);
  }

  const DBContext& context_;
  VersionSet& versions_;
  ColumnFamily& family_;
  std::shared_ptr<MemTable> memtable_;
  SequenceNumber next_sequence_ = 0;  // 0: no record was seen yet
  bool hole_ = false;                 // records before this point are missing
  uint64_t records_ = 0;
  RecoveredLogs result_;
};

Status LogReplay::ReplayLog(uint64_t number) {
  const std::string path = LogFileName(context_.directory, number);
  std::unique_ptr<SequentialFile> file;
  TAMIS_RETURN_IF_ERROR(context_.fs()->NewSequentialFile(path, &file));
  LogReader reader(std::move(file), path, number, LogKind::kWal);

  records_ = 0;
  bool log_ended = false;
  std::string record;
  LogReader::Outcome outcome = LogReader::Outcome::kEnd;
  while (!log_ended && (outcome = reader.ReadRecord(&record)) ==
                           LogReader::Outcome::kRecord) {
    const Status status = ReplayRecord(number, record, &log_ended);
    if (!status.ok()) {
      const std::string where =
          path + ": record at offset " + std::to_string(reader.record_offset());
      if (status.IsIOError()) return status;
      if (status.IsNotSupported()) {
        return Status::NotSupported(where, status.message());
      }
      return status.IsInvalidArgument()
                 ? Status::InvalidArgument(where, status.message())
                 : Status::Corruption(where, status.message());
    }
  }
  if (!log_ended && outcome == LogReader::Outcome::kCorrupt) {
    return reader.status();
  }
  auto line = context_.event_log->Event("log_replayed");
  line.Add("file", number).Add("records", records_);
  if (log_ended) {
    result_.lost.push_back(number);
    line.Add("end", Slice("hole")).Add("offset", reader.record_offset());
  } else if (outcome == LogReader::Outcome::kTornTail ||
             outcome == LogReader::Outcome::kBadTail) {
    hole_ = true;
    // A record that is cut is what a crash leaves. One that is all there but
    // does not fit its checksum may be somebody's data: a repair can try.
    if (outcome == LogReader::Outcome::kBadTail) {
      result_.lost.push_back(number);
    }
    line.Add("end", Slice("torn"))
        .Add("offset", reader.record_offset())
        .Add("bytes", reader.bytes_dropped())
        .Add("reason", Slice(reader.reason()));
  }
  return Status::OK();
}

Status LogReplay::ReplayRecord(uint64_t number, std::string record,
                               bool* log_ended) {
  if (record.size() < WriteBatchInternal::kHeaderBytes) {
    return Status::Corruption("a batch of " + std::to_string(record.size()) +
                              " bytes, expected at least 12");
  }
  const WriteBatch batch(std::move(record));
  const SequenceNumber first = WriteBatchInternal::Sequence(batch);
  const uint32_t count = WriteBatchInternal::Count(batch);
  const SequenceNumber expected =
      next_sequence_ != 0 ? next_sequence_ : versions_.last_sequence() + 1;
  if (hole_ && first != expected) {
    *log_ended = true;
    return Status::OK();
  }
  hole_ = false;
  if (first < next_sequence_) {
    return Status::Corruption("sequence numbers go back: expected " +
                              std::to_string(next_sequence_) +
                              " or more, got " + std::to_string(first));
  }
  if (first > kMaxSequenceNumber - count) {
    return Status::Corruption("sequence number " + std::to_string(first) +
                              " is beyond 2^56");
  }
  ++records_;
  TAMIS_RETURN_IF_ERROR(Insert(number, batch));
  next_sequence_ = first + count;
  if (memtable_->ApproximateMemoryUsage() >=
      family_.options().write_buffer_size) {
    TAMIS_RETURN_IF_ERROR(FlushMemTable());
  }
  return Status::OK();
}

Status LogReplay::Insert(uint64_t number, const WriteBatch& batch) {
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::Validate(batch));
  // What a flush has already written to a table is skipped, and so are
  // families that were dropped; both use up their numbers.
  const bool needed = number >= family_.log_number();
  return WriteBatchInternal::ForEach(
      batch, [&](SequenceNumber sequence, uint32_t family, ValueType type,
                 const Slice& key, const Slice& value) {
        if (!needed || family != family_.id()) return Status::OK();
        if (type == kTypeMerge && family_.options().merge_operator == nullptr) {
          return WriteBatchInternal::NoMergeOperator();
        }
        memtable_->Add(sequence, type, key, value);
        return Status::OK();
      });
}

Status LogReplay::FlushMemTable() {
  if (memtable_->empty()) return Status::OK();
  FlushInputs in;
  in.context = &context_;
  in.family = &family_;
  in.memtables = {memtable_};
  in.epoch_number = family_.NewEpoch();
  in.new_file_number = [this] { return versions_.NewFileNumber(); };
  auto edit = RunFlush(in);
  if (!edit.ok()) return edit.status();
  for (auto& added : edit->new_files) {
    result_.edit.new_files.push_back(std::move(added));
  }
  NewMemTable();
  return Status::OK();
}

}  // namespace

Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 VersionSet* versions) {
  const uint64_t first = std::max(versions->min_log_number_to_keep(),
                                  versions->default_family().log_number());
  LogReplay replay(context, versions);
  Status status;
  for (const uint64_t number : listing.logs) {
    if (number >= first && status.ok()) status = replay.ReplayLog(number);
  }
  if (status.ok()) status = replay.Finish();
  if (!status.ok()) {
    replay.Undo();
    return status;
  }
  return replay.TakeResult();
}

}  // namespace tamis
