// SPDX-License-Identifier: Apache-2.0
//
// A transaction that locks its keys. Until it ends, no other transaction, and
// no write through the TransactionDB, changes them; so Commit has only to write
// its batch.
//
// Its state tells who may end it: the transaction itself, or, once it has
// expired, another that wants one of its locks.
//
//   STARTED ──▶ AWAITING_COMMIT ──▶ COMMITTED
//    │  │            ▲
//    │  │            └────────────────────┐
//    │  └──▶ AWAITING_PREPARE ──▶ PREPARED ──▶ AWAITING_ROLLBACK ──▶ ROLLEDBACK
//    └─────▶ LOCKS_STOLEN
//
// A failed write returns it to the state before.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tamis/utilities/transaction_db.h"

#include "db/transaction/point_locks.h"
#include "db/transaction/transaction_base.h"
#include "util/base/string_map.h"

namespace tamis {

// What the transactions of one TransactionDB share.
struct TransactionShared {
  TransactionShared(const TransactionDBOptions& txn_db_options,
                    const DBContext& context)
      : options(txn_db_options),
        locks(txn_db_options, context.runner(), context.clock()) {}

  const TransactionDBOptions options;
  PointLocks locks;
  Mutex mutex;
  StringMap<Transaction*> named GUARDED_BY(mutex);
};

class PessimisticTransaction final : public TransactionBase, public LockOwner {
 public:
  // `db` and `shared` must outlive *this.
  PessimisticTransaction(DB* db, TransactionShared* shared,
                         const WriteOptions& options,
                         const TransactionOptions& txn_options);
  ~PessimisticTransaction() override;

  // Makes *this, which has just begun, the prepared transaction of that name
  // that the log has. Fails as SetName and the locks of the changes do. May
  // throw.
  Status Recover(const TransactionName& name, WriteBatch* changes);
  bool is_recovered() const { return recovered_; }

  // Makes *this a new transaction.
  void Restart(const WriteOptions& options,
               const TransactionOptions& txn_options);

  Status Prepare() override;
  Status Commit() override;
  Status Rollback() override;
  Status SetName(const TransactionName& name) override;
  void SetLockTimeout(int64_t timeout_ms) override;
  bool IsDeadlockDetect() const override { return deadlock_depth_ > 0; }
  std::vector<TransactionID> GetWaitingTxns(uint32_t* family_id,
                                            std::string* key) const override;

  TransactionID lock_id() const override { return GetID(); }
  uint64_t expires_at() const override { return expires_at_; }
  bool GiveUpLocks() noexcept override;

 private:
  Result<SequenceNumber> Acquire(const ColumnFamilyPtr& family,
                                 const Slice& key, Tracking tracking,
                                 const TrackedKeys::Info* info) override;
  void Release(const ColumnFamily& family, const Slice& key) noexcept override;
  bool TracksUntracked() const override { return true; }
  void Begin(const TransactionOptions& txn_options);
  bool HasExpired() const;
  // Takes a name, which no other transaction may have. May throw.
  Status TakeName(const TransactionName& name);
  void ForgetName() noexcept;
  Status CommitPrepared();
  // Writes what has become of a prepared transaction, with its last changes.
  Status Resolve(WriteBatch* changes);
  // Returns the error of a call that the state does not allow.
  Status WrongState(const Slice& otherwise) const;

  TransactionShared& shared_;
  bool locks_ = true;
  bool skip_prepare_ = true;
  bool recovered_ = false;
  int64_t timeout_micros_ = 0;  // < 0: none
  int64_t deadlock_depth_ = 0;  // 0: deadlocks are not looked for
  // See LockOwner. Set while it has no lock.
  std::atomic<uint64_t> expires_at_{0};
};

}  // namespace tamis
