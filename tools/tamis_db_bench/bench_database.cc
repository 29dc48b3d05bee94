// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_database.h"

#include <chrono>
#include <utility>

#include "tamis/utilities/optimistic_transaction_db.h"
#include "tamis/utilities/transaction_db.h"

namespace tamis::bench {

namespace {

template <typename Transactions>
Status Kept(const Status& status, Transactions* opened,
            std::unique_ptr<DB>* db) {
  db->reset(opened);
  return status;
}

Status OpenAs(const DatabaseKind& kind, const Options& options,
              const std::string& directory, std::unique_ptr<DB>* db) {
  switch (kind.kind) {
    case DatabaseKind::kPlain:
      return DB::Open(options, directory, db);
    case DatabaseKind::kOptimisticTransactions: {
      OptimisticTransactionDB* opened = nullptr;
      const Status status =
          OptimisticTransactionDB::Open(options, directory, &opened);
      return Kept(status, opened, db);
    }
    case DatabaseKind::kTransactions: {
      TransactionDB* opened = nullptr;
      const Status status = TransactionDB::Open(options, TransactionDBOptions(),
                                                directory, &opened);
      return Kept(status, opened, db);
    }
    case DatabaseKind::kSecondary:
      return DB::OpenAsSecondary(options, directory, kind.secondary_path, db);
  }
  return Status::InvalidArgument("unknown kind of database");
}

}  // namespace

Status BenchDatabase::Open(const DatabaseKind& kind, const Options& options,
                           const std::string& directory) {
  if (db_ != nullptr) return Status::OK();
  Status status = OpenAs(kind, options, directory, &db_);
  if (!status.ok() || kind.seconds_between_catch_ups == 0) return status;
  catch_ups_ = std::make_unique<Watcher>(
      std::chrono::seconds(kind.seconds_between_catch_ups), [this] {
        Status caught_up = db_->TryCatchUpWithPrimary();
        const std::lock_guard lock(mutex_);
        if (catch_up_error_.ok()) catch_up_error_ = std::move(caught_up);
      });
  return status;
}

Status BenchDatabase::CatchUpError() const {
  const std::lock_guard lock(mutex_);
  return catch_up_error_;
}

void BenchDatabase::Close() {
  catch_ups_.reset();
  db_.reset();
}

}  // namespace tamis::bench
