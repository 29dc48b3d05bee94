// SPDX-License-Identifier: Apache-2.0
//
// Writing: check the batch, queue, make room, log, memtable, publish. The
// order on the page is the order in time.
#include <algorithm>
#include <utility>

#include "db/db_impl.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/stats/perf_counters.h"

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
  if (!WriteBatchInternal::IsPlain(*batch)) {
    TAMIS_RETURN_IF_ERROR(CheckBatch(*batch, &writer.families));
  }

  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  write_queue_.Join(&writer, context_.runner());
  if (writer.done) {
    RecordTick(context_.statistics(), WRITE_DONE_BY_OTHER);
    return std::move(writer.status);
  }
  // Whatever is thrown, those behind it are not left waiting.
  size_t done = 1;
  Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    return LeadWrite(&writer, &done);
  });
  write_queue_.Finish(done, status);
  return status;
}

// *done: how many of the queue are.
Status DBImpl::LeadWrite(WriteQueue::Writer* writer, size_t* done) {
  TAMIS_RETURN_IF_ERROR(MakeRoomForWrite());
  if (writer->families != nullptr &&
      writer->families != versions_.families().view()) {
    // One may be gone.
    TAMIS_RETURN_IF_ERROR(CheckBatch(*writer->batch, &writer->families));
  }
  const size_t own = writer->batch->GetDataSize();
  const WriteQueue::Group group = write_queue_.GroupOf(
      writer, versions_.families(),
      own <= kSmallBatchBytes ? own + kSmallBatchBytes : kGroupBytesMax);
  wal_.StartRecord(group.count);  // before there is anything to undo
  *done = group.count;
  RecordTick(context_.statistics(), WRITE_DONE_BY_SELF);
  return WriteGroup(group);
}

// Gives the batches of the group their sequence numbers.
Result<WriteAheadLog::Record> DBImpl::NumberGroup(
    const WriteQueue::Group& group) {
  WriteAheadLog::Record totals;
  totals.first = last_allocated_ + 1;
  totals.bytes = WriteBatchInternal::kHeaderBytes;
  uint64_t count = 0;
  group.ForEach([&](const WriteQueue::Writer& writer) {
    count += WriteBatchInternal::Count(*writer.batch);
    totals.bytes += WriteBatchInternal::Records(*writer.batch).size();
    totals.sync = totals.sync || writer.sync;
  });
  TAMIS_CHECK(count <= UINT32_MAX);  // each has a byte at least
  if (last_allocated_ > kMaxSequenceNumber - count) {
    return Status::NotSupported(context_.directory,
                                "its 2^56 sequence numbers are used up");
  }
  group.ForEach([&](const WriteQueue::Writer& writer) {
    WriteBatchInternal::SetSequence(writer.batch, last_allocated_ + 1);
    last_allocated_ += WriteBatchInternal::Count(*writer.batch);
  });
  totals.count = static_cast<uint32_t>(count);
  return totals;
}

Status DBImpl::WriteGroup(const WriteQueue::Group& group) {
  const bool disable_wal = group.first->disable_wal;
  const Result<WriteAheadLog::Record> numbered = NumberGroup(group);
  if (!numbered.ok()) return numbered.status();
  const WriteAheadLog::Record& totals = numbered.value();
  unlogged_ = unlogged_ || (disable_wal && totals.count > 0);
  Status status;
  {
    // This writer is at the front of the queue: log, memtables and
    // last_allocated_ are its own.
    MutexUnlock unlock(&mutex_);
    status = CatchExceptions([&] {
      if (!disable_wal) TAMIS_RETURN_IF_ERROR(AppendToLog(group, totals));
      TAMIS_PERF_TIMER(timer, write_memtable_time);
      InsertIntoMemTables(group);
      return Status::OK();
    });
  }
  if (!status.ok()) {
    // Log and memtables may hold the group, or a part of it.
    wal_.MarkFailed();
    for (const ColumnFamilyPtr& family : *versions_.families().view()) {
      if (family->memtable()->empty()) continue;
      family->memtable()->DiscardAbove(versions_.last_sequence());
    }
    errors_.Set("wal", status);
    return status;
  }
  versions_.PublishSequence(last_allocated_);
  RecordTick(context_.statistics(), NUMBER_KEYS_WRITTEN, totals.count);
  RecordTick(context_.statistics(), BYTES_WRITTEN, totals.bytes);
  return status;
}

