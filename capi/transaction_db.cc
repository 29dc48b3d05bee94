// SPDX-License-Identifier: Apache-2.0
//
// The calls of databases of transactions that are those of a tamis_t: a write
// outside of transactions locks its keys there, or makes commits fail.
#include "capi/transaction_types.h"

tamis_column_family_handle_t* tamis_transactiondb_create_column_family(
    tamis_transactiondb_t* txn_db, const tamis_options_t* column_family_options,
    const char* column_family_name, char** errptr) {
  return tamis_create_column_family(&txn_db->db, column_family_options,
                                    column_family_name, errptr);
}

const tamis_snapshot_t* tamis_transactiondb_create_snapshot(
    tamis_transactiondb_t* txn_db) {
  return tamis_create_snapshot(&txn_db->db);
}

void tamis_transactiondb_release_snapshot(tamis_transactiondb_t* txn_db,
                                          const tamis_snapshot_t* snapshot) {
  tamis_release_snapshot(&txn_db->db, snapshot);
}

char* tamis_transactiondb_property_value(tamis_transactiondb_t* db,
                                         const char* propname) {
  return tamis_property_value(&db->db, propname);
}

int tamis_transactiondb_property_int(tamis_transactiondb_t* db,
                                     const char* propname, uint64_t* out_val) {
  return tamis_property_int(&db->db, propname, out_val);
}

char* tamis_transactiondb_get(tamis_transactiondb_t* txn_db,
                              const tamis_readoptions_t* options,
                              const char* key, size_t klen, size_t* vlen,
                              char** errptr) {
  return tamis_get(&txn_db->db, options, key, klen, vlen, errptr);
}

tamis_pinnableslice_t* tamis_transactiondb_get_pinned(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    const char* key, size_t klen, char** errptr) {
  return tamis_get_pinned(&txn_db->db, options, key, klen, errptr);
}

char* tamis_transactiondb_get_cf(tamis_transactiondb_t* txn_db,
                                 const tamis_readoptions_t* options,
                                 tamis_column_family_handle_t* column_family,
                                 const char* key, size_t keylen, size_t* vallen,
                                 char** errptr) {
  return tamis_get_cf(&txn_db->db, options, column_family, key, keylen, vallen,
                      errptr);
}

tamis_pinnableslice_t* tamis_transactiondb_get_pinned_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    char** errptr) {
  return tamis_get_pinned_cf(&txn_db->db, options, column_family, key, keylen,
                             errptr);
}

void tamis_transactiondb_multi_get(tamis_transactiondb_t* txn_db,
                                   const tamis_readoptions_t* options,
                                   size_t num_keys,
                                   const char* const* keys_list,
                                   const size_t* keys_list_sizes,
                                   char** values_list,
                                   size_t* values_list_sizes, char** errs) {
  tamis_multi_get(&txn_db->db, options, num_keys, keys_list, keys_list_sizes,
                  values_list, values_list_sizes, errs);
}

void tamis_transactiondb_multi_get_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    const tamis_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    char** values_list, size_t* values_list_sizes, char** errs) {
  tamis_multi_get_cf(&txn_db->db, options, column_families, num_keys, keys_list,
                     keys_list_sizes, values_list, values_list_sizes, errs);
}

void tamis_transactiondb_put(tamis_transactiondb_t* txn_db,
                             const tamis_writeoptions_t* options,
                             const char* key, size_t klen, const char* val,
                             size_t vlen, char** errptr) {
  tamis_put(&txn_db->db, options, key, klen, val, vlen, errptr);
}

void tamis_transactiondb_put_cf(tamis_transactiondb_t* txn_db,
                                const tamis_writeoptions_t* options,
                                tamis_column_family_handle_t* column_family,
                                const char* key, size_t keylen, const char* val,
                                size_t vallen, char** errptr) {
  tamis_put_cf(&txn_db->db, options, column_family, key, keylen, val, vallen,
               errptr);
}

void tamis_transactiondb_write(tamis_transactiondb_t* txn_db,
                               const tamis_writeoptions_t* options,
                               tamis_writebatch_t* batch, char** errptr) {
  tamis_write(&txn_db->db, options, batch, errptr);
}

void tamis_transactiondb_merge(tamis_transactiondb_t* txn_db,
                               const tamis_writeoptions_t* options,
                               const char* key, size_t klen, const char* val,
                               size_t vlen, char** errptr) {
  tamis_merge(&txn_db->db, options, key, klen, val, vlen, errptr);
}

void tamis_transactiondb_merge_cf(tamis_transactiondb_t* txn_db,
                                  const tamis_writeoptions_t* options,
                                  tamis_column_family_handle_t* column_family,
                                  const char* key, size_t klen, const char* val,
                                  size_t vlen, char** errptr) {
  tamis_merge_cf(&txn_db->db, options, column_family, key, klen, val, vlen,
                 errptr);
}

void tamis_transactiondb_delete(tamis_transactiondb_t* txn_db,
                                const tamis_writeoptions_t* options,
                                const char* key, size_t klen, char** errptr) {
  tamis_delete(&txn_db->db, options, key, klen, errptr);
}

void tamis_transactiondb_delete_cf(tamis_transactiondb_t* txn_db,
                                   const tamis_writeoptions_t* options,
                                   tamis_column_family_handle_t* column_family,
                                   const char* key, size_t keylen,
                                   char** errptr) {
  tamis_delete_cf(&txn_db->db, options, column_family, key, keylen, errptr);
}

tamis_iterator_t* tamis_transactiondb_create_iterator(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options) {
  return tamis_create_iterator(&txn_db->db, options);
}

tamis_iterator_t* tamis_transactiondb_create_iterator_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family) {
  return tamis_create_iterator_cf(&txn_db->db, options, column_family);
}

void tamis_transactiondb_flush(tamis_transactiondb_t* txn_db,
                               const tamis_flushoptions_t* options,
                               char** errptr) {
  tamis_flush(&txn_db->db, options, errptr);
}

void tamis_transactiondb_flush_cf(tamis_transactiondb_t* txn_db,
                                  const tamis_flushoptions_t* options,
                                  tamis_column_family_handle_t* column_family,
                                  char** errptr) {
  tamis_flush_cf(&txn_db->db, options, column_family, errptr);
}

void tamis_transactiondb_flush_wal(tamis_transactiondb_t* txn_db,
                                   unsigned char sync, char** errptr) {
  tamis_flush_wal(&txn_db->db, sync, errptr);
}

tamis_checkpoint_t* tamis_transactiondb_checkpoint_object_create(
    tamis_transactiondb_t* txn_db, char** errptr) {
  return tamis_checkpoint_object_create(&txn_db->db, errptr);
}

void tamis_optimistictransactiondb_write(
    tamis_optimistictransactiondb_t* otxn_db,
    const tamis_writeoptions_t* options, tamis_writebatch_t* batch,
    char** errptr) {
  tamis_write(&otxn_db->db, options, batch, errptr);
}

tamis_checkpoint_t* tamis_optimistictransactiondb_checkpoint_object_create(
    tamis_optimistictransactiondb_t* otxn_db, char** errptr) {
  return tamis_checkpoint_object_create(&otxn_db->db, errptr);
}

char* tamis_optimistictransactiondb_property_value(
    tamis_optimistictransactiondb_t* db, const char* propname) {
  return tamis_property_value(&db->db, propname);
}

int tamis_optimistictransactiondb_property_int(
    tamis_optimistictransactiondb_t* db, const char* propname,
    uint64_t* out_val) {
  return tamis_property_int(&db->db, propname, out_val);
}
