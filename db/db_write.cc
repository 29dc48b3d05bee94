// SPDX-License-Identifier: Apache-2.0
//
// Writing: check the batch, queue, make room, log, memtable, publish. The
// order on the page is the order in time.
#include <utility>

#include "db/db_impl.h"
#include "db/file_names.h"
#include "db/write_batch_internal.h"
#include "util/perf_counters.h"

namespace tamis {

namespace {

// A group stops growing here; a small leader does not wait for a large group.
constexpr size_t kGroupBytesMax = 1 << 20;
constexpr size_t kSmallBatchBytes = 128 << 10;
constexpr uint64_t kDelayMicros = 1000;

}  // namespace

Status DBImpl::CheckOpen() const {
  if (!closed_.load(std::memory_order_acquire)) return Status::OK();
  return Status::ShutdownInProgress(context_.directory,
                                    "the database is closed");
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* batch) {
  if (batch == nullptr) {
    return Status::InvalidArgument("Write", "the batch is nullptr");
  }
  // A bad batch in the log would fail every later open.
  const ColumnFamily& family = versions_.default_family();
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckWritable(
      *batch, {.family = family.id(),
               .order = family.order(),
               .merge_operator = family.options().merge_operator.get()}));

  WriteQueue::Writer writer(batch, options.sync);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  write_queue_.Join(&writer, context_.runner());
  if (writer.done) {
    RecordTick(context_.statistics(), WRITE_DONE_BY_OTHER);
    return writer.status;
  }
  Status status = MakeRoomForWrite();
  std::vector<WriteQueue::Writer*> group{&writer};
  if (status.ok()) {
    const size_t own = batch->GetDataSize();
    group = write_queue_.Group(&writer, own <= kSmallBatchBytes
                                            ? own + kSmallBatchBytes
                                            : kGroupBytesMax);
    status = WriteGroup(group);
    RecordTick(context_.statistics(), WRITE_DONE_BY_SELF);
  }
  write_queue_.Finish(group.size(), status);
  return status;
}

Status DBImpl::WriteGroup(const std::vector<WriteQueue::Writer*>& group) {
  WriteBatch* batch = group[0]->batch;
  bool sync = group[0]->sync;
  if (group.size() > 1) {
    group_batch_.Clear();
    for (const WriteQueue::Writer* writer : group) {
      TAMIS_RETURN_IF_ERROR(
          WriteBatchInternal::Append(&group_batch_, *writer->batch));
      sync = sync || writer->sync;
    }
    batch = &group_batch_;
  }
  const uint32_t count = WriteBatchInternal::Count(*batch);
  if (last_allocated_ > kMaxSequenceNumber - count) {
    return Status::NotSupported(context_.directory,
                                "its 2^56 sequence numbers are used up");
  }
  WriteBatchInternal::SetSequence(batch, last_allocated_ + 1);
  last_allocated_ += count;

  ColumnFamily& family = versions_.default_family();
  MemTable* const memtable = family.memtable().get();
  Status status;
  {
    // This writer is at the front of the queue: log, memtable and
    // last_allocated_ are its own.
    MutexUnlock unlock(&mutex_);
    status = AppendToLog(*batch, sync);
    if (status.ok()) {
      TAMIS_PERF_TIMER(timer, write_memtable_time);
      const Status inserted = WriteBatchInternal::ForEach(
          *batch, [memtable](SequenceNumber sequence, uint32_t, ValueType type,
                             const Slice& key, const Slice& value) {
            memtable->Add(sequence, type, key, value);
            return Status::OK();
          });
      TAMIS_CHECK(inserted.ok());  // it was validated
    }
  }
  if (!status.ok()) {
    log_failed_ = true;
    errors_.Set("wal", status);
    return status;
  }
  versions_.PublishSequence(last_allocated_);
  RecordTick(context_.statistics(), NUMBER_KEYS_WRITTEN, count);
  RecordTick(context_.statistics(), BYTES_WRITTEN, batch->GetDataSize());
  return status;
}

