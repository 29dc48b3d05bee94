// SPDX-License-Identifier: Apache-2.0
//
// The options of transactions and of their databases.
#include "capi/call.h"
#include "capi/transaction_types.h"

using namespace tamis::capi;  // NOLINT: this file is its C face

tamis_transactiondb_options_t* tamis_transactiondb_options_create(void) {
  return Create<tamis_transactiondb_options_t>();
}

void tamis_transactiondb_options_destroy(tamis_transactiondb_options_t* opt) {
  delete opt;
}

void tamis_transactiondb_options_set_max_num_locks(
    tamis_transactiondb_options_t* opt, int64_t max_num_locks) {
  opt->rep.max_num_locks = max_num_locks;
}

void tamis_transactiondb_options_set_num_stripes(
    tamis_transactiondb_options_t* opt, size_t num_stripes) {
  opt->rep.num_stripes = num_stripes;
}

void tamis_transactiondb_options_set_transaction_lock_timeout(
    tamis_transactiondb_options_t* opt, int64_t txn_lock_timeout) {
  opt->rep.transaction_lock_timeout = txn_lock_timeout;
}

void tamis_transactiondb_options_set_default_lock_timeout(
    tamis_transactiondb_options_t* opt, int64_t default_lock_timeout) {
  opt->rep.default_lock_timeout = default_lock_timeout;
}

tamis_transaction_options_t* tamis_transaction_options_create(void) {
  return Create<tamis_transaction_options_t>();
}

void tamis_transaction_options_destroy(tamis_transaction_options_t* opt) {
  delete opt;
}

void tamis_transaction_options_set_set_snapshot(
    tamis_transaction_options_t* opt, unsigned char v) {
  opt->rep.set_snapshot = v != 0;
}

void tamis_transaction_options_set_skip_prepare(
    tamis_transaction_options_t* opt, unsigned char v) {
  opt->rep.skip_prepare = v != 0;
}

void tamis_transaction_options_set_deadlock_detect(
    tamis_transaction_options_t* opt, unsigned char v) {
  opt->rep.deadlock_detect = v != 0;
}

void tamis_transaction_options_set_lock_timeout(
    tamis_transaction_options_t* opt, int64_t lock_timeout) {
  opt->rep.lock_timeout = lock_timeout;
}

void tamis_transaction_options_set_expiration(tamis_transaction_options_t* opt,
                                              int64_t expiration) {
  opt->rep.expiration = expiration;
}

void tamis_transaction_options_set_deadlock_detect_depth(
    tamis_transaction_options_t* opt, int64_t depth) {
  opt->rep.deadlock_detect_depth = depth;
}

void tamis_transaction_options_set_max_write_batch_size(
    tamis_transaction_options_t* opt, size_t size) {
  opt->rep.max_write_batch_size = size;
}

tamis_optimistictransaction_options_t*
tamis_optimistictransaction_options_create(void) {
  return Create<tamis_optimistictransaction_options_t>();
}

void tamis_optimistictransaction_options_destroy(
    tamis_optimistictransaction_options_t* opt) {
  delete opt;
}

void tamis_optimistictransaction_options_set_set_snapshot(
    tamis_optimistictransaction_options_t* opt, unsigned char v) {
  opt->rep.set_snapshot = v != 0;
}
