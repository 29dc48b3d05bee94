// SPDX-License-Identifier: Apache-2.0
//
// Transactions, with locks and without.
#include "program.h"

static tamis_readoptions_t* read_options;
static tamis_writeoptions_t* write_options;

static void PrintGetOf(tamis_transaction_t* txn, const char* key) {
  size_t size = 0;
  char* value =
      tamis_transaction_get(txn, read_options, key, strlen(key), &size, &err);
  CHECK_OK();
  PrintAndFree(key, value, size);
}

static void Commit(tamis_transaction_t* txn) {
  tamis_transaction_commit(txn, &err);
  if (err != NULL) {
    PrintError("commit");
  } else {
    printf("committed\n");
  }
}

// What both kinds of transactions do alike, beside others' writes.
static void Changes(tamis_transaction_t* txn,
                    tamis_column_family_handle_t* family) {
  tamis_transaction_put(txn, "a", 1, "1", 1, &err);
  CHECK_OK();
  tamis_transaction_put_cf(txn, family, "a", 1, "of family", 9, &err);
  CHECK_OK();
  tamis_transaction_set_savepoint(txn);
  tamis_transaction_put(txn, "b", 1, "2", 1, &err);
  CHECK_OK();
  tamis_transaction_delete(txn, "stored", 6, &err);
  CHECK_OK();
  PrintGetOf(txn, "b");
  PrintGetOf(txn, "stored");
  PrintIterator(tamis_transaction_create_iterator(txn, read_options));
  PrintIterator(
      tamis_transaction_create_iterator_cf(txn, read_options, family));
  tamis_writebatch_wi_t* batch = tamis_transaction_get_writebatch_wi(txn);
  printf("%d changes\n", tamis_writebatch_wi_count(batch));
  tamis_free(batch);
  tamis_transaction_rollback_to_savepoint(txn, &err);
  CHECK_OK();
  tamis_transaction_rollback_to_savepoint(txn, &err);
  PrintError("no save point");
  tamis_transaction_delete_cf(txn, family, "gone", 4, &err);
  CHECK_OK();
  size_t size = 0;
  char* value =
      tamis_transaction_get_cf(txn, read_options, family, "a", 1, &size, &err);
  CHECK_OK();
  PrintAndFree("a", value, size);
  value = tamis_transaction_get_for_update(txn, read_options, "stored", 6,
                                           &size, 1, &err);
  CHECK_OK();
  PrintAndFree("stored", value, size);
  value = tamis_transaction_get_for_update_cf(txn, read_options, family, "a", 1,
                                              &size, 0, &err);
  CHECK_OK();
  PrintAndFree("a", value, size);

  tamis_pinnableslice_t* pinned =
      tamis_transaction_get_pinned(txn, read_options, "a", 1, &err);
  CHECK_OK();
  PrintBytes("pinned", tamis_pinnableslice_value(pinned, &size), size);
  tamis_pinnableslice_destroy(pinned);
  pinned =
      tamis_transaction_get_pinned_cf(txn, read_options, family, "a", 1, &err);
  CHECK_OK();
  PrintBytes("pinned", tamis_pinnableslice_value(pinned, &size), size);
  tamis_pinnableslice_destroy(pinned);
  pinned = tamis_transaction_get_pinned_for_update(txn, read_options, "absent",
                                                   6, 1, &err);
  CHECK_OK();
  CHECK(pinned == NULL);
  pinned = tamis_transaction_get_pinned_for_update_cf(txn, read_options, family,
                                                      "a", 1, 1, &err);
  CHECK_OK();
  CHECK(pinned != NULL);
  tamis_pinnableslice_destroy(pinned);

  const char* keys[] = {"a", "absent"};
  const size_t sizes[] = {1, 6};
  const tamis_column_family_handle_t* families[] = {family, family};
  char* values[2];
  size_t value_sizes[2];
  char* errors[2];
  tamis_transaction_multi_get(txn, read_options, 2, keys, sizes, values,
                              value_sizes, errors);
  for (int i = 0; i < 2; ++i) {
    CHECK(errors[i] == NULL);
    PrintAndFree(keys[i], values[i], value_sizes[i]);
  }
  tamis_transaction_multi_get_cf(txn, read_options, families, 2, keys, sizes,
                                 values, value_sizes, errors);
  for (int i = 0; i < 2; ++i) {
    CHECK(errors[i] == NULL);
    PrintAndFree(keys[i], values[i], value_sizes[i]);
  }
}

