// SPDX-License-Identifier: Apache-2.0
//
// Two-phase commit: transactions that are prepared, found by the next open, and
// ended there.
#include "program.h"

static tamis_writeoptions_t* write_options;

static tamis_transaction_t* Begin(tamis_transactiondb_t* db, const char* name,
                                  unsigned char skip_prepare) {
  tamis_transaction_options_t* options = tamis_transaction_options_create();
  tamis_transaction_options_set_skip_prepare(options, skip_prepare);
  tamis_transaction_t* txn =
      tamis_transaction_begin(db, write_options, options, NULL);
  tamis_transaction_options_destroy(options);
  tamis_transaction_set_name(txn, name, strlen(name), &err);
  CHECK_OK();
  return txn;
}

static void PrepareSome(tamis_transactiondb_t* db) {
  tamis_transaction_t* txn = Begin(db, "first", 0);
  tamis_transaction_commit(txn, &err);
  PrintError("commit, not prepared");
  tamis_writebatch_t* batch = tamis_writebatch_create();
  tamis_writebatch_put(batch, "a", 1, "of first", 8);
  tamis_transaction_rebuild_from_writebatch(txn, batch, &err);
  CHECK_OK();
  tamis_writebatch_destroy(batch);
  tamis_transaction_prepare(txn, &err);
  CHECK_OK();
  tamis_transaction_prepare(txn, &err);
  PrintError("prepare again");
  tamis_transaction_destroy(txn);

  txn = Begin(db, "second", 1);
  tamis_writebatch_wi_t* indexed = tamis_writebatch_wi_create(0, 1);
  tamis_writebatch_wi_put(indexed, "b", 1, "of second", 9);
  tamis_transaction_rebuild_from_writebatch_wi(txn, indexed, &err);
  CHECK_OK();
  tamis_writebatch_wi_destroy(indexed);
  tamis_transaction_prepare(txn, &err);
  CHECK_OK();
  tamis_transaction_destroy(txn);
}

static void EndThem(tamis_transactiondb_t* db) {
  size_t count = 0;
  tamis_transaction_t** prepared =
      tamis_transactiondb_get_prepared_transactions(db, &count);
  printf("%d prepared\n", (int)count);
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    char* name = tamis_transaction_get_name(prepared[i], &size);
    if (size == strlen("first")) {
      tamis_transaction_commit(prepared[i], &err);
    } else {
      tamis_transaction_rollback(prepared[i], &err);
    }
    CHECK_OK();
    tamis_free(name);
    tamis_transaction_destroy(prepared[i]);
  }
  tamis_free(prepared);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  tamis_transactiondb_options_t* txn_db_options =
      tamis_transactiondb_options_create();
  tamis_readoptions_t* read_options = tamis_readoptions_create();
  write_options = tamis_writeoptions_create();
  for (int opens = 0; opens < 3; ++opens) {
    tamis_transactiondb_t* db =
        tamis_transactiondb_open(options, txn_db_options, argv[1], &err);
    CHECK_OK();
    if (opens == 0) PrepareSome(db);
    if (opens == 1) EndThem(db);
    for (const char* key = "a"; key != NULL; key = *key == 'a' ? "b" : NULL) {
      size_t size = 0;
      char* value =
          tamis_transactiondb_get(db, read_options, key, 1, &size, &err);
      CHECK_OK();
      PrintAndFree(key, value, size);
    }
    tamis_transactiondb_close(db);
  }
  tamis_writeoptions_destroy(write_options);
  tamis_readoptions_destroy(read_options);
  tamis_transactiondb_options_destroy(txn_db_options);
  tamis_options_destroy(options);
  return 0;
}
