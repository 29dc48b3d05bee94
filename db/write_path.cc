// SPDX-License-Identifier: Apache-2.0
#include "db/write_path.h"

#include <algorithm>
#include <utility>

#include "db/base/numbers.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/base/spin.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// The size limit of a group. It is lower if the leader's batch is small, so
// that a small write does not wait long.
constexpr size_t kGroupBytesMax = 1 << 20;
constexpr size_t kSmallBatchBytes = 128 << 10;
// How often a writer polls before it waits in the queue: about 27 microseconds,
// or two to three times as long as it takes to wake a thread.
constexpr uint32_t kPauses = 1000;

// The changes of a batch for which a polling writer prefetches: each takes a
// fraction of a microsecond, and about 2 KiB of the cache.
constexpr size_t kPrefetchedMax = 32;
constexpr size_t kPrefetchedKeyBytesMax = 1 << 10;

// The size from which a memtable is full. RocksDB's, too, may exceed
// write_buffer_size by most of a block of its arena, which is of this size.
size_t FullAt(const ColumnFamily& family) {
  constexpr size_t kBlockBytesMax = 1 << 20;
  const size_t bytes = family.write_buffer_size();
  return bytes + std::min(bytes / 8, kBlockBytesMax);
}

// A memtable above this size is flushed for the write_buffer_manager.
constexpr size_t kFlushedBytesMin = 64 << 10;

}  // namespace

Status WritePath::CheckBatch(const WriteBatch& batch, bool ignore_missing,
                             ColumnFamilySet::ViewPtr* families) const {
  const ColumnFamilySet& all = versions_.families();
  families->reset();
  return WriteBatchInternal::CheckWritable(
      batch,
      [&](FamilyId id) -> WriteBatchInternal::Target {
        const ColumnFamily* family = &all.default_family();
        if (id != kDefaultFamilyId) {
          if (*families == nullptr) *families = all.view();
          family = ColumnFamilySet::Find(**families, id);
          // A later family would get the entries of an id that is still free.
          if (family == nullptr) {
            return {.may_be_missing = id <= all.max_id()};
          }
        }
        const ColumnFamilyOptions& options = family->fixed_options();
        return {.order = &family->order(),
                .merge_operator = options.merge_operator.get(),
                .takes_range_deletions =
                    options.table_factory->IsDeleteRangeSupported()};
      },
      ignore_missing);
}

// Only one thread uses a deterministic runner, so nothing changes while that
// thread polls.
uint32_t WritePath::PausesFor(const JobRunner* runner) {
  return dynamic_cast<const DeterministicJobRunner*>(runner) != nullptr
             ? 0
             : SpinPauses(kPauses);
}

// The cache misses of this write happen while another writer leads. The Guard
// keeps a memtable that is replaced meanwhile.
void WritePath::PrefetchWhilePolling(
    const WriteQueue::Writer& writer) const noexcept {
  if (!queue_.WouldPoll(writer)) return;
  IgnoreExceptions([&] {
    const ColumnFamily& family = versions_.families().default_family();
    const EpochDomain::Guard guard(family.epochs());
    const MemTable& memtable = *family.CurrentReadState().memtable;
    BatchCursor cursor(WriteBatchInternal::Contents(*writer.batch));
    BatchRecord record;
    for (size_t i = 0;
         i < kPrefetchedMax && queue_.WouldPoll(writer) && cursor.Next(&record);
         ++i) {
      if (record.is_change() && record.family == kDefaultFamilyId &&
          record.key.size() <= kPrefetchedKeyBytesMax) {
        memtable.PrefetchForAdd(record.key);
      }
    }
  });
}

Status WritePath::ThreadEnded() {
  return Status::IOError("the thread that wrote the group has ended");
}

