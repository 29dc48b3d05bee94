// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/optimistic_transaction.h"

#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

OptimisticTransaction::OptimisticTransaction(
    DB* db, const WriteOptions& options,
    const OptimisticTransactionOptions& txn_options)
    : TransactionBase(db, options) {
  if (txn_options.set_snapshot) SetSnapshot();
}

void OptimisticTransaction::Restart(
    const WriteOptions& options,
    const OptimisticTransactionOptions& txn_options) {
  TransactionBase::Restart(options);
  if (txn_options.set_snapshot) SetSnapshot();
}

void OptimisticTransaction::Reset() {
  TransactionBase::Reset();
  oldest_.reset();
}

Result<SequenceNumber> OptimisticTransaction::Acquire(
    const ColumnFamilyPtr&, const Slice&, Tracking tracking,
    const TrackedKeys::Info*) {
  // Whether the database takes calls: it is open, and this process's.
  TAMIS_RETURN_IF_ERROR(root()->CheckUnchanged({}));
  const bool since_snapshot = tracking.validate && snapshot() != nullptr;
  if (oldest_ == nullptr && !since_snapshot) {
    oldest_ = NewSnapshot();
  }
  if (!since_snapshot) return db()->GetLatestSequenceNumber();
  const auto number = [](const ManagedSnapshot& of) {
    return of.snapshot()->GetSequenceNumber();
  };
  // A rollback to a save point may have brought an older one back.
  if (oldest_ == nullptr || number(*oldest_) > number(*snapshot())) {
    oldest_ = snapshot();
  }
  return number(*snapshot());
}

Status OptimisticTransaction::Prepare() {
  return Status::InvalidArgument(
      "Two phase commit not supported for optimistic transactions.");
}

Status OptimisticTransaction::Commit() {
  return CatchExceptions([&] {
    const std::vector<TrackedKey> keys = tracked().All();
    set_state(AWAITING_COMMIT);
    const Status status = root()->WriteIfUnchanged(
        *GetWriteOptions(), GetWriteBatch()->GetWriteBatch(), keys);
    set_state(status.ok() ? COMMITTED : STARTED);
    if (status.ok()) Reset();
    return status;
  });
}

Status OptimisticTransaction::SetName(const TransactionName&) {
  return Status::InvalidArgument("Optimistic transactions cannot be named.");
}

namespace {

class OptimisticTransactionDBImpl final : public OptimisticTransactionDB {
 public:
  explicit OptimisticTransactionDBImpl(std::unique_ptr<DB> db)
      : OptimisticTransactionDB(std::shared_ptr<DB>(std::move(db))) {}

  Transaction* BeginTransaction(const WriteOptions& write_options,
                                const OptimisticTransactionOptions& txn_options,
                                Transaction* old_txn) override {
    if (old_txn == nullptr) {
      return new OptimisticTransaction(db_, write_options, txn_options);
    }
    static_cast<OptimisticTransaction*>(old_txn)->Restart(write_options,
                                                          txn_options);
    return old_txn;
  }
};

Status WrapOptimistic(std::unique_ptr<DB> opened,
                      OptimisticTransactionDB** db) {
  return CatchExceptions([&] {
    *db = new OptimisticTransactionDBImpl(std::move(opened));
    return Status::OK();
  });
}

}  // namespace

Status OptimisticTransactionDB::Open(const Options& options,
                                     const std::string& name,
                                     OptimisticTransactionDB** db) {
  *db = nullptr;
  std::unique_ptr<DB> opened;
  TAMIS_RETURN_IF_ERROR(DB::Open(options, name, &opened));
  return WrapOptimistic(std::move(opened), db);
}

Status OptimisticTransactionDB::Open(
    const DBOptions& options, const std::string& name,
    const std::vector<ColumnFamilyDescriptor>& families,
    std::vector<ColumnFamilyHandle*>* handles, OptimisticTransactionDB** db) {
  *db = nullptr;
  std::unique_ptr<DB> opened;
  TAMIS_RETURN_IF_ERROR(DB::Open(options, name, families, handles, &opened));
  return WrapOptimistic(std::move(opened), db);
}

Status OptimisticTransactionDB::Open(
    const DBOptions& options, const OptimisticTransactionDBOptions&,
    const std::string& name,
    const std::vector<ColumnFamilyDescriptor>& families,
    std::vector<ColumnFamilyHandle*>* handles, OptimisticTransactionDB** db) {
  return Open(options, name, families, handles, db);
}

}  // namespace tamis
