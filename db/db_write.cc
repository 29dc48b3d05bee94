// SPDX-License-Identifier: Apache-2.0
//
// Writing: check the batch, queue, make room, log, memtable, publish. The
// order on the page is the order in time.
#include <algorithm>
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

Status DBImpl::CheckMayWrite() const {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (!context_.read_only) return Status::OK();
  return Status::NotSupported(context_.directory,
                              "the database is open for reading only");
}

// A bad batch in the log would fail every later open. *families: those that
// were asked; nullptr: none but the default one was.
Status DBImpl::CheckBatch(const WriteBatch& batch,
                          ColumnFamilySet::ViewPtr* families) const {
  const ColumnFamilySet& all = versions_.families();
  families->reset();
  return WriteBatchInternal::CheckWritable(
      batch, [&](uint32_t id) -> WriteBatchInternal::Target {
        const ColumnFamily* family = &all.default_family();
        if (id != 0) {
          if (*families == nullptr) *families = all.view();
          family = ColumnFamilySet::Find(**families, id);
          if (family == nullptr) return {};
        }
        return {.order = &family->order(),
                .merge_operator = family->options().merge_operator.get()};
      });
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* batch) {
  if (batch == nullptr) {
    return Status::InvalidArgument("Write", "the batch is nullptr");
  }
  if (options.sync && options.disableWAL) {
    return Status::InvalidArgument("WriteOptions",
                                   "sync and disableWAL exclude each other");
  }
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  WriteQueue::Writer writer(batch, options);
  TAMIS_RETURN_IF_ERROR(CheckBatch(*batch, &writer.families));

  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  write_queue_.Join(&writer, context_.runner());
  if (writer.done) {
    RecordTick(context_.statistics(), WRITE_DONE_BY_OTHER);
    return writer.status;
  }
  Status status = MakeRoomForWrite();
  std::vector<WriteQueue::Writer*> group{&writer};
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  if (status.ok() && writer.families != nullptr &&
      writer.families != families) {
    status = CheckBatch(*batch, &writer.families);  // one may be gone
  }
  if (status.ok()) {
    const size_t own = batch->GetDataSize();
    group = write_queue_.Group(
        &writer, *families,
        own <= kSmallBatchBytes ? own + kSmallBatchBytes : kGroupBytesMax);
    status = WriteGroup(group);
    RecordTick(context_.statistics(), WRITE_DONE_BY_SELF);
  }
  write_queue_.Finish(group.size(), status);
  return status;
}

