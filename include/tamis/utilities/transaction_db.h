// SPDX-License-Identifier: Apache-2.0
//
// A TransactionDB is a DB whose transactions lock the keys that they change or
// read for an update. Who wants a locked key waits, and gives up after a
// timeout: for programs in which several often want the same keys.
//
//   TransactionDB* db = nullptr;
//   Status status = TransactionDB::Open(options, TransactionDBOptions(),
//                                       "/data", &db);
//   Transaction* txn = db->BeginTransaction(WriteOptions());
//
// A plain write, as DB::Put, locks its keys while it is written, and so waits
// for transactions, too. Reads wait for nothing. Writes that go past the
// TransactionDB, to GetBaseDB(), break what transactions rely on.
//
// The directory is that of any other database: changes reach the log only at
// Commit, or at Prepare. While a transaction is prepared, only a TransactionDB,
// or DBOptions::allow_2pc, opens the directory for writing. RocksDB's opens it,
// and the other way round, except for what its WRITE_PREPARED and
// WRITE_UNPREPARED policies have written.
//
// Absent: these policies, locks of ranges, GetDeadlockInfoBuffer. DeleteRange
// returns NotSupported, as in RocksDB.
//
// Threads: any thread may call any method at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tamis/export.h"
#include "tamis/utilities/stackable_db.h"
#include "tamis/utilities/transaction.h"

namespace tamis {

struct TransactionDBOptions {
  // The most locks of a column family at a time; a lock beyond it fails with
  // Busy, subcode kLockLimit. <= 0 means no limit.
  int64_t max_num_locks = -1;
  // The parts into which the locks of a column family are divided. Threads that
  // lock keys of different parts do not meet. At least 1.
  size_t num_stripes = 16;
  // Milliseconds that a transaction waits for a lock, unless its options say
  // otherwise; < 0 means without limit, 0 means not at all.
  int64_t transaction_lock_timeout = 1000;
  // Milliseconds that a plain write waits for each lock; < 0 and 0 the same.
  int64_t default_lock_timeout = 1000;
  // Whether no call takes any lock: the program makes sure that no key is used
  // by two transactions at a time.
  bool skip_concurrency_control = false;
};

// How one transaction works.
struct TransactionOptions {
  // Whether it calls SetSnapshot when it begins.
  bool set_snapshot = false;
  // Whether a wait for a lock that would never end, since all wait for each
  // other, fails at once with Busy, subcode kDeadlock.
  bool deadlock_detect = false;
  // Milliseconds, as TransactionDBOptions::transaction_lock_timeout; < 0 means
  // that option's value.
  int64_t lock_timeout = -1;
  // Milliseconds after which others may take its locks, and Commit fails with
  // Expired; < 0 means never.
  int64_t expiration = -1;
  // The longest chain of waits in which a deadlock is looked for; a longer one
  // counts as a deadlock.
  int64_t deadlock_detect_depth = 50;
  // The most bytes of its batch: see WriteBatch::SetMaxBytes. 0 means no limit.
  size_t max_write_batch_size = 0;
  // Whether it takes no locks.
  bool skip_concurrency_control = false;
  // Whether Commit may be called without Prepare.
  bool skip_prepare = true;
};

// How TransactionDB::Write may be faster.
struct TransactionDBWriteOptimizations {
  // The program makes sure that no transaction uses the keys: takes no locks.
  bool skip_concurrency_control = false;
  bool skip_duplicate_key_check = false;  // not used: there is no such check
};

// A lock: its key and who holds it.
// A key that is locked.
struct KeyLockInfo {
  // The key, the transactions that hold the lock, and whether it is exclusive.
  std::string key;
  std::vector<TransactionID> ids;
  bool exclusive = false;
};

// A database whose transactions lock what they change.
class TAMIS_EXPORT TransactionDB : public StackableDB {
 public:
  // Open the database as DB::Open does. InvalidArgument if num_stripes is 0.
  // Transactions that are prepared have their locks then, unlike RocksDB's:
  // Busy if max_num_locks is too low for them. One that shares a key with
  // another, which took no locks before, has none.
  static Status Open(const Options& options,
                     const TransactionDBOptions& txn_db_options,
                     const std::string& name, TransactionDB** db);
  static Status Open(const DBOptions& options,
                     const TransactionDBOptions& txn_db_options,
                     const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles,
                     TransactionDB** db);

  // Locks the keys of the batch, writes it, and unlocks them. Returns TimedOut
  // if a transaction holds one for too long, NotSupported for a DeleteRange.
  using StackableDB::Write;
  virtual Status Write(const WriteOptions& options,
                       const TransactionDBWriteOptimizations& optimizations,
                       WriteBatch* batch) = 0;

  // Returns a new transaction, which the caller deletes; or `old_txn`, if it is
  // not nullptr, as a new one: it must be of this database, and what it has not
  // committed is forgotten.
  virtual Transaction* BeginTransaction(
      const WriteOptions& write_options,
      const TransactionOptions& txn_options = TransactionOptions(),
      Transaction* old_txn = nullptr) = 0;

  // Returns the transaction that has the name, or nullptr. It is valid until
  // its owner deletes it.
  virtual Transaction* GetTransactionByName(const TransactionName& name) = 0;

  // Sets *txns to the transactions that are prepared, in the order of their
  // names. The caller may delete those that the open found; the database
  // deletes the rest of these when it is closed. The program that began any
  // other transaction deletes that one.
  virtual void GetAllPreparedTransactions(std::vector<Transaction*>* txns) = 0;

  // Returns all locks that are held, by the id of their column family. A
  // debugging aid: others are taken and released meanwhile.
  virtual std::unordered_multimap<uint32_t, KeyLockInfo>
  GetLockStatusData() = 0;

 protected:
  using StackableDB::StackableDB;
};

}  // namespace tamis