void DBImpl::InsertIntoMemTables(const WriteQueue::Group& group) {
  const ColumnFamilySet& all = versions_.families();
  ColumnFamilySet::ViewPtr view;
  const ColumnFamilyPtr* family = nullptr;
  MemTable* memtable = nullptr;
  const auto insert = [&](SequenceNumber sequence, uint32_t id, ValueType type,
                          const Slice& key, const Slice& value) {
    if (family == nullptr || (*family)->id() != id) {
      if (family != nullptr) NoteIfFull(*family);
      if (id != 0 && view == nullptr) view = all.view();
      family = id == 0 ? &all.default_family_ptr()
                       : ColumnFamilySet::FindPtr(*view, id);
      if (family == nullptr) return WriteBatchInternal::NoSuchFamily(id);
      memtable = (*family)->memtable().get();
    }
    memtable->Add(sequence, type, key, value);
    return Status::OK();
  };
  group.ForEach([&](const WriteQueue::Writer& writer) {
    const Status inserted = WriteBatchInternal::ForEach(*writer.batch, insert);
    TAMIS_CHECK(inserted.ok());  // it was validated
  });
  if (family != nullptr) NoteIfFull(*family);
}

void DBImpl::NoteIfFull(const ColumnFamilyPtr& family) {
  if (family->memtable()->ApproximateMemoryUsage() >=
          family->options().write_buffer_size &&
      std::find(full_.begin(), full_.end(), family) == full_.end()) {
    full_.push_back(family);
  }
}

Status DBImpl::AppendToLog(const WriteQueue::Group& group,
                           const WriteAheadLog::Record& totals) {
  TAMIS_PERF_TIMER(timer, write_wal_time);
  group.ForEach(
      [&](const WriteQueue::Writer& writer) { wal_.AddBatch(*writer.batch); });
  return wal_.AppendRecord(totals);
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
  if (wal_.IsOverLimit()) {
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
  // What nearly every write meets, without a step aside.
  if (errors_.ok() && !scheduler_.stopping() &&
      !scheduler_.writes_are_slowed() && full_.empty() && !wal_.IsOverLimit()) {
    return Status::OK();
  }
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

// A new log and new memtables, in that order. With atomic_flush every family
// goes along, so that what is flushed together is one moment of all of them.
// REQUIRES: the front of the write queue.
Status DBImpl::SwitchMemTables(const Families& families) {
  const uint64_t number = versions_.NewFileNumber();
  const Status status = wal_.Switch(number, last_allocated_);
  if (!status.ok()) {
    errors_.Set("wal", status);
    return status;
  }

  // All or none of them.
  const ColumnFamilySet::ViewPtr all = versions_.families().view();
  std::vector<std::pair<ColumnFamily*, ColumnFamily::Change>> changes;
  for (const ColumnFamilyPtr& family :
       context_.options.atomic_flush ? *all : families) {
    if (family->memtable()->empty()) continue;
    changes.emplace_back(family.get(),
                         family->PrepareMemTable(
                             family->NewMemTable(last_allocated_ + 1, number)));
  }
  for (auto& [family, change] : changes) family->Take(std::move(change));
  for (const ColumnFamilyPtr& family : *all) {
    family->LogWasBegun(number, last_allocated_ + 1);
  }
  scheduler_.MaybeSchedule();
  return Status::OK();
}

}  // namespace tamis