static void WithLocks(const tamis_options_t* options, const char* path) {
  tamis_transactiondb_options_t* db_options =
      tamis_transactiondb_options_create();
  tamis_transactiondb_options_set_max_num_locks(db_options, 1000);
  tamis_transactiondb_options_set_num_stripes(db_options, 4);
  tamis_transactiondb_options_set_transaction_lock_timeout(db_options, 1);
  tamis_transactiondb_options_set_default_lock_timeout(db_options, 1);
  tamis_transactiondb_t* db =
      tamis_transactiondb_open(options, db_options, path, &err);
  CHECK_OK();
  tamis_transaction_options_t* txn_options = tamis_transaction_options_create();
  tamis_transaction_options_set_set_snapshot(txn_options, 1);
  tamis_transaction_options_set_deadlock_detect(txn_options, 1);
  tamis_transaction_options_set_lock_timeout(txn_options, 1);
  tamis_transaction_options_set_expiration(txn_options, 1000000);
  tamis_transaction_options_set_deadlock_detect_depth(txn_options, 10);
  tamis_transaction_options_set_max_write_batch_size(txn_options, 100000);
  tamis_column_family_handle_t* family =
      tamis_transactiondb_create_column_family(db, options, "locked", &err);
  CHECK_OK();
  tamis_transactiondb_put(db, write_options, "stored", 6, "0", 1, &err);
  CHECK_OK();
  tamis_transactiondb_put_cf(db, write_options, family, "gone", 4, "0", 1,
                             &err);
  CHECK_OK();

  tamis_transaction_t* txn =
      tamis_transaction_begin(db, write_options, txn_options, NULL);
  tamis_transaction_set_name(txn, "name", 4, &err);
  CHECK_OK();
  size_t size = 0;
  char* name = tamis_transaction_get_name(txn, &size);
  PrintAndFree("name", name, size);
  const tamis_snapshot_t* snapshot = tamis_transaction_get_snapshot(txn);
  CHECK(snapshot != NULL);
  tamis_free((void*)snapshot);
  Changes(txn, family);
  tamis_transactiondb_put(db, write_options, "a", 1, "other", 5, &err);
  PrintError("locked");
  tamis_transactiondb_delete(db, write_options, "a", 1, &err);
  PrintError("locked");
  Commit(txn);
  Commit(txn);

  CHECK(tamis_transaction_begin(db, write_options, txn_options, txn) == txn);
  tamis_transactiondb_put(db, write_options, "a", 1, "newer", 5, &err);
  CHECK_OK();
  tamis_transaction_put(txn, "a", 1, "1", 1, &err);
  PrintError("newer than the snapshot");
  tamis_transaction_rollback(txn, &err);
  CHECK_OK();
  tamis_transaction_destroy(txn);

  char* value = tamis_transactiondb_get(db, read_options, "a", 1, &size, &err);
  CHECK_OK();
  PrintAndFree("a", value, size);
  value =
      tamis_transactiondb_get_cf(db, read_options, family, "a", 1, &size, &err);
  CHECK_OK();
  PrintAndFree("a", value, size);
  tamis_pinnableslice_t* pinned =
      tamis_transactiondb_get_pinned(db, read_options, "a", 1, &err);
  CHECK_OK();
  PrintBytes("pinned", tamis_pinnableslice_value(pinned, &size), size);
  tamis_pinnableslice_destroy(pinned);
  snapshot = tamis_transactiondb_create_snapshot(db);
  tamis_transactiondb_release_snapshot(db, snapshot);
  tamis_writebatch_t* batch = tamis_writebatch_create();
  tamis_writebatch_put(batch, "batch", 5, "v", 1);
  tamis_transactiondb_write(db, write_options, batch, &err);
  CHECK_OK();
  tamis_writebatch_destroy(batch);
  tamis_transactiondb_delete_cf(db, write_options, family, "a", 1, &err);
  CHECK_OK();
  PrintIterator(tamis_transactiondb_create_iterator(db, read_options));
  PrintIterator(
      tamis_transactiondb_create_iterator_cf(db, read_options, family));
  tamis_flushoptions_t* flush = tamis_flushoptions_create();
  tamis_transactiondb_flush(db, flush, &err);
  CHECK_OK();
  tamis_transactiondb_flush_cf(db, flush, family, &err);
  CHECK_OK();
  tamis_flushoptions_destroy(flush);
  tamis_transactiondb_flush_wal(db, 1, &err);
  CHECK_OK();
  char* files =
      tamis_transactiondb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(files != NULL);
  printf("files %s\n", files);
  tamis_free(files);
  uint64_t keys = 0;
  CHECK(tamis_transactiondb_property_int(db, "rocksdb.estimate-num-keys",
                                         &keys) == 0);
  tamis_column_family_handle_destroy(family);
  tamis_transactiondb_close(db);

  const char* names[] = {"default", "locked"};
  const tamis_options_t* both[] = {options, options};
  tamis_column_family_handle_t* handles[2];
  db = tamis_transactiondb_open(options, db_options, path, &err);
  CHECK(db == NULL);
  PrintError("without the family");
  db = tamis_transactiondb_open_column_families(options, db_options, path, 2,
                                                names, both, handles, &err);
  CHECK_OK();
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(handles[i]);
  tamis_transactiondb_close(db);
  tamis_transaction_options_destroy(txn_options);
  tamis_transactiondb_options_destroy(db_options);
}

