// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/transaction_base.h"

#include <algorithm>
#include <utility>

#include "db/transaction/indexed_batch.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

TransactionBase::TransactionBase(DB* db, const WriteOptions& options)
    : db_(*db),
      root_(DBFacade::Of(db)),
      write_options_(options),
      batch_(db->DefaultColumnFamily()->GetComparator(), /*reserved_bytes=*/0,
             /*overwrite_key=*/true),
      begun_micros_(clock()->NowMicros()) {}

void TransactionBase::Restart(const WriteOptions& options) {
  Reset();
  BeginAgain();
  write_options_ = options;
  indexes_ = true;
  begun_micros_ = clock()->NowMicros();
}

void TransactionBase::Reset() {
  ForgetAfter(0);
  save_points_.clear();
  batch_.Clear();
  at_commit_.Clear();
  counts_ = Counts();
  ClearSnapshot();
}

ColumnFamilyHandle* TransactionBase::OrDefault(
    ColumnFamilyHandle* family) const {
  return family != nullptr ? family : db_.DefaultColumnFamily();
}

const ColumnFamilyPtr& TransactionBase::FamilyOf(
    ColumnFamilyHandle* family) const {
  return static_cast<const ColumnFamilyHandleImpl*>(OrDefault(family))
      ->family();
}

std::shared_ptr<const ManagedSnapshot> TransactionBase::NewSnapshot() const {
  auto snapshot = std::make_shared<const ManagedSnapshot>(&db_);
  return snapshot->snapshot() != nullptr ? std::move(snapshot) : nullptr;
}

void TransactionBase::SetSnapshot() {
  snapshot_ = NewSnapshot();
  snapshot_is_due_ = false;
  notifier_.reset();
}

void TransactionBase::SetSnapshotOnNextOperation(
    std::shared_ptr<TransactionNotifier> notifier) {
  snapshot_is_due_ = true;
  notifier_ = std::move(notifier);
}

void TransactionBase::TakeSnapshotIfDue() {
  if (!snapshot_is_due_) return;
  const std::shared_ptr<TransactionNotifier> notifier = std::move(notifier_);
  SetSnapshot();
  if (notifier != nullptr) notifier->SnapshotCreated(GetSnapshot());
}

void TransactionBase::ClearSnapshot() {
  snapshot_.reset();
  snapshot_is_due_ = false;
  notifier_.reset();
}

Status TransactionBase::Rollback() {
  Reset();
  return Status::OK();
}

void TransactionBase::SetSavePoint() {
  save_points_.push_back({tracked_.mark(), counts_, snapshot_});
  batch_.SetSavePoint();
}

Status TransactionBase::RollbackToSavePoint() {
  if (save_points_.empty()) return Status::NotFound();
  TAMIS_RETURN_IF_ERROR(batch_.RollbackToSavePoint());
  const SavePoint point = std::move(save_points_.back());
  save_points_.pop_back();
  ForgetAfter(point.mark);
  counts_ = point.counts;
  snapshot_ = point.snapshot;
  return Status::OK();
}

Status TransactionBase::PopSavePoint() {
  if (save_points_.empty()) return Status::NotFound();
  save_points_.pop_back();
  return batch_.PopSavePoint();
}

void TransactionBase::ForgetAfter(TrackedKeys::Mark mark) {
  tracked_.ForgetAfter(
      mark, [&](const ColumnFamilyPtr& family, const std::string& key) {
        Release(*family, key);
      });
}

Status TransactionBase::Get(const ReadOptions& options,
                            ColumnFamilyHandle* family, const Slice& key,
                            PinnableSlice* value) {
  return batch_.GetFromBatchAndDB(&db_, options, OrDefault(family), key, value);
}

void TransactionBase::MultiGet(const ReadOptions& options,
                               ColumnFamilyHandle* family, size_t num_keys,
                               const Slice* keys, PinnableSlice* values,
                               Status* statuses, bool sorted_input) {
  batch_.MultiGetFromBatchAndDB(&db_, options, OrDefault(family), num_keys,
                                keys, values, statuses, sorted_input);
}

Status TransactionBase::GetForUpdate(const ReadOptions& options,
                                     ColumnFamilyHandle* family,
                                     const Slice& key, PinnableSlice* value,
                                     bool exclusive, bool do_validate) {
  if (!do_validate && options.snapshot != nullptr) {
    return Status::InvalidArgument(
        "GetForUpdate", "do_validate is false, but a snapshot is given");
  }
  return CatchExceptions([&] {
    const auto info = Track(family, key, {exclusive, do_validate});
    TAMIS_RETURN_IF_ERROR(info.status());
    ++info.value()->reads;
    return value != nullptr ? Get(options, family, key, value) : Status::OK();
  });
}

Iterator* TransactionBase::GetIterator(const ReadOptions& options,
                                       ColumnFamilyHandle* family) {
  family = OrDefault(family);
  return batch_.NewIteratorWithBase(family, db_.NewIterator(options, family),
                                    &options);
}

Result<TrackedKeys::Info*> TransactionBase::Track(ColumnFamilyHandle* family,
                                                  const Slice& key,
                                                  Tracking tracking) {
  TakeSnapshotIfDue();
  const ColumnFamilyPtr& of = FamilyOf(family);
  TrackedKeys::Info* info = tracked_.Find(*of, key);
  const Result<SequenceNumber> since = Acquire(of, key, tracking, info);
  if (!since.ok()) return since.status();
  if (info == nullptr) {
    const Status status = CatchExceptions([&] {
      info = tracked_.Track(of, key);
      return Status::OK();
    });
    if (!status.ok()) {
      Release(*of, key);
      return status;
    }
  }
  info->since = std::min(info->since, since.value());
  info->exclusive = info->exclusive || tracking.exclusive;
  return info;
}

