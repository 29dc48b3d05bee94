// SPDX-License-Identifier: Apache-2.0
//
// A transaction without locks: it notes since when each key counts as
// unchanged, and Commit writes its batch only if all still are.
#pragma once

#include <memory>

#include "tamis/utilities/optimistic_transaction_db.h"

#include "db/transaction/transaction_base.h"

namespace tamis {

class OptimisticTransaction final : public TransactionBase {
 public:
  OptimisticTransaction(DB* db, const WriteOptions& options,
                        const OptimisticTransactionOptions& txn_options);
  ~OptimisticTransaction() override { Reset(); }

  // Makes *this a new transaction.
  void Restart(const WriteOptions& options,
               const OptimisticTransactionOptions& txn_options);

  // Returns InvalidArgument.
  Status Prepare() override;
  Status Commit() override;
  // Returns InvalidArgument.
  Status SetName(const TransactionName& name) override;
  void SetLockTimeout(int64_t) override {}  // it waits for no lock

 private:
  Result<SequenceNumber> Acquire(const ColumnFamilyPtr& family,
                                 const Slice& key, Tracking tracking,
                                 const TrackedKeys::Info* info) override;
  void Release(const ColumnFamily&, const Slice&) noexcept override {}
  bool TracksUntracked() const override { return false; }
  void Reset() override;

  // Taken not later than the first key came to be tracked: compactions keep
  // what tells of changes since.
  std::shared_ptr<const ManagedSnapshot> oldest_;
};

}  // namespace tamis
