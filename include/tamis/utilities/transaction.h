// SPDX-License-Identifier: Apache-2.0
//
// A Transaction collects changes, reads them as if they were written, and
// writes all of them at once, or none. OptimisticTransactionDB and
// TransactionDB begin transactions; they differ in how a transaction meets the
// writes of others to the keys that it tracks:
//
//                     optimistic                pessimistic
//   Put, GetForUpdate note the key              lock the key; may wait
//   Commit            Busy if a tracked key     writes
//                     has changed meanwhile
//
// A transaction tracks the keys that it changes and those of GetForUpdate. What
// a mere Get has read may have changed by the time of Commit.
//
//   Transaction* txn = db->BeginTransaction(WriteOptions());
//   std::string value;
//   Status status = txn->GetForUpdate(ReadOptions(), "a", &value);
//   if (status.ok()) status = txn->Put("a", value + "+");
//   if (status.ok()) status = txn->Commit();
//   delete txn;  // without a Commit, nothing is written
//
// Two-phase commit, where several databases are to commit together or not at
// all, is for pessimistic transactions. A coordinator has each of them prepare;
// only if all could, it has them commit:
//
//   SetName ─▶ Prepare ──▶ Commit       STARTED ─▶ PREPARED ──▶ COMMITTED
//                  └─────▶ Rollback                       └───▶ ROLLEDBACK
//
// What was prepared is in the log. After a crash it is neither written nor
// lost: TransactionDB::Open takes its locks again, and the coordinator finds it
// by GetAllPreparedTransactions or by its name.
//
// Absent: timestamps, wide columns, deletions of ranges.
//
// In a forked process, calls fail with NotSupported, and the destructor leaves
// the database alone, as db.h describes.
//
// Threads: one at a time; different transactions at the same time.
// Lifetime: must be deleted before its database is. Iterators must be deleted
// before the transaction.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/snapshot.h"
#include "tamis/status.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamilyHandle;
class Iterator;
class WriteBatch;
class WriteBatchWithIndex;

// What a prepared transaction is found by after a crash.
using TransactionName = std::string;
// Counts the transactions of a process.
using TransactionID = uint64_t;

// Told when a transaction takes a snapshot.
class TAMIS_EXPORT TransactionNotifier {
 public:
  virtual ~TransactionNotifier();
  // Implement to be notified when a snapshot is created with
  // SetSnapshotOnNextOperation. `new_snapshot` is the transaction's.
  virtual void SnapshotCreated(const Snapshot* new_snapshot) = 0;
};

class TAMIS_EXPORT Transaction {
 public:
  // What has become of it. LOCKS_STOLEN: it has expired, and another took its
  // locks. It is AWAITING_... during the call.
  enum TransactionState {
    STARTED = 0,
    AWAITING_PREPARE = 1,
    PREPARED = 2,
    AWAITING_COMMIT = 3,
    COMMITTED = 4,
    AWAITING_ROLLBACK = 5,
    ROLLEDBACK = 6,
    LOCKS_STOLEN = 7,
  };

  virtual ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Takes a snapshot. From then on, a key counts as changed by others if it was
  // changed after the snapshot: an operation that tracks the key, or Commit,
  // fails with Busy. Reads of the transaction use it only if
  // ReadOptions::snapshot is GetSnapshot(). May throw std::bad_alloc.
  virtual void SetSnapshot() = 0;
  // Does so before the next change or GetForUpdate, and then tells `notifier`,
  // if it is not nullptr.
  virtual void SetSnapshotOnNextOperation(
      std::shared_ptr<TransactionNotifier> notifier = nullptr) = 0;
  // Returns the snapshot, or nullptr. It is valid until Commit, Rollback,
  // ClearSnapshot, or the next one is taken.
  virtual const Snapshot* GetSnapshot() const = 0;
  virtual void ClearSnapshot() = 0;

  // Writes the changes to the log, from where Commit or Rollback takes them,
  // and keeps their locks; it does not expire from then on. They are as durable
  // as a write with its WriteOptions: set sync for one that survives a power
  // cut. Returns InvalidArgument without a name, if it was prepared before, or
  // if it is optimistic; Expired if it has; or an error of DB::Write, after
  // which it may be called again. Changes that are made after it are part of
  // Commit, but not of what is prepared.
  //
  // A prepared transaction that is deleted remains prepared in the log, and is
  // there at the next open; its locks are released.
  virtual Status Prepare() = 0;
  // Writes the changes. Returns Busy if a tracked key has changed (optimistic),
  // Expired if the transaction has (pessimistic), InvalidArgument
  // (IsTxnNotPrepared) if it must be prepared first, or an error of DB::Write.
  // After an error other than these nothing has changed, and Commit may be
  // called again; after Busy, Rollback and begin anew.
  virtual Status Commit() = 0;
  // Forgets all changes, and the keys that are tracked. One that is prepared is
  // then ROLLEDBACK, by a record in the log, or unchanged after an error of
  // DB::Write; another may be used further.
  virtual Status Rollback() = 0;