// Writes a group. Sets *done to the number of writers that the returned status
// completes: the leader and the followers.
Status WritePath::Lead(WriteQueue::Writer* writer, size_t* done) {
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(MakeRoom(*writer));
    if (writer->disable_wal) unlogged_ = true;
  }
  if (writer->families != nullptr &&
      writer->families != versions_.families().view()) {
    // A family may have been dropped meanwhile.
    TAMIS_RETURN_IF_ERROR(
        CheckBatch(*writer->batch, writer->ignore_missing, &writer->families));
  }
  if (writer->condition != nullptr) [[unlikely]]
    TAMIS_RETURN_IF_ERROR(writer->condition->Check());
  const size_t own = writer->batch->GetDataSize();
  const WriteQueue::Group group = queue_.GroupOf(
      writer, versions_.families(),
      own <= kSmallBatchBytes ? own + kSmallBatchBytes : kGroupBytesMax);
  wal_.StartRecord(group.count);  // before there is anything to undo
  *done = group.count;
  RecordTick(context_.statistics(), WRITE_DONE_BY_SELF);
  return WriteGroup(group);
}

Result<SequenceNumber> WritePath::AllocateSequences(uint64_t count) {
  if (count > kMaxSequenceNumber - last_allocated_) {
    return Status::NotSupported(context_.directory,
                                "all 2^56 sequence numbers are used");
  }
  const SequenceNumber first = last_allocated_ + 1;
  last_allocated_ += count;
  return first;
}

// Assigns sequence numbers to the batches of the group.
Result<WriteAheadLog::Record> WritePath::NumberGroup(
    const WriteQueue::Group& group) {
  WriteAheadLog::Record totals;
  TAMIS_DCHECK(last_allocated_ >= versions_.last_sequence());
  totals.first = last_allocated_ + 1;
  totals.bytes = WriteBatchInternal::kHeaderBytes;
  uint64_t count = 0;
  group.ForEach([&](const WriteQueue::Writer& writer) {
    count += WriteBatchInternal::Count(*writer.batch);
    totals.bytes += WriteBatchInternal::Records(*writer.batch).size();
    if (writer.marks != nullptr) [[unlikely]] {
      totals.bytes += writer.marks->size();
    }
    totals.sync = totals.sync || writer.sync;
  });
  TAMIS_CHECK(count <= UINT32_MAX);  // each takes at least one byte
  if (last_allocated_ > kMaxSequenceNumber - count) {
    return Status::NotSupported(context_.directory,
                                "all 2^56 sequence numbers are used");
  }
  totals.count = static_cast<uint32_t>(count);
  if (group.first->is_log_only()) return totals;
  group.ForEach([&](const WriteQueue::Writer& writer) {
    WriteBatchInternal::SetSequence(writer.batch, last_allocated_ + 1);
    last_allocated_ += WriteBatchInternal::Count(*writer.batch);
  });
  TAMIS_CHECK(last_allocated_ + 1 == totals.first + count);
  return totals;
}

// Publishes the sequence number without the database's mutex. Jobs use a
// memtable only after a switch, when all of its entries have been published.
Status WritePath::WriteGroup(const WriteQueue::Group& group) {
  const Result<WriteAheadLog::Record> numbered = NumberGroup(group);
  if (!numbered.ok()) return numbered.status();
  const WriteAheadLog::Record& totals = numbered.value();
  struct Discarder {  // for a thread that is cancelled
    WritePath* path;
    bool ended = false;
    ~Discarder() {
      if (!ended) path->DiscardGroup(ThreadEnded());
    }
  } discarder{this};
  const Status status = CatchExceptions([&] {
    if (!group.first->disable_wal) {
      TAMIS_PERF_TIMER(timer, write_wal_time);
      group.ForEach([&](const WriteQueue::Writer& writer) {
        wal_.AddBatch(*writer.batch, writer.marks);
      });
      TAMIS_RETURN_IF_ERROR(wal_.AppendRecord(totals));
    }
    if (group.first->is_log_only()) {
      versions_.prepared_logs()->Add(group.first->marks->id,
                                     *group.first->batch, wal_.number());
      return Status::OK();
    }
    TAMIS_PERF_TIMER(timer, write_memtable_time);
    InsertIntoMemTables(group);
    return Status::OK();
  });
  discarder.ended = true;
  if (!status.ok()) {
    DiscardGroup(status);
    return status;
  }
  if (group.first->is_log_only()) return status;
  group.ForEach([&](const WriteQueue::Writer& writer) {
    if (writer.marks == nullptr) [[likely]]
      return;
    versions_.prepared_logs()->End(writer.marks->id, wal_.number(),
                                   totals.sync);
  });
  versions_.PublishSequence(last_allocated_);
  CountGroup(group, totals);
  RecordTick(context_.statistics(), NUMBER_KEYS_WRITTEN, totals.count);
  RecordTick(context_.statistics(), BYTES_WRITTEN, totals.bytes);
  RecordInHistogram(context_.statistics(), BYTES_PER_WRITE, totals.bytes);
  return status;
}