Status TransactionBase::Add(ColumnFamilyHandle* family, ValueType type,
                            const Slice& key, const Slice& value) {
  if (indexes_) {
    TAMIS_RETURN_IF_ERROR(
        IndexedBatch::Of(batch_).Add(family, type, key, value));
  } else {
    TAMIS_RETURN_IF_ERROR(WriteBatchInternal::Add(batch_.GetWriteBatch(),
                                                  family, type, key, value));
  }
  if (type == kTypeValue) {
    ++counts_.puts;
  } else if (type == kTypeMerge) {
    ++counts_.merges;
  } else {
    ++counts_.deletes;
  }
  return Status::OK();
}

Status TransactionBase::Change(ColumnFamilyHandle* family, ValueType type,
                               const Slice& key, const Slice& value,
                               Assume assume) {
  return CatchExceptions([&] {
    if (assume == Assume::kTracked) {
      TrackedKeys::Info* const known = tracked_.Find(*FamilyOf(family), key);
      if (known == nullptr || !known->exclusive) {
        return Status::InvalidArgument(
            "assume_tracked", "the key is not tracked, or not exclusively");
      }
      known->written = true;
      return Add(family, type, key, value);
    }
    const auto info = Track(family, key, Tracking());
    TAMIS_RETURN_IF_ERROR(info.status());
    info.value()->written = true;
    return Add(family, type, key, value);
  });
}

Status TransactionBase::ChangeUntracked(ColumnFamilyHandle* family,
                                        ValueType type, const Slice& key,
                                        const Slice& value) {
  return CatchExceptions([&] {
    if (TracksUntracked()) {
      const auto info =
          Track(family, key, {.exclusive = true, .validate = false});
      TAMIS_RETURN_IF_ERROR(info.status());
      info.value()->written = true;
    }
    return Add(family, type, key, value);
  });
}

Status TransactionBase::Put(ColumnFamilyHandle* family, const Slice& key,
                            const Slice& value, bool assume_tracked) {
  return Change(family, kTypeValue, key, value, AssumeIf(assume_tracked));
}

Status TransactionBase::Merge(ColumnFamilyHandle* family, const Slice& key,
                              const Slice& operand, bool assume_tracked) {
  return Change(family, kTypeMerge, key, operand, AssumeIf(assume_tracked));
}

Status TransactionBase::Delete(ColumnFamilyHandle* family, const Slice& key,
                               bool assume_tracked) {
  return Change(family, kTypeDeletion, key, Slice(), AssumeIf(assume_tracked));
}

Status TransactionBase::SingleDelete(ColumnFamilyHandle* family,
                                     const Slice& key, bool assume_tracked) {
  return Change(family, kTypeSingleDeletion, key, Slice(),
                AssumeIf(assume_tracked));
}

Status TransactionBase::PutUntracked(ColumnFamilyHandle* family,
                                     const Slice& key, const Slice& value) {
  return ChangeUntracked(family, kTypeValue, key, value);
}

Status TransactionBase::MergeUntracked(ColumnFamilyHandle* family,
                                       const Slice& key, const Slice& operand) {
  return ChangeUntracked(family, kTypeMerge, key, operand);
}

Status TransactionBase::DeleteUntracked(ColumnFamilyHandle* family,
                                        const Slice& key) {
  return ChangeUntracked(family, kTypeDeletion, key, Slice());
}

Status TransactionBase::SingleDeleteUntracked(ColumnFamilyHandle* family,
                                              const Slice& key) {
  return ChangeUntracked(family, kTypeSingleDeletion, key, Slice());
}

Status TransactionBase::RebuildFromWriteBatch(WriteBatch* src_batch) {
  if (src_batch == nullptr) return Status::InvalidArgument("the batch is null");
  return CatchExceptions([&] {
    std::unique_ptr<ColumnFamilyHandle> family;
    return WriteBatchInternal::ForEach(
        *src_batch, [&](SequenceNumber, FamilyId id, ValueType type,
                        const Slice& key, const Slice& value) {
          if (type == kTypeRangeDeletion) {
            return Status::NotSupported(
                "DeleteRange", "a transaction tracks keys, and not ranges");
          }
          if (family == nullptr || family->GetID() != id.value()) {
            family.reset(root_->NewHandle(id));
          }
          return family == nullptr
                     ? WriteBatchInternal::NoSuchFamily(id)
                     : Change(family.get(), type, key, value, Assume::kNothing);
        });
  });
}

// Log data has no place to return an error: without memory, it is left out.
void TransactionBase::PutLogData(const Slice& blob) {
  (void)batch_.PutLogData(blob);
}

uint64_t TransactionBase::GetElapsedTime() const {
  return (clock()->NowMicros() - begun_micros_) / 1000;
}

void TransactionBase::UndoGetForUpdate(ColumnFamilyHandle* family,
                                       const Slice& key) {
  const ColumnFamily& of = *FamilyOf(family);
  TrackedKeys::Info* const info = tracked_.Find(of, key);
  if (info == nullptr || info->reads == 0) return;
  if (--info->reads > 0 || info->written) return;
  const TrackedKeys::Mark since =
      save_points_.empty() ? 0 : save_points_.back().mark;
  if (tracked_.Forget(of, key, since)) Release(of, key);
}

}  // namespace tamis