Status DBImpl::WriteGroup(const std::vector<WriteQueue::Writer*>& group) {
  WriteBatch* batch = group[0]->batch;
  bool sync = group[0]->sync;
  const bool disable_wal = group[0]->disable_wal;
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
  unlogged_ = unlogged_ || (disable_wal && count > 0);
  Status status;
  {
    // This writer is at the front of the queue: log, memtables and
    // last_allocated_ are its own.
    MutexUnlock unlock(&mutex_);
    if (!disable_wal) status = AppendToLog(*batch, sync);
    if (status.ok()) {
      TAMIS_PERF_TIMER(timer, write_memtable_time);
      const Status inserted = InsertIntoMemTables(*batch);
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

Status DBImpl::InsertIntoMemTables(const WriteBatch& batch) {
  const ColumnFamilySet& all = versions_.families();
  ColumnFamilySet::ViewPtr view;
  const ColumnFamilyPtr* family = nullptr;
  MemTable* memtable = nullptr;
  touched_.clear();
  const Status status = WriteBatchInternal::ForEach(
      batch, [&](SequenceNumber sequence, uint32_t id, ValueType type,
                 const Slice& key, const Slice& value) {
        if (family == nullptr || (*family)->id() != id) {
          if (id != 0 && view == nullptr) view = all.view();
          family = id == 0 ? &all.default_family_ptr()
                           : ColumnFamilySet::FindPtr(*view, id);
          if (family == nullptr) return WriteBatchInternal::NoSuchFamily(id);
          memtable = (*family)->memtable().get();
          touched_.push_back(*family);
        }
        memtable->Add(sequence, type, key, value);
        return Status::OK();
      });
  for (const ColumnFamilyPtr& one : touched_) {
    if (one->memtable()->ApproximateMemoryUsage() >=
            one->options().write_buffer_size &&
        std::find(full_.begin(), full_.end(), one) == full_.end()) {
      full_.push_back(one);
    }
  }
  touched_.clear();  // one may be dropped before the next write
  return status;
}

Status DBImpl::AppendToLog(const WriteBatch& batch, bool sync) {
  TAMIS_PERF_TIMER(timer, write_wal_time);
  // An empty batch is what seals a log at its close: it is not for users.
  if (batch.GetDataSize() > WriteBatchInternal::kHeaderBytes) {
    TAMIS_RETURN_IF_ERROR(log_->AddRecord(batch.Data()));
  }
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

// The seal says that all before it was durable when it was written.
Status DBImpl::SealLog() {
  TAMIS_RETURN_IF_ERROR(log_->Sync());
  TAMIS_RETURN_IF_ERROR(log_->AddSeal(last_allocated_ + 1));
  TAMIS_RETURN_IF_ERROR(log_->Sync());
  return log_->Close();
}

void DBImpl::DelayWrite() {
  PerfTimer timer(&tls_perf_context.write_delay_time);
  MutexUnlock unlock(&mutex_);
  context_.clock()->SleepForMicroseconds(kDelayMicros);
  RecordTick(context_.statistics(), STALL_MICROS, kDelayMicros);
}

// Whether writes are possible at all; after a background error this is where
// they try to be again.
Status DBImpl::MayGoOn() {
  if (errors_.MayRetry()) ResumeAtFront().PermitUncheckedError();
  if (!errors_.ok()) return errors_.error();
  if (scheduler_.stopping()) {
    return Status::ShutdownInProgress(context_.directory,
                                      "the database is being closed");
  }
  return Status::OK();
}

bool DBImpl::MaySwitch(const ColumnFamily& family) const {
  const ColumnFamilyOptions& options = family.options();
  return family.dropped() ||
         (static_cast<int>(family.immutables().size()) + 1 <
              options.max_write_buffer_number &&
          (options.disable_auto_compactions ||
           static_cast<int>(family.version()->files(0).size()) <
               options.level0_stop_writes_trigger));
}

// Families whose memtables are full, or keep the oldest of too many logs.
DBImpl::Families DBImpl::DueForSwitch() {
  std::erase_if(full_, [](const ColumnFamilyPtr& family) {
    // An empty one is never full, whatever it takes by itself.
    return family->dropped() || family->memtable()->empty() ||
           family->memtable()->ApproximateMemoryUsage() <
               family->options().write_buffer_size;
  });
  Families due = full_;
  if (scheduler_.ClosedLogBytes() + log_->size() > log_bytes_limit_) {
    const ColumnFamilySet::ViewPtr all = versions_.families().view();
    // A log that only a dropped family needed goes with the next flush.
    uint64_t oldest = kFileNumberMax;
    for (const ColumnFamilyPtr& family : *all) {
      if (family->memtable()->empty() && family->immutables().empty()) continue;
      oldest = std::min(oldest, family->OldestLogToKeep());
    }
    for (const ColumnFamilyPtr& family : *all) {
      if (!family->memtable()->empty() &&
          family->memtable()->log_number() <= oldest &&
          std::find(due.begin(), due.end(), family) == due.end()) {
        due.push_back(family);
      }
    }
  }
  return due;
}

// Returns with space in the memtables, or with the reason why there is none.
Status DBImpl::MakeRoomForWrite() {
  bool delayed = false;
  for (;;) {
    TAMIS_RETURN_IF_ERROR(MayGoOn());
    if (!delayed && scheduler_.writes_are_slowed()) {
      // A little from every write, so that compaction keeps up, rather than
      // seconds from one of them.
      delayed = true;
      DelayWrite();
      continue;
    }
    const Families due = DueForSwitch();
    if (due.empty()) return Status::OK();
    const auto may_switch = [&] {
      mutex_.AssertHeld();
      return std::all_of(due.begin(), due.end(), [&](const auto& family) {
        mutex_.AssertHeld();
        return MaySwitch(*family);
      });
    };
    if (may_switch()) {
      TAMIS_RETURN_IF_ERROR(SwitchMemTables(due));
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

// A new log and new memtables, in that order. The old log is synced first:
// what it lost in a power cut would be a hole before the new one. With
// atomic_flush every family goes along, so that what is flushed together is
// one moment of all of them.
// REQUIRES: the front of the write queue.
Status DBImpl::SwitchMemTables(const Families& families) {
  const uint64_t number = versions_.NewFileNumber();
  std::unique_ptr<LogWriter> fresh;
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    if (!log_failed_) status = SealLog();
    if (status.ok()) status = OpenLog(number, &fresh);
  }
  if (!status.ok()) {
    log_failed_ = true;
    errors_.Set("wal", status);
    return status;
  }
  scheduler_.live_logs().back().bytes = log_->size();
  log_ = std::move(fresh);
  log_failed_ = false;
  scheduler_.live_logs().push_back({number, 0});

  const ColumnFamilySet::ViewPtr all = versions_.families().view();
  for (const ColumnFamilyPtr& family :
       context_.options.atomic_flush ? *all : families) {
    if (family->memtable()->empty()) continue;
    family->SwitchMemTable(family->NewMemTable(last_allocated_ + 1, number));
  }
  for (const ColumnFamilyPtr& family : *all) {
    family->LogWasBegun(number, last_allocated_ + 1);
  }
  scheduler_.MaybeSchedule();
  return Status::OK();
}

}  // namespace tamis