void WritePath::CountGroup(const WriteQueue::Group& group,
                           const WriteAheadLog::Record& totals) {
  WriteStats& stats = *context_.write_stats;
  stats.batches.Add(group.count);
  stats.groups.Add(1);
  stats.entries.Add(totals.count);
  stats.bytes.Add(totals.bytes);
  if (group.first->disable_wal) return;
  stats.logged_batches.Add(group.count);
  stats.log_bytes.Add(totals.bytes);
}

// The log and memtables may hold the failed group or a part of it.
void WritePath::DiscardGroup(const Status& error) {
  wal_.MarkFailed(versions_.last_sequence());
  MutexLock lock(&mutex_);
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    if (family->memtable()->empty()) continue;
    family->memtable()->DiscardAbove(versions_.last_sequence());
  }
  errors_.Set("wal", error);
}

void WritePath::InsertIntoMemTables(const WriteQueue::Group& group) {
  const ColumnFamilySet& all = versions_.families();
  ColumnFamilySet::ViewPtr view;
  const ColumnFamilyPtr* family = nullptr;
  MemTable* memtable = nullptr;
  bool may_be_missing = false;
  const auto insert = [&](SequenceNumber sequence, FamilyId id, ValueType type,
                          const Slice& key, const Slice& value) {
    if (family == nullptr || (*family)->id() != id) {
      if (family != nullptr) NoteIfFull(*family);
      if (id != kDefaultFamilyId && view == nullptr) view = all.view();
      family = id == kDefaultFamilyId ? &all.default_family_ptr()
                                      : ColumnFamilySet::FindPtr(*view, id);
      if (family == nullptr) {
        return may_be_missing ? Status::OK()
                              : WriteBatchInternal::NoSuchFamily(id);
      }
      memtable = (*family)->memtable().get();
    }
    TAMIS_DCHECK(sequence > versions_.last_sequence());
    TAMIS_DCHECK(sequence <= last_allocated_);
    memtable->Add(sequence, type, key, value);
    return Status::OK();
  };
  group.ForEach([&](const WriteQueue::Writer& writer) {
    may_be_missing = writer.ignore_missing;
    const Status inserted = WriteBatchInternal::ForEach(*writer.batch, insert);
    TAMIS_CHECK(inserted.ok());  // it was validated
  });
  if (family != nullptr) NoteIfFull(*family);
}

void WritePath::NoteIfFull(const ColumnFamilyPtr& family) {
  family->memtable()->Charge();
  if (family->memtable()->ApproximateMemoryUsage() >= FullAt(*family) &&
      std::find(full_.begin(), full_.end(), family) == full_.end()) {
    full_.push_back(family);
  }
}

// Adds the family with the largest memtable that may be switched, if the
// write_buffer_manager wants a flush, or a wait for which no flush is under
// way. A small memtable stays: otherwise a database with little memory would
// write tables of a few entries because others, or readers, have much.
void WritePath::AddLargestIfOverBudget(Families* due) {
  const WriteBufferManager* const manager =
      context_.options.write_buffer_manager.get();
  if (manager == nullptr || !due->empty()) return;
  if (!manager->ShouldFlush() &&
      (!manager->ShouldStall() || stall_.MustWaitForBuffers())) {
    return;
  }
  size_t largest = kFlushedBytesMin;
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    const size_t bytes = family->memtable()->ApproximateMemoryUsage();
    if (family->memtable()->empty() || bytes <= largest ||
        !stall_.MaySwitch({&family, 1})) {
      continue;
    }
    largest = bytes;
    *due = {family};
  }
}

