// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_logs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "db/base/file_names.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"

namespace tamis {

namespace {

void NoteDamage(const Status& status, uint64_t bytes, ReplayedLog* log) {
  if (log->damages++ == 0) log->first_damage = status;
  log->bytes_lost += bytes;
}

}  // namespace

Result<ReplayedLog> RepairLogs::Replay(FileNumber number) {
  const auto opened = LogReader::Open(
      context_.fs(), LogFileName(context_.log_directory(), number), number,
      LogKind::kWal);
  if (!opened.ok()) return opened.status();
  LogReader& reader = **opened;
  ReplayedLog log;
  log.number = number;
  std::string record;
  for (;;) {
    const LogReader::Outcome outcome = reader.ReadRecord(&record);
    if (outcome == LogReader::Outcome::kEnd) return log;
    if (outcome != LogReader::Outcome::kRecord) {
      if (!reader.status().IsCorruption()) return reader.status();
      NoteDamage(reader.status(), reader.bytes_dropped(), &log);
      if (outcome != LogReader::Outcome::kCorrupt || !reader.Resume()) {
        return log;
      }
      continue;
    }
    if (reader.after_zeros()) {
      NoteDamage(
          Status::Corruption(LogFileName(context_.log_directory(), number),
                             "zeros before the record at offset " +
                                 std::to_string(reader.record_offset())),
          0, &log);
    }
    const uint64_t bytes = record.size();
    const Status status = ReplayRecord(number, std::move(record), &log);
    if (status.IsCorruption()) {
      NoteDamage(
          Status::Corruption(LogFileName(context_.log_directory(), number) +
                                 ": record at offset " +
                                 std::to_string(reader.record_offset()),
                             status.message()),
          bytes, &log);
    } else if (!status.ok()) {
      return status;
    }
    record.clear();
  }
}

Status RepairLogs::ReplayRecord(FileNumber number, std::string record,
                                ReplayedLog* log) {
  if (record.size() < WriteBatchInternal::kHeaderBytes) {
    return Status::Corruption("a batch of " + std::to_string(record.size()) +
                              " bytes, expected at least 12");
  }
  const WriteBatch batch(std::move(record));
  const SequenceNumber first = WriteBatchInternal::Sequence(batch);
  const auto used = sections_.Check(batch);
  if (!used.ok()) return used.status();
  if (first > kMaxSequenceNumber - *used) {
    return Status::Corruption("sequence number " + std::to_string(first) +
                              " is beyond 2^56");
  }
  // A memtable must not contain the same key and sequence number twice.
  if (first < next_sequence_) TAMIS_RETURN_IF_ERROR(Finish());
  next_sequence_ = first + *used;
  ++log->records;
  return sections_.Apply(
      batch, [&](SequenceNumber sequence, FamilyId id, ValueType type,
                 const Slice& key, const Slice& value) {
        last_sequence_ = std::max(last_sequence_, sequence);
        const ColumnFamily* const family = family_of_(id, number);
        if (family == nullptr) return Status::OK();
        ++log->changes;
        return Add(*family, sequence, type, key, value);
      });
}

Status RepairLogs::Add(const ColumnFamily& family, SequenceNumber sequence,
                       ValueType type, const Slice& key, const Slice& value) {
  Target& target = targets_[family.id()];
  target.family = &family;
  if (target.memtable != nullptr && target.memtable->ApproximateMemoryUsage() >=
                                        family.options().write_buffer_size) {
    TAMIS_RETURN_IF_ERROR(sink_(family, std::move(target.memtable)));
  }
  if (target.memtable == nullptr) {
    target.memtable = std::make_unique<MemTable>(family.order(), 0, kNoFile);
  }
  target.memtable->Add(sequence, type, key, value);
  return Status::OK();
}

Status RepairLogs::Finish() {
  for (auto& [id, target] : targets_) {
    if (target.memtable == nullptr || target.memtable->empty()) continue;
    TAMIS_RETURN_IF_ERROR(sink_(*target.family, std::move(target.memtable)));
  }
  return Status::OK();
}

}  // namespace tamis