Status DBImpl::AppendToLog(const WriteBatch& batch, bool sync) {
  TAMIS_PERF_TIMER(timer, write_wal_time);
  TAMIS_RETURN_IF_ERROR(log_->AddRecord(batch.Data()));
  // From here on a kill of the process does not lose it, and after Sync a
  // power cut does not either.
  TAMIS_RETURN_IF_ERROR(log_->Flush());
  RecordTick(context_.statistics(), WRITE_WITH_WAL);
  RecordTick(context_.statistics(), WAL_FILE_BYTES, batch.GetDataSize());
  if (!sync) return Status::OK();
  RecordTick(context_.statistics(), WAL_FILE_SYNCED);
  return log_->Sync();
}

// The directory entry is durable before the log holds anything.
Status DBImpl::OpenLog(uint64_t number, std::unique_ptr<LogWriter>* log) {
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(context_.fs()->NewWritableFile(
      LogFileName(context_.directory, number), &file));
  TAMIS_RETURN_IF_ERROR(context_.fs()->SyncDirectory(context_.directory));
  *log = std::make_unique<LogWriter>(std::move(file), number);
  return Status::OK();
}

void DBImpl::DelayWrite() {
  PerfTimer timer(&tls_perf_context.write_delay_time);
  MutexUnlock unlock(&mutex_);
  context_.clock()->SleepForMicroseconds(kDelayMicros);
  RecordTick(context_.statistics(), STALL_MICROS, kDelayMicros);
}

// Returns with space in the memtable, or with the reason why there is none.
Status DBImpl::MakeRoomForWrite() {
  ColumnFamily& family = versions_.default_family();
  const ColumnFamilyOptions& options = family.options();
  const auto may_switch = [&] {
    mutex_.AssertHeld();
    return static_cast<int>(family.immutables().size()) + 1 <
               options.max_write_buffer_number &&
           (options.disable_auto_compactions ||
            static_cast<int>(family.version()->files(0).size()) <
                options.level0_stop_writes_trigger);
  };
  bool delayed = false;
  for (;;) {
    if (!errors_.ok()) return errors_.error();
    if (scheduler_.stopping()) {
      return Status::ShutdownInProgress(context_.directory,
                                        "the database is being closed");
    }
    const int level0 = static_cast<int>(family.version()->files(0).size());
    if (!delayed && level0 >= options.level0_slowdown_writes_trigger &&
        !options.disable_auto_compactions) {
      // A little from every write, so that compaction keeps up, rather than
      // seconds from one of them.
      delayed = true;
      DelayWrite();
      continue;
    }
    // An empty one is never full, whatever it takes by itself.
    if (family.memtable()->empty() ||
        family.memtable()->ApproximateMemoryUsage() <
            options.write_buffer_size) {
      return Status::OK();
    }
    if (may_switch()) {
      TAMIS_RETURN_IF_ERROR(SwitchMemTable());
      continue;
    }
    const uint64_t start = context_.clock()->NowMicros();
    mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
      mutex_.AssertHeld();
      return may_switch() || !errors_.ok() || scheduler_.stopping();
    });
    RecordTick(context_.statistics(), STALL_MICROS,
               context_.clock()->NowMicros() - start);
  }
}

// A new log and a new memtable, in that order. The old log is synced first:
// what it lost in a power cut would be a hole before the new one.
// REQUIRES: the front of the write queue.
Status DBImpl::SwitchMemTable() {
  ColumnFamily& family = versions_.default_family();
  const uint64_t number = versions_.NewFileNumber();
  std::unique_ptr<LogWriter> fresh;
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    if (!log_failed_) {
      status = log_->Sync();
      if (status.ok()) status = log_->Close();
    }
    if (status.ok()) status = OpenLog(number, &fresh);
  }
  if (!status.ok()) {
    log_failed_ = true;
    errors_.Set("wal", status);
    return status;
  }
  log_ = std::move(fresh);
  log_failed_ = false;
  scheduler_.live_logs().push_back(number);
  family.SwitchMemTable(
      std::make_shared<MemTable>(family.order(), last_allocated_ + 1, number));
  scheduler_.MaybeSchedule();
  return Status::OK();
}

}  // namespace tamis
