// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/pessimistic_transaction.h"

#include <algorithm>

#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

namespace {

constexpr size_t kNameBytesMax = 512;

}  // namespace

PessimisticTransaction::PessimisticTransaction(
    DB* db, TransactionShared* shared, const WriteOptions& options,
    const TransactionOptions& txn_options)
    : TransactionBase(db, options), shared_(*shared) {
  Begin(txn_options);
}

PessimisticTransaction::~PessimisticTransaction() {
  Reset();
  ForgetName();
}

void PessimisticTransaction::Begin(const TransactionOptions& txn_options) {
  locks_ = !txn_options.skip_concurrency_control &&
           !shared_.options.skip_concurrency_control;
  timeout_micros_ = MillisToMicros(
      txn_options.lock_timeout >= 0 ? txn_options.lock_timeout
                                    : shared_.options.transaction_lock_timeout);
  deadlock_depth_ =
      txn_options.deadlock_detect
          ? std::max<int64_t>(txn_options.deadlock_detect_depth, 1)
          : 0;
  expires_at_ =
      txn_options.expiration >= 0
          ? clock()->NowMicros() +
                static_cast<uint64_t>(MillisToMicros(txn_options.expiration))
          : 0;
  GetWriteBatch()->SetMaxBytes(txn_options.max_write_batch_size);
  if (txn_options.set_snapshot) SetSnapshot();
}

void PessimisticTransaction::Restart(const WriteOptions& options,
                                     const TransactionOptions& txn_options) {
  ForgetName();
  TransactionBase::Restart(options);
  Begin(txn_options);
}

bool PessimisticTransaction::HasExpired() const {
  const uint64_t at = expires_at_;
  return GetState() == LOCKS_STOLEN || (at != 0 && clock()->NowMicros() >= at);
}

bool PessimisticTransaction::GiveUpLocks() noexcept {
  return ChangeState(STARTED, LOCKS_STOLEN) || GetState() == LOCKS_STOLEN;
}

Result<SequenceNumber> PessimisticTransaction::Acquire(
    const ColumnFamilyPtr& family, const Slice& key, Tracking tracking,
    const TrackedKeys::Info* info) {
  if (HasExpired()) return Status::Expired();
  const bool locks =
      locks_ && (info == nullptr || (tracking.exclusive && !info->exclusive));
  if (locks) {
    TAMIS_RETURN_IF_ERROR(
        shared_.locks.Lock(this, {.family = family->id(),
                                  .key = key,
                                  .exclusive = tracking.exclusive,
                                  .timeout_micros = timeout_micros_,
                                  .deadlock_depth = deadlock_depth_}));
  }
  if (!tracking.validate || GetSnapshot() == nullptr) {
    return db()->GetLatestSequenceNumber();
  }
  const SequenceNumber since = GetSnapshot()->GetSequenceNumber();
  if (info != nullptr && info->since <= since) return since;
  const TrackedKey tracked{family.get(), key, since};
  const Status unchanged = root()->CheckUnchanged({&tracked, 1});
  if (unchanged.ok()) return since;
  if (locks && info == nullptr) Release(*family, key);
  return unchanged;
}

void PessimisticTransaction::Release(const ColumnFamily& family,
                                     const Slice& key) noexcept {
  if (locks_) shared_.locks.Unlock(*this, family.id(), key);
}

Status PessimisticTransaction::Commit() {
  if (GetState() == COMMITTED) {
    return Status::InvalidArgument("Transaction has already been committed.");
  }
  if (HasExpired() || !ChangeState(STARTED, AWAITING_COMMIT)) {
    return Status::Expired();
  }
  const Status status =
      db()->Write(*GetWriteOptions(), GetWriteBatch()->GetWriteBatch());
  set_state(status.ok() ? COMMITTED : STARTED);
  if (!status.ok()) return status;
  Reset();
  ForgetName();
  return status;
}

Status PessimisticTransaction::Rollback() {
  if (GetState() == COMMITTED) {
    return Status::InvalidArgument(
        "This transaction has already been committed.");
  }
  return TransactionBase::Rollback();
}

Status PessimisticTransaction::SetName(const TransactionName& name) {
  if (!name_.empty()) {
    return Status::InvalidArgument("Transaction has already been named.");
  }
  if (name.empty() || name.size() > kNameBytesMax) {
    return Status::InvalidArgument(
        "Transaction name length must be between 1 and 512 chars.");
  }
  return CatchExceptions([&] {
    TAMIS_RETURN_IF_ERROR(shared_.locks.CheckProcess());
    MutexLock lock(&shared_.mutex);
    if (!shared_.named.try_emplace(name, this).second) {
      return Status::InvalidArgument("Transaction name must be unique.");
    }
    name_ = name;
    return Status::OK();
  });
}

void PessimisticTransaction::ForgetName() noexcept {
  if (name_.empty() || !shared_.locks.CheckProcess().ok()) return;
  MutexLock lock(&shared_.mutex);
  const auto found = shared_.named.find(name_);
  if (found != shared_.named.end() && found->second == this) {
    shared_.named.erase(found);
  }
}

void PessimisticTransaction::SetLockTimeout(int64_t timeout_ms) {
  timeout_micros_ = MillisToMicros(timeout_ms);
}

std::vector<TransactionID> PessimisticTransaction::GetWaitingTxns(
    uint32_t* family_id, std::string* key) const {
  if (!shared_.locks.CheckProcess().ok()) return {};
  Wait wait = waiting_for();
  if (family_id != nullptr) *family_id = wait.family.value();
  if (key != nullptr) *key = std::move(wait.key);
  return std::move(wait.holders);
}

}  // namespace tamis