  // Adds a save point to those of the transaction. May throw std::bad_alloc.
  virtual void SetSavePoint() = 0;
  // Removes the newest save point, what was changed and which keys came to be
  // tracked since. Returns NotFound if there is none.
  virtual Status RollbackToSavePoint() = 0;
  // Removes the newest save point alone. Returns NotFound if there is none.
  virtual Status PopSavePoint() = 0;

  // Read what DB::Get would if the changes were written: see
  // WriteBatchWithIndex::GetFromBatchAndDB.
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
                     const Slice& key, PinnableSlice* value) = 0;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, std::string* value);
  Status Get(const ReadOptions& options, const Slice& key,
             PinnableSlice* value);
  Status Get(const ReadOptions& options, const Slice& key, std::string* value);
  virtual void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                        size_t num_keys, const Slice* keys,
                        PinnableSlice* values, Status* statuses,
                        bool sorted_input = false) = 0;
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<ColumnFamilyHandle*>& families,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values);
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values);

  // Track the key, then read it. With `exclusive`, no other transaction may
  // track it at the same time; otherwise others may read it so, too
  // (pessimistic). Without `do_validate`, a change after the snapshot does not
  // count. `value` may be nullptr, to track alone. Return Busy, and
  // (pessimistic) TimedOut or Busy with subcode kDeadlock, beside what Get
  // returns. InvalidArgument if options.snapshot is not nullptr without
  // do_validate.
  virtual Status GetForUpdate(const ReadOptions& options,
                              ColumnFamilyHandle* family, const Slice& key,
                              PinnableSlice* value, bool exclusive = true,
                              bool do_validate = true) = 0;
  Status GetForUpdate(const ReadOptions& options, ColumnFamilyHandle* family,
                      const Slice& key, std::string* value,
                      bool exclusive = true, bool do_validate = true);
  Status GetForUpdate(const ReadOptions& options, const Slice& key,
                      PinnableSlice* value, bool exclusive = true,
                      bool do_validate = true);
  Status GetForUpdate(const ReadOptions& options, const Slice& key,
                      std::string* value, bool exclusive = true,
                      bool do_validate = true);
  // Does so for several keys, and stops at the first that it cannot track: all
  // have then this status.
  std::vector<Status> MultiGetForUpdate(
      const ReadOptions& options,
      const std::vector<ColumnFamilyHandle*>& families,
      const std::vector<Slice>& keys, std::vector<std::string>* values);
  std::vector<Status> MultiGetForUpdate(const ReadOptions& options,
                                        const std::vector<Slice>& keys,
                                        std::vector<std::string>* values);

  // Return an iterator over keys as they would be if the changes were written,
  // which the caller deletes. It shows later changes, too.
  virtual Iterator* GetIterator(const ReadOptions& options,
                                ColumnFamilyHandle* family) = 0;
  Iterator* GetIterator(const ReadOptions& options);

  // Track the key, then add the change. With `assume_tracked`, the key must be
  // tracked already, as by a GetForUpdate of the same snapshot: returns
  // InvalidArgument if it is not.
  virtual Status Put(ColumnFamilyHandle* family, const Slice& key,
                     const Slice& value, bool assume_tracked = false) = 0;
  Status Put(const Slice& key, const Slice& value);
  Status Put(ColumnFamilyHandle* family, const SliceParts& key,
             const SliceParts& value, bool assume_tracked = false);
  Status Put(const SliceParts& key, const SliceParts& value);
  virtual Status Merge(ColumnFamilyHandle* family, const Slice& key,
                       const Slice& operand, bool assume_tracked = false) = 0;
  Status Merge(const Slice& key, const Slice& operand);
  virtual Status Delete(ColumnFamilyHandle* family, const Slice& key,
                        bool assume_tracked = false) = 0;
  Status Delete(const Slice& key);
  Status Delete(ColumnFamilyHandle* family, const SliceParts& key,
                bool assume_tracked = false);
  Status Delete(const SliceParts& key);
  virtual Status SingleDelete(ColumnFamilyHandle* family, const Slice& key,
                              bool assume_tracked = false) = 0;
  Status SingleDelete(const Slice& key);
  Status SingleDelete(ColumnFamilyHandle* family, const SliceParts& key,
                      bool assume_tracked = false);
  Status SingleDelete(const SliceParts& key);

  // Add a change without a check whether others have changed the key. An
  // optimistic transaction does not track it; a pessimistic one locks it.
  virtual Status PutUntracked(ColumnFamilyHandle* family, const Slice& key,
                              const Slice& value) = 0;
  Status PutUntracked(const Slice& key, const Slice& value);
  virtual Status MergeUntracked(ColumnFamilyHandle* family, const Slice& key,
                                const Slice& operand) = 0;
  Status MergeUntracked(const Slice& key, const Slice& operand);
  virtual Status DeleteUntracked(ColumnFamilyHandle* family,
                                 const Slice& key) = 0;
  Status DeleteUntracked(const Slice& key);
  virtual Status SingleDeleteUntracked(ColumnFamilyHandle* family,
                                       const Slice& key) = 0;
  Status SingleDeleteUntracked(const Slice& key);

  // Adds bytes to the log record without changing the database.
  virtual void PutLogData(const Slice& blob) = 0;

  // While indexing is disabled, reads of the transaction do not see what it
  // changes: cheaper for changes that it does not read.
  virtual void DisableIndexing() = 0;
  virtual void EnableIndexing() = 0;

  // The number of keys tracked, and of changes by kind.
  virtual uint64_t GetNumKeys() const = 0;
  // Return how many changes of a kind it has.
  virtual uint64_t GetNumPuts() const = 0;
  virtual uint64_t GetNumDeletes() const = 0;
  virtual uint64_t GetNumMerges() const = 0;
  // Milliseconds since it began.
  virtual uint64_t GetElapsedTime() const = 0;

  // Returns the changes. They must not be changed.
  virtual WriteBatchWithIndex* GetWriteBatch() = 0;
  // Undoes a GetForUpdate of the key, unless it was changed, or read so before.
  // After SetSavePoint only what was done since.
  virtual void UndoGetForUpdate(ColumnFamilyHandle* family,
                                const Slice& key) = 0;
  void UndoGetForUpdate(const Slice& key);

  // Makes each change of the batch as if by a call, and takes locks for it.
  // Stops at the first error.
  virtual Status RebuildFromWriteBatch(WriteBatch* src_batch) = 0;
  // Returns a batch that Commit writes before the changes if it is prepared; it
  // is InvalidArgument for Commit to find changes in it otherwise. Locks are
  // not taken for it, and it is no part of what is prepared.
  virtual WriteBatch* GetCommitTimeWriteBatch() = 0;

  // The options that Commit writes with.
  virtual WriteOptions* GetWriteOptions() = 0;
  virtual void SetWriteOptions(const WriteOptions& options) = 0;

  // A name, unique among the database's transactions, of 1 to 512 bytes, which
  // can be set once. Returns InvalidArgument for another.
  virtual Status SetName(const TransactionName& name) = 0;
  const TransactionName& GetName() const { return name_; }
  // Unique in the process. Never 0.
  TransactionID GetID() const { return id_; }
  TransactionState GetState() const { return state_.load(); }

  // Milliseconds to wait for a lock, < 0 means without limit. Pessimistic.
  virtual void SetLockTimeout(int64_t timeout_ms) = 0;
  virtual bool IsDeadlockDetect() const { return false; }
  // Returns the transactions that hold the lock that it waits for, and sets
  // *family_id and *key to it. Any thread. Pessimistic.
  virtual std::vector<TransactionID> GetWaitingTxns(uint32_t* family_id,
                                                    std::string* key) const;

 protected:
  Transaction();
  // For classes that implement this one.
  void set_state(TransactionState state) { state_.store(state); }
  // Sets the state if it is `from`; returns whether.
  bool ChangeState(TransactionState from, TransactionState to) {
    return state_.compare_exchange_strong(from, to);
  }
  // Makes it a transaction that has just begun, with an id of its own.
  void BeginAgain();

  // As SetName sets it.
  TransactionName name_;

 private:
  TransactionID id_;
  std::atomic<TransactionState> state_{STARTED};
};

}  // namespace tamis
