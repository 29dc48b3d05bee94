// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/pessimistic_transaction.h"

#include <algorithm>

#include "db/wal/write_batch_internal.h"
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
  skip_prepare_ = txn_options.skip_prepare;
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
  recovered_ = false;
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

Status PessimisticTransaction::WrongState(const Slice& otherwise) const {
  switch (GetState()) {
    case PREPARED:
      return Status::InvalidArgument("Transaction has already been prepared.");
    case COMMITTED:
      return Status::InvalidArgument("Transaction has already been committed.");
    case ROLLEDBACK:
      return Status::InvalidArgument(
          "Transaction has already been rolledback.");
    case LOCKS_STOLEN:
      return Status::Expired();
    default:
      return Status::InvalidArgument(otherwise);
  }
}

Status PessimisticTransaction::Recover(const TransactionName& name,
                                       WriteBatch* changes) {
  TAMIS_RETURN_IF_ERROR(TakeName(name));
  timeout_micros_ = 0;
  Status rebuilt = RebuildFromWriteBatch(changes);
  if (rebuilt.IsTimedOut()) {
    // Both have changed a key without a lock.
    Reset();
    locks_ = false;
    rebuilt = RebuildFromWriteBatch(changes);
  }
  TAMIS_RETURN_IF_ERROR(rebuilt);
  recovered_ = true;
  set_state(PREPARED);
  return Status::OK();
}

Status PessimisticTransaction::Prepare() {
  if (name_.empty()) {
    return Status::InvalidArgument(
        "Cannot prepare a transaction that has not been named.");
  }
  if (GetState() == STARTED && HasExpired()) return Status::Expired();
  if (!ChangeState(STARTED, AWAITING_PREPARE)) {
    return WrongState("Transaction is not in state for commit.");
  }
  const Status status = CatchExceptions([&] {
    WriteOptions options = *GetWriteOptions();
    options.disableWAL = false;
    const LogMarks marks = LogMarks::Prepare(name_);
    return root()->WriteMarked(options, GetWriteBatch()->GetWriteBatch(),
                               marks);
  });
  set_state(status.ok() ? PREPARED : STARTED);
  return status;
}

Status PessimisticTransaction::Resolve(WriteBatch* changes) {
  WriteOptions options = *GetWriteOptions();
  options.disableWAL = false;
  return root()->WriteMarked(options, changes, LogMarks::Resolve(name_));
}

Status PessimisticTransaction::CommitPrepared() {
  const Status status = CatchExceptions([&] {
    WriteBatch* const changes = GetWriteBatch()->GetWriteBatch();
    if (GetCommitTimeWriteBatch()->Count() == 0) return Resolve(changes);
    WriteBatch all = *GetCommitTimeWriteBatch();
    TAMIS_RETURN_IF_ERROR(WriteBatchInternal::Append(&all, *changes));
    return Resolve(&all);
  });
  set_state(status.ok() ? COMMITTED : PREPARED);
  if (!status.ok()) return status;
  Reset();
  ForgetName();
  return status;
}

Status PessimisticTransaction::Commit() {
  if (ChangeState(PREPARED, AWAITING_COMMIT)) return CommitPrepared();
  if (GetState() == STARTED) {
    if (HasExpired()) return Status::Expired();
    if (!skip_prepare_) return Status::TxnNotPrepared();
    if (GetCommitTimeWriteBatch()->Count() > 0) {
      return Status::InvalidArgument(
          "Commit-time batch contains values that will not be committed.");
    }
  }
  if (!ChangeState(STARTED, AWAITING_COMMIT)) {
    return WrongState("Transaction is not in state for commit.");
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
  if (ChangeState(PREPARED, AWAITING_ROLLBACK)) {
    const Status status = CatchExceptions([this] {
      WriteBatch none;
      return Resolve(&none);
    });
    set_state(status.ok() ? ROLLEDBACK : PREPARED);
    if (!status.ok()) return status;
    Reset();
    ForgetName();
    return status;
  }
  switch (GetState()) {
    case STARTED:
    case LOCKS_STOLEN:
      return TransactionBase::Rollback();
    case COMMITTED:
      return Status::InvalidArgument(
          "This transaction has already been committed.");
    default:
      return Status::InvalidArgument(
          "Two phase transaction is not in state for rollback.");
  }
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
    // One that was prepared, and deleted, is still in the log.
    if (root()->IsPrepared(name)) {
      return Status::InvalidArgument("Transaction name must be unique.");
    }
    return TakeName(name);
  });
}

Status PessimisticTransaction::TakeName(const TransactionName& name) {
  MutexLock lock(&shared_.mutex);
  if (!shared_.named.try_emplace(name, this).second) {
    return Status::InvalidArgument("Transaction name must be unique.");
  }
  name_ = name;
  return Status::OK();
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
