// SPDX-License-Identifier: Apache-2.0
//
// An OptimisticTransactionDB is a DB whose transactions take no locks. Commit
// checks that no key which the transaction tracks was changed meanwhile, by
// another transaction or a plain write, and otherwise returns Busy: for
// programs in which that is rare.
//
//   OptimisticTransactionDB* db = nullptr;
//   Status status = OptimisticTransactionDB::Open(options, "/data", &db);
//   Transaction* txn = db->BeginTransaction(WriteOptions());
//
// The check is exact, however old the transaction is. (RocksDB keeps flushed
// memtables for it, and returns TryAgain when they do not go back far enough.)
// From the first key that it tracks until its end, a transaction holds a
// snapshot of the database.
//
// The directory is that of any other database.
//
// Threads: any thread may call any method at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/comparator.h"
#include "tamis/export.h"
#include "tamis/utilities/stackable_db.h"
#include "tamis/utilities/transaction.h"

namespace tamis {

struct TAMIS_EXPORT OptimisticTransactionOptions {
  // Whether it calls SetSnapshot when it begins.
  bool set_snapshot = false;
  // Not used: the default column family's own orders its keys.
  const Comparator* cmp = BytewiseComparator();
};

// RocksDB's ways to check at Commit. Not used: Tamis checks before it joins
// the queue of writers, in parallel with others, and again, what was written
// meanwhile, as its leader.
enum class OccValidationPolicy {
  kValidateSerial = 0,
  kValidateParallel = 1,
};

// How the database finds conflicts.
struct OptimisticTransactionDBOptions {
  // Both are the same here.
  OccValidationPolicy validate_policy = OccValidationPolicy::kValidateParallel;
  uint32_t occ_lock_buckets = 1 << 20;  // not used: there are none
};

// A database whose transactions find conflicts when they commit.
class TAMIS_EXPORT OptimisticTransactionDB : public StackableDB {
 public:
  // Open the database as DB::Open does.
  static Status Open(const Options& options, const std::string& name,
                     OptimisticTransactionDB** db);
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles,
                     OptimisticTransactionDB** db);
  static Status Open(const DBOptions& options,
                     const OptimisticTransactionDBOptions& occ_options,
                     const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles,
                     OptimisticTransactionDB** db);

  // Returns a new transaction, which the caller deletes; or `old_txn`, if it is
  // not nullptr, as a new one: it must be of this database, and what it has not
  // committed is forgotten.
  virtual Transaction* BeginTransaction(
      const WriteOptions& write_options,
      const OptimisticTransactionOptions& txn_options = {},
      Transaction* old_txn = nullptr) = 0;

 protected:
  using StackableDB::StackableDB;
};

}  // namespace tamis
