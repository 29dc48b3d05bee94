// SPDX-License-Identifier: Apache-2.0
//
// The types of each engine under the same names, for tests that are templates
// over the engine.
#pragma once

#include <rocksdb/merge_operator.h>
#include <rocksdb/utilities/db_ttl.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include "tamis/utilities/db_ttl.h"
#include "tamis/utilities/transaction_db.h"

namespace tamis {

struct OfTamis {
  using Database = DB;
  using WithTtl = DBWithTTL;
  using WithTransactions = TransactionDB;
  using TransactionsOptions = TransactionDBOptions;
  using Txn = Transaction;
  using AllOptions = Options;
  using Read = ReadOptions;
  using Write = WriteOptions;
  using Compact = CompactRangeOptions;
  using OneFlush = FlushOptions;
  using Bottom = BottommostLevelCompaction;
  using Associative = AssociativeMergeOperator;
  using Bytes = Slice;
  using Log = Logger;
};
struct OfRocksDB {
  using Database = rocksdb::DB;
  using WithTtl = rocksdb::DBWithTTL;
  using WithTransactions = rocksdb::TransactionDB;
  using TransactionsOptions = rocksdb::TransactionDBOptions;
  using Txn = rocksdb::Transaction;
  using AllOptions = rocksdb::Options;
  using Read = rocksdb::ReadOptions;
  using Write = rocksdb::WriteOptions;
  using Compact = rocksdb::CompactRangeOptions;
  using OneFlush = rocksdb::FlushOptions;
  using Bottom = rocksdb::BottommostLevelCompaction;
  using Associative = rocksdb::AssociativeMergeOperator;
  using Bytes = rocksdb::Slice;
  using Log = rocksdb::Logger;
};

}  // namespace tamis
