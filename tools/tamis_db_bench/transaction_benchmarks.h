// SPDX-License-Identifier: Apache-2.0
//
// randomtransaction: RocksDB's test of transactions under load. Each
// transaction adds a number to one random key of every set of keys, so that the
// sums of all sets stay equal.
//
//   set 0001: key 0 ... key num-1     sum s
//   set 0002: key 0 ... key num-1     sum s    --transaction_sets of them
#pragma once

#include "tamis/db.h"

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Commits --writes transactions, of the kind of the database that the flags
// open; without one, writes batches. Those that meet a conflict are counted,
// and not tried again.
void RandomTransaction(const ThreadContext& thread);

// Returns Corruption if two sets differ in their sums. A database without
// transactions passes: its threads overwrite each other's sums.
Status VerifyTransactions(DB* db, const Settings& settings);

}  // namespace tamis::bench
