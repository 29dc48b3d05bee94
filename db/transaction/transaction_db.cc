// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/transaction_db.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "db/transaction/pessimistic_transaction.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

namespace {

using KeysByFamily = std::set<std::pair<FamilyId, std::string>>;

Result<KeysByFamily> KeysOf(const WriteBatch& batch) {
  KeysByFamily keys;
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::ForEach(
      batch, [&](SequenceNumber, FamilyId family, ValueType type,
                 const Slice& key, const Slice&) {
        if (type == kTypeRangeDeletion) {
          return Status::NotSupported(
              "DeleteRange", "a TransactionDB locks keys, and not ranges");
        }
        keys.emplace(family, key.ToString());
        return Status::OK();
      }));
  return keys;
}

// The locks of a plain write. All take them in the same order, so that no two
// wait for each other.
class WriteLocks final : public LockOwner {
 public:
  explicit WriteLocks(PointLocks* locks) : locks_(*locks) {}
  ~WriteLocks() {
    for (const auto& [family, key] : held_) locks_.Unlock(*this, family, key);
  }
  // Plain writes are no transactions, and never part of a deadlock.
  TransactionID lock_id() const override { return 0; }

  Status Lock(const KeysByFamily& keys, int64_t timeout_ms) {
    for (const auto& [family, key] : keys) {
      const auto held = held_.emplace(family, key).first;
      const Status status =
          locks_.Lock(this, {.family = family,
                             .key = key,
                             .exclusive = true,
                             .timeout_micros = MillisToMicros(timeout_ms),
                             .deadlock_depth = 0});
      if (status.ok()) continue;
      held_.erase(held);
      return status;
    }
    return Status::OK();
  }

 private:
  PointLocks& locks_;
  KeysByFamily held_;
};

class TransactionDBImpl final : public TransactionDB {
 public:
  TransactionDBImpl(const std::shared_ptr<DB>& db,
                    const TransactionDBOptions& options)
      : TransactionDB(db), shared_(options, DBFacade::Of(db_)->context()) {}

  ~TransactionDBImpl() override {
    std::vector<const Transaction*> recovered;
    {
      MutexLock lock(&shared_.mutex);
      for (const auto& [name, txn] : shared_.named) {
        if (static_cast<PessimisticTransaction*>(txn)->is_recovered()) {
          recovered.push_back(txn);
        }
      }
    }
    for (const Transaction* const txn : recovered) delete txn;
  }

  // Makes transactions of what the logs have as prepared.
  Status RecoverPrepared() {
    PreparedSections::ById prepared = DBFacade::Of(db_)->TakePrepared();
    for (auto& [name, changes] : prepared) {
      auto txn = std::make_unique<PessimisticTransaction>(
          db_, &shared_, WriteOptions(), TransactionOptions());
      TAMIS_RETURN_IF_ERROR(txn->Recover(name, &changes));
      (void)txn.release();  // ~TransactionDBImpl deletes it, or the user
    }
    return Status::OK();
  }

  Status Write(const WriteOptions& options, WriteBatch* batch) override {
    return Write(options, TransactionDBWriteOptimizations(), batch);
  }
  Status Write(const WriteOptions& options,
               const TransactionDBWriteOptimizations& optimizations,
               WriteBatch* batch) override {
    if (batch == nullptr || optimizations.skip_concurrency_control ||
        shared_.options.skip_concurrency_control) {
      return db_->Write(options, batch);
    }
    return CatchExceptions([&] {
      const Result<KeysByFamily> keys = KeysOf(*batch);
      TAMIS_RETURN_IF_ERROR(keys.status());
      WriteLocks locks(&shared_.locks);
      TAMIS_RETURN_IF_ERROR(
          locks.Lock(keys.value(), shared_.options.default_lock_timeout));
      return db_->Write(options, batch);
    });
  }

  Transaction* BeginTransaction(const WriteOptions& write_options,
                                const TransactionOptions& txn_options,
                                Transaction* old_txn) override {
    if (old_txn == nullptr) {
      return new PessimisticTransaction(db_, &shared_, write_options,
                                        txn_options);
    }
    static_cast<PessimisticTransaction*>(old_txn)->Restart(write_options,
                                                           txn_options);
    return old_txn;
  }

  Transaction* GetTransactionByName(const TransactionName& name) override {
    if (!shared_.locks.CheckProcess().ok()) return nullptr;
    MutexLock lock(&shared_.mutex);
    const auto found = shared_.named.find(name);
    return found != shared_.named.end() ? found->second : nullptr;
  }

  void GetAllPreparedTransactions(std::vector<Transaction*>* txns) override {
    txns->clear();
    if (!shared_.locks.CheckProcess().ok()) return;
    MutexLock lock(&shared_.mutex);
    for (const auto& [name, txn] : shared_.named) {
      if (txn->GetState() == Transaction::PREPARED) txns->push_back(txn);
    }
    std::sort(txns->begin(), txns->end(),
              [](const Transaction* a, const Transaction* b) {
                return a->GetName() < b->GetName();
              });
  }

  std::unordered_multimap<uint32_t, KeyLockInfo> GetLockStatusData() override {
    return shared_.locks.All();
  }

 private:
  TransactionShared shared_;
};

Status CheckTransactionOptions(const TransactionDBOptions& options) {
  if (options.num_stripes > 0) return Status::OK();
  return Status::InvalidArgument("TransactionDBOptions",
                                 "num_stripes must be at least 1");
}

// After an error there are no handles, which would outlive their database.
Status Wrap(std::unique_ptr<DB> opened, const TransactionDBOptions& options,
            std::vector<ColumnFamilyHandle*>* handles, TransactionDB** db) {
  std::shared_ptr<DB> shared;
  std::unique_ptr<TransactionDBImpl> made;
  const Status status = CatchExceptions([&] {
    shared = std::move(opened);
    made = std::make_unique<TransactionDBImpl>(shared, options);
    return made->RecoverPrepared();
  });
  if (status.ok()) {
    *db = made.release();
    return status;
  }
  for (ColumnFamilyHandle* const handle : *handles) delete handle;
  handles->clear();
  return status;
}

}  // namespace

Status TransactionDB::Open(const Options& options,
                           const TransactionDBOptions& txn_db_options,
                           const std::string& name, TransactionDB** db) {
  *db = nullptr;
  TAMIS_RETURN_IF_ERROR(CheckTransactionOptions(txn_db_options));
  std::unique_ptr<DB> opened;
  Options with_2pc = options;
  with_2pc.allow_2pc = true;
  TAMIS_RETURN_IF_ERROR(DB::Open(with_2pc, name, &opened));
  std::vector<ColumnFamilyHandle*> none;
  return Wrap(std::move(opened), txn_db_options, &none, db);
}

Status TransactionDB::Open(const DBOptions& options,
                           const TransactionDBOptions& txn_db_options,
                           const std::string& name,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           std::vector<ColumnFamilyHandle*>* handles,
                           TransactionDB** db) {
  *db = nullptr;
  TAMIS_RETURN_IF_ERROR(CheckTransactionOptions(txn_db_options));
  std::unique_ptr<DB> opened;
  DBOptions with_2pc = options;
  with_2pc.allow_2pc = true;
  TAMIS_RETURN_IF_ERROR(DB::Open(with_2pc, name, families, handles, &opened));
  return Wrap(std::move(opened), txn_db_options, handles, db);
}

}  // namespace tamis
