// SPDX-License-Identifier: Apache-2.0
//
// What optimistic and pessimistic transactions have in common: the batch with
// its index, the snapshot, save points and the keys that are tracked. They
// differ in what it takes to track a key, and in Commit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/clock.h"
#include "tamis/db.h"
#include "tamis/utilities/transaction.h"
#include "tamis/utilities/write_batch_with_index.h"

#include "db/db_facade.h"
#include "db/transaction/tracked_keys.h"

namespace tamis {

// How an operation tracks a key.
struct Tracking {
  bool exclusive = true;
  bool validate = true;  // changes after the snapshot count
};

class TransactionBase : public Transaction {
 public:
  void SetSnapshot() override;
  void SetSnapshotOnNextOperation(
      std::shared_ptr<TransactionNotifier> notifier) override;
  const Snapshot* GetSnapshot() const override {
    return snapshot_ != nullptr ? snapshot_->snapshot() : nullptr;
  }
  void ClearSnapshot() override;
  Status Rollback() override;
  void SetSavePoint() override;
  Status RollbackToSavePoint() override;
  Status PopSavePoint() override;
  using Transaction::Get;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, PinnableSlice* value) override;
  using Transaction::MultiGet;
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                size_t num_keys, const Slice* keys, PinnableSlice* values,
                Status* statuses, bool sorted_input) override;
  using Transaction::GetForUpdate;
  Status GetForUpdate(const ReadOptions& options, ColumnFamilyHandle* family,
                      const Slice& key, PinnableSlice* value, bool exclusive,
                      bool do_validate) override;
  using Transaction::GetIterator;
  Iterator* GetIterator(const ReadOptions& options,
                        ColumnFamilyHandle* family) override;
  using Transaction::Put;
  Status Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value,
             bool assume_tracked) override;
  using Transaction::Merge;
  Status Merge(ColumnFamilyHandle* family, const Slice& key,
               const Slice& operand, bool assume_tracked) override;
  using Transaction::Delete;
  Status Delete(ColumnFamilyHandle* family, const Slice& key,
                bool assume_tracked) override;
  using Transaction::SingleDelete;
  Status SingleDelete(ColumnFamilyHandle* family, const Slice& key,
                      bool assume_tracked) override;
  using Transaction::PutUntracked;
  Status PutUntracked(ColumnFamilyHandle* family, const Slice& key,
                      const Slice& value) override;
  using Transaction::MergeUntracked;
  Status MergeUntracked(ColumnFamilyHandle* family, const Slice& key,
                        const Slice& operand) override;
  using Transaction::DeleteUntracked;
  Status DeleteUntracked(ColumnFamilyHandle* family, const Slice& key) override;
  using Transaction::SingleDeleteUntracked;
  Status SingleDeleteUntracked(ColumnFamilyHandle* family,
                               const Slice& key) override;
  void PutLogData(const Slice& blob) override;
  void DisableIndexing() override { indexes_ = false; }
  void EnableIndexing() override { indexes_ = true; }
  uint64_t GetNumKeys() const override { return tracked_.size(); }
  uint64_t GetNumPuts() const override { return counts_.puts; }
  uint64_t GetNumDeletes() const override { return counts_.deletes; }
  uint64_t GetNumMerges() const override { return counts_.merges; }
  uint64_t GetElapsedTime() const override;
  WriteBatchWithIndex* GetWriteBatch() override { return &batch_; }
  using Transaction::UndoGetForUpdate;
  void UndoGetForUpdate(ColumnFamilyHandle* family, const Slice& key) override;
  Status RebuildFromWriteBatch(WriteBatch* src_batch) override;
  WriteBatch* GetCommitTimeWriteBatch() override { return &at_commit_; }
  WriteOptions* GetWriteOptions() override { return &write_options_; }
  void SetWriteOptions(const WriteOptions& options) override {
    write_options_ = options;
  }

 protected:
  // `db` must outlive *this.
  TransactionBase(DB* db, const WriteOptions& options);

  // Does what it takes to track the key, which *info describes if it is tracked
  // already; otherwise nullptr. Returns since when it counts as unchanged.
  virtual Result<SequenceNumber> Acquire(const ColumnFamilyPtr& family,
                                         const Slice& key, Tracking tracking,
                                         const TrackedKeys::Info* info) = 0;
  // The key is about to be forgotten.
  virtual void Release(const ColumnFamily& family,
                       const Slice& key) noexcept = 0;
  // Whether changes without a check are tracked all the same.
  virtual bool TracksUntracked() const = 0;
  // Forgets all: changes, keys, save points, the snapshot.
  virtual void Reset();
  // Makes *this a transaction that has just begun.
  void Restart(const WriteOptions& options);

  // Returns nullptr in a forked process.
  std::shared_ptr<const ManagedSnapshot> NewSnapshot() const;

  DB* db() const { return &db_; }
  // Returns the root of db(). REQUIRES: it is one that DB::Open returned.
  DBFacade* root() const { return root_; }
  Clock* clock() const { return root_->context().clock(); }
  const std::shared_ptr<const ManagedSnapshot>& snapshot() const {
    return snapshot_;
  }
  const TrackedKeys& tracked() const { return tracked_; }

 private:
  struct Counts {
    uint64_t puts = 0;
    uint64_t deletes = 0;
    uint64_t merges = 0;
  };
  struct SavePoint {
    TrackedKeys::Mark mark;
    Counts counts;
    std::shared_ptr<const ManagedSnapshot> snapshot;
  };
  enum class Assume : uint8_t { kNothing, kTracked };
  static Assume AssumeIf(bool tracked) {
    return tracked ? Assume::kTracked : Assume::kNothing;
  }

  ColumnFamilyHandle* OrDefault(ColumnFamilyHandle* family) const;
  const ColumnFamilyPtr& FamilyOf(ColumnFamilyHandle* family) const;
  void TakeSnapshotIfDue();
  Result<TrackedKeys::Info*> Track(ColumnFamilyHandle* family, const Slice& key,
                                   Tracking tracking);
  // Tracks the key, then adds the change and counts it.
  Status Change(ColumnFamilyHandle* family, ValueType type, const Slice& key,
                const Slice& value, Assume assume);
  Status ChangeUntracked(ColumnFamilyHandle* family, ValueType type,
                         const Slice& key, const Slice& value);
  Status Add(ColumnFamilyHandle* family, ValueType type, const Slice& key,
             const Slice& value);
  void ForgetAfter(TrackedKeys::Mark mark);

  DB& db_;
  DBFacade* const root_;
  WriteOptions write_options_;
  WriteBatchWithIndex batch_;
  WriteBatch at_commit_;
  bool indexes_ = true;
  TrackedKeys tracked_;
  Counts counts_;
  std::vector<SavePoint> save_points_;
  std::shared_ptr<const ManagedSnapshot> snapshot_;
  bool snapshot_is_due_ = false;
  std::shared_ptr<TransactionNotifier> notifier_;
  uint64_t begun_micros_;
};

}  // namespace tamis
