// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/transaction_benchmarks.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "tamis/utilities/optimistic_transaction_db.h"
#include "tamis/utilities/transaction_db.h"

#include "tools/tamis_db_bench/bench_thread.h"

namespace tamis::bench {

namespace {

std::string SetPrefix(int set) {
  char text[16];
  std::snprintf(text, sizeof text, "%04d", set + 1);
  return text;
}

Status NumberOf(const Slice& value, uint64_t* number) {
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, *number);
  if (error == std::errc() && stop == end) return Status::OK();
  return Status::Corruption("expected a number", value.ToString());
}

bool HasTransactions(DB* db) {
  return dynamic_cast<OptimisticTransactionDB*>(db) != nullptr ||
         dynamic_cast<TransactionDB*>(db) != nullptr;
}

// Whether the transaction met another one, and was to be rolled back.
bool IsConflict(const Status& status) {
  return status.IsBusy() || status.IsTimedOut() || status.IsTryAgain();
}

// Makes one thread's transactions. Without any, reads and a batch.
class Adder {
 public:
  explicit Adder(const ThreadContext& t)
      : t_(t),
        write_options_{.sync = t.settings->sync,
                       .disableWAL = t.settings->disable_wal},
        random_(SeedOf(t)),
        optimistic_(dynamic_cast<OptimisticTransactionDB*>(t.db)),
        pessimistic_(dynamic_cast<TransactionDB*>(t.db)) {}

  // Adds once, and commits.
  Status Run() {
    Begin();
    const uint64_t amount = 1 + random_.Uniform(100);
    for (int set = 0; set < t_.settings->transaction_sets; ++set) {
      const Status status = AddTo(set, amount);
      if (status.ok()) continue;
      if (transaction_ != nullptr)
        transaction_->Rollback().PermitUncheckedError();
      return status;
    }
    if (transaction_ != nullptr) return transaction_->Commit();
    return t_.db->Write(write_options_, &batch_);
  }

 private:
  void Begin() {
    Transaction* const old = transaction_.release();
    if (optimistic_ != nullptr) {
      OptimisticTransactionOptions options;
      options.set_snapshot = t_.settings->transaction_set_snapshot;
      transaction_.reset(
          optimistic_->BeginTransaction(write_options_, options, old));
    } else if (pessimistic_ != nullptr) {
      TransactionOptions options;
      options.set_snapshot = t_.settings->transaction_set_snapshot;
      options.lock_timeout = t_.settings->transaction_lock_timeout;
      transaction_.reset(
          pessimistic_->BeginTransaction(write_options_, options, old));
    } else {
      batch_.Clear();
    }
  }
  Status AddTo(int set, uint64_t amount) {
    key_ = SetPrefix(set);
    key_ += std::to_string(random_.Uniform(t_.settings->num));
    value_.clear();
    const Status read =
        transaction_ != nullptr
            ? transaction_->GetForUpdate(ReadOptions(), key_, &value_)
            : t_.db->Get(ReadOptions(), key_, &value_);
    uint64_t number = 0;
    if (!read.IsNotFound()) {
      if (!read.ok()) return read;
      const Status parsed = NumberOf(value_, &number);
      if (!parsed.ok()) return parsed;
    }
    if (t_.settings->transaction_sleep > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(
          random_.Uniform(t_.settings->transaction_sleep)));
    }
    value_ = std::to_string(number + amount);
    return transaction_ != nullptr ? transaction_->Put(key_, value_)
                                   : batch_.Put(key_, value_);
  }

  const ThreadContext& t_;
  const WriteOptions write_options_;
  Random random_;
  OptimisticTransactionDB* const optimistic_;
  TransactionDB* const pessimistic_;
  std::unique_ptr<Transaction> transaction_;
  WriteBatch batch_;
  std::string key_;
  std::string value_;
};

}  // namespace

void RandomTransaction(const ThreadContext& t) {
  Adder adder(t);
  uint64_t commits = 0;
  uint64_t conflicts = 0;
  Quota quota(t, t.settings->writes_or_num());
  while (quota.Take(1) != 0) {
    const Status status = adder.Run();
    if (IsConflict(status)) {
      ++conflicts;
    } else if (!Ok(t, status)) {
      return;
    } else {
      ++commits;
    }
    t.stats->Done(1, 0);
  }
  // RocksDB's words.
  t.stats->Message("( transactions:" + std::to_string(commits) +
                   " aborts:" + std::to_string(conflicts) + ")\n");
}

Status VerifyTransactions(DB* db, const Settings& settings) {
  if (!HasTransactions(db)) return Status::OK();
  uint64_t first = 0;
  for (int set = 0; set < settings.transaction_sets; ++set) {
    const std::string prefix = SetPrefix(set);
    uint64_t sum = 0;
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix);
         it->Next()) {
      uint64_t number = 0;
      const Status parsed = NumberOf(it->value(), &number);
      if (!parsed.ok()) return parsed;
      sum += number;
    }
    if (!it->status().ok()) return it->status();
    if (set == 0) first = sum;
    if (sum != first) {
      return Status::Corruption("the sets of keys differ",
                                "set 0001 has the sum " +
                                    std::to_string(first) + ", set " + prefix +
                                    " has " + std::to_string(sum));
    }
  }
  return Status::OK();
}

}  // namespace tamis::bench
