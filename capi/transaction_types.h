// SPDX-License-Identifier: Apache-2.0
//
// The opaque types of databases of transactions, and of options.
#pragma once

#include "tamis/utilities/optimistic_transaction_db.h"
#include "tamis/utilities/transaction_db.h"

#include "capi/types.h"

struct tamis_transactiondb_options_t {
  tamis::TransactionDBOptions rep;
};
struct tamis_transaction_options_t {
  tamis::TransactionOptions rep;
};
struct tamis_optimistictransaction_options_t {
  tamis::OptimisticTransactionOptions rep;
};
struct tamis_transactiondb_t {
  tamis_t db;  // of a TransactionDB
};
struct tamis_optimistictransactiondb_t {
  tamis_t db;  // of an OptimisticTransactionDB
};