// Returns the families with full memtables and, if the logs exceed their limit,
// those that need the oldest log.
WritePath::Families WritePath::DueForSwitch() {
  std::erase_if(full_, [](const ColumnFamilyPtr& family) {
    // An empty memtable is never full, even if it uses more memory.
    return family->dropped() || family->memtable()->empty() ||
           family->memtable()->ApproximateMemoryUsage() < FullAt(*family);
  });
  Families due = full_;
  AddLargestIfOverBudget(&due);
  if (wal_.IsOverLimit()) {
    const ColumnFamilySet::ViewPtr all = versions_.families().view();
    // The next flush removes logs that only a dropped family needed.
    FileNumber oldest = kFileNumberMax;
    for (const ColumnFamilyPtr& family : *all) {
      if (family->memtable()->empty() && family->immutables().empty()) continue;
      oldest = std::min(oldest, family->OldestLogToKeep());
    }
    // No flush removes logs that only prepared transactions need.
    if (!wal_.IsOverLimitFrom(oldest)) return due;
    for (const ColumnFamilyPtr& family : *all) {
      if (family->memtable()->empty() && family->immutables().empty()) continue;
      if (family->OldestLogToKeep() <= oldest) RequestFlush(family.get());
      if (!family->memtable()->empty() &&
          family->memtable()->log_number() <= oldest &&
          std::find(due.begin(), due.end(), family) == due.end()) {
        due.push_back(family);
      }
    }
  }
  return due;
}

void WritePath::RequestFlush(ColumnFamily* family) {
  if (family->flush_requested()) return;
  family->RequestFlush();
  scheduler_.MaybeSchedule();
}

// Returns OK if the memtables have room for the batch. Waits for it if
// necessary.
Status WritePath::MakeRoom(const WriteQueue::Writer& leader) {
  // The common case.
  if (errors_.ok() && !closed_ && !stall_.MustDelay() && full_.empty() &&
      !wal_.IsOverLimit() && !stall_.BuffersAreOver()) {
    return Status::OK();
  }
  bool delayed = false;
  for (;;) {
    if (closed_) {
      return Status::ShutdownInProgress(context_.directory,
                                        "the database is closed");
    }
    // A resume waits for flushes, so others should begin it: a timer, or a
    // write that may wait. Without a timer, all writes may be like this one.
    if (leader.no_slowdown && errors_.MayRetry() && !scheduler_.stopping() &&
        errors_.OthersResume()) {
      return WriteQueue::WouldWait();
    }
    TAMIS_RETURN_IF_ERROR(ResumeIfDue());
    if (!delayed && stall_.MustDelay()) {
      if (leader.no_slowdown) return WriteQueue::WouldWait();
      delayed = true;
      const WriteStall stall(&queue_);
      stall_.Delay(leader.batch->GetDataSize(), closed_);
      continue;
    }
    const Families due = DueForSwitch();
    if (due.empty()) {
      if (!stall_.MustWaitForBuffers()) return Status::OK();
      if (leader.no_slowdown) return WriteQueue::WouldWait();
      const WriteStall stall(&queue_);
      stall_.WaitForBuffers(closed_);
      continue;
    }
    if (stall_.MaySwitch(due)) {
      TAMIS_PERF_TIMER(timer, write_scheduling_flushes_compactions_time);
      TAMIS_RETURN_IF_ERROR(
          SwitchMemTables(due, full_.empty() ? FlushReason::kWalFull
                                             : FlushReason::kWriteBufferFull));
    } else {
      if (leader.no_slowdown) return WriteQueue::WouldWait();
      const WriteStall stall(&queue_);
      stall_.WaitUntilMaySwitch(due, closed_);
    }
  }
}

}  // namespace tamis