static void WithoutLocks(const tamis_options_t* options, const char* path) {
  const char* names[] = {"default", "locked"};
  const tamis_options_t* both[] = {options, options};
  tamis_column_family_handle_t* handles[2];
  tamis_optimistictransactiondb_t* db =
      tamis_optimistictransactiondb_open(options, path, &err);
  CHECK(db == NULL);
  PrintError("without the family");
  db = tamis_optimistictransactiondb_open_column_families(
      options, path, 2, names, both, handles, &err);
  CHECK_OK();
  tamis_t* base = tamis_optimistictransactiondb_get_base_db(db);
  tamis_optimistictransaction_options_t* txn_options =
      tamis_optimistictransaction_options_create();
  tamis_transaction_t* txn =
      tamis_optimistictransaction_begin(db, write_options, txn_options, NULL);
  Changes(txn, handles[1]);
  Commit(txn);
  tamis_optimistictransaction_options_set_set_snapshot(txn_options, 1);
  CHECK(tamis_optimistictransaction_begin(db, write_options, txn_options,
                                          txn) == txn);
  tamis_put(base, write_options, "a", 1, "newer", 5, &err);
  CHECK_OK();
  tamis_transaction_put(txn, "a", 1, "1", 1, &err);
  CHECK_OK();
  Commit(txn);
  tamis_transaction_rollback(txn, &err);
  CHECK_OK();
  tamis_transaction_destroy(txn);
  tamis_writebatch_t* batch = tamis_writebatch_create();
  tamis_writebatch_put(batch, "last", 4, "v", 1);
  tamis_optimistictransactiondb_write(db, write_options, batch, &err);
  CHECK_OK();
  tamis_writebatch_destroy(batch);
  PrintDatabase(base);
  tamis_optimistictransactiondb_close_base_db(base);
  char* files = tamis_optimistictransactiondb_property_value(
      db, "rocksdb.num-files-at-level0");
  CHECK(files != NULL);
  tamis_free(files);
  uint64_t keys = 0;
  CHECK(tamis_optimistictransactiondb_property_int(
            db, "rocksdb.estimate-num-keys", &keys) == 0);
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(handles[i]);
  tamis_optimistictransaction_options_destroy(txn_options);
  tamis_optimistictransactiondb_close(db);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  read_options = tamis_readoptions_create();
  write_options = tamis_writeoptions_create();
  WithLocks(options, argv[1]);
  WithoutLocks(options, argv[1]);
  tamis_readoptions_destroy(read_options);
  tamis_writeoptions_destroy(write_options);
  tamis_options_destroy(options);
  return 0;
}
