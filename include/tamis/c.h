// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's C API over Tamis: its functions under the prefix tamis_, for C and
// for other languages. libtamis has them under these names; libtamis_rocksdb
// has the same functions as rocksdb_*, and nothing else.
//
// Long because it is the one list of these functions: what libtamis_rocksdb
// exports, and which options have a function, follow from it.
//
// The conventions are RocksDB's:
//
// * Types are opaque. What a _create function returns, its _destroy function
//   frees. tamis_free frees what a function returned as char*.
// * `char** errptr` reports errors. *errptr must be NULL or a message from
//   malloc. A success leaves it as it is; an error frees the old message and
//   puts a new one there. A function that fails otherwise returns NULL or 0.
// * A bool is an unsigned char: 0 is false.
// * Keys and values are a pointer and a length, and may hold any bytes.
// * Callbacks get the `state` of their _create function first. They may be
//   called by several threads at a time. `destructor` is called with `state`
//   exactly once, when nothing uses the object any more.
// * Pointers are not NULL unless it is said that they may be.
// * A call that cannot report it ends the process when memory is out. No
//   exception leaves a function.
//
// Thread-safety is that of the C++ class: tamis_t may be used by several
// threads; options, batches and iterators by one at a time.
// docs/c_api.md has the lifetimes, and what RocksDB's API has besides.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAMIS_C_API

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct tamis_backup_engine_info_t tamis_backup_engine_info_t;
typedef struct tamis_backup_engine_options_t tamis_backup_engine_options_t;
typedef struct tamis_backup_engine_t tamis_backup_engine_t;
typedef struct tamis_block_based_table_options_t
    tamis_block_based_table_options_t;
typedef struct tamis_cache_t tamis_cache_t;
typedef struct tamis_checkpoint_t tamis_checkpoint_t;
typedef struct tamis_column_family_handle_t tamis_column_family_handle_t;
typedef struct tamis_column_family_metadata_t tamis_column_family_metadata_t;
typedef struct tamis_compactionfilter_t tamis_compactionfilter_t;
typedef struct tamis_compactionfiltercontext_t tamis_compactionfiltercontext_t;
typedef struct tamis_compactionfilterfactory_t tamis_compactionfilterfactory_t;
typedef struct tamis_compactionjobinfo_t tamis_compactionjobinfo_t;
typedef struct tamis_compactoptions_t tamis_compactoptions_t;
typedef struct tamis_comparator_t tamis_comparator_t;
typedef struct tamis_cuckoo_table_options_t tamis_cuckoo_table_options_t;
typedef struct tamis_dbpath_t tamis_dbpath_t;
typedef struct tamis_env_t tamis_env_t;
typedef struct tamis_envoptions_t tamis_envoptions_t;
typedef struct tamis_eventlistener_t tamis_eventlistener_t;
typedef struct tamis_export_import_files_metadata_t
    tamis_export_import_files_metadata_t;
typedef struct tamis_externalfileingestioninfo_t
    tamis_externalfileingestioninfo_t;
typedef struct tamis_fifo_compaction_options_t tamis_fifo_compaction_options_t;
typedef struct tamis_filterpolicy_t tamis_filterpolicy_t;
typedef struct tamis_flushjobinfo_t tamis_flushjobinfo_t;
typedef struct tamis_flushoptions_t tamis_flushoptions_t;
typedef struct tamis_hyper_clock_cache_options_t
    tamis_hyper_clock_cache_options_t;
typedef struct tamis_import_column_family_options_t
    tamis_import_column_family_options_t;
typedef struct tamis_ingestexternalfileoptions_t
    tamis_ingestexternalfileoptions_t;
typedef struct tamis_iterator_t tamis_iterator_t;
typedef struct tamis_level_metadata_t tamis_level_metadata_t;
typedef struct tamis_livefile_t tamis_livefile_t;
typedef struct tamis_livefiles_t tamis_livefiles_t;
typedef struct tamis_logger_t tamis_logger_t;
typedef struct tamis_lru_cache_options_t tamis_lru_cache_options_t;
typedef struct tamis_memory_allocator_t tamis_memory_allocator_t;
typedef struct tamis_memory_consumers_t tamis_memory_consumers_t;
typedef struct tamis_memory_usage_t tamis_memory_usage_t;
typedef struct tamis_memtableinfo_t tamis_memtableinfo_t;
typedef struct tamis_mergeoperator_t tamis_mergeoperator_t;
typedef struct tamis_optimistictransaction_options_t
    tamis_optimistictransaction_options_t;
typedef struct tamis_optimistictransactiondb_t tamis_optimistictransactiondb_t;
typedef struct tamis_options_t tamis_options_t;
typedef struct tamis_perfcontext_t tamis_perfcontext_t;
typedef struct tamis_pinnableslice_t tamis_pinnableslice_t;
typedef struct tamis_ratelimiter_t tamis_ratelimiter_t;
typedef struct tamis_readoptions_t tamis_readoptions_t;
typedef struct tamis_restore_options_t tamis_restore_options_t;
typedef struct tamis_slicetransform_t tamis_slicetransform_t;
typedef struct tamis_snapshot_t tamis_snapshot_t;
typedef struct tamis_sst_file_metadata_t tamis_sst_file_metadata_t;
typedef struct tamis_sstfilewriter_t tamis_sstfilewriter_t;
typedef struct tamis_statistics_histogram_data_t
    tamis_statistics_histogram_data_t;
typedef struct tamis_status_ptr_t tamis_status_ptr_t;
typedef struct tamis_subcompactionjobinfo_t tamis_subcompactionjobinfo_t;
typedef struct tamis_table_properties_t tamis_table_properties_t;
typedef struct tamis_t tamis_t;
typedef struct tamis_transaction_options_t tamis_transaction_options_t;
typedef struct tamis_transaction_t tamis_transaction_t;
typedef struct tamis_transactiondb_options_t tamis_transactiondb_options_t;
typedef struct tamis_transactiondb_t tamis_transactiondb_t;
typedef struct tamis_universal_compaction_options_t
    tamis_universal_compaction_options_t;
typedef struct tamis_wait_for_compact_options_t
    tamis_wait_for_compact_options_t;
typedef struct tamis_wal_iterator_t tamis_wal_iterator_t;
typedef struct tamis_wal_readoptions_t tamis_wal_readoptions_t;
typedef struct tamis_write_buffer_manager_t tamis_write_buffer_manager_t;
typedef struct tamis_writebatch_t tamis_writebatch_t;
typedef struct tamis_writebatch_wi_t tamis_writebatch_wi_t;
typedef struct tamis_writeoptions_t tamis_writeoptions_t;
typedef struct tamis_writestallcondition_t tamis_writestallcondition_t;
typedef struct tamis_writestallinfo_t tamis_writestallinfo_t;

// ---- Messages and memory

TAMIS_C_API void tamis_free(void* ptr);

// ---- Databases

// tamis_close frees the database, also if the close fails. Families' handles
// are destroyed before. tamis_open_for_read_only fails if a log exists and
// error_if_wal_file_exists is true.

TAMIS_C_API tamis_t* tamis_open(const tamis_options_t* options,
                                const char* name, char** errptr);
TAMIS_C_API tamis_t* tamis_open_for_read_only(
    const tamis_options_t* options, const char* name,
    unsigned char error_if_wal_file_exists, char** errptr);
TAMIS_C_API tamis_t* tamis_open_column_families(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr);
TAMIS_C_API tamis_t* tamis_open_for_read_only_column_families(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles,
    unsigned char error_if_wal_file_exists, char** errptr);
TAMIS_C_API tamis_t* tamis_open_as_secondary(const tamis_options_t* options,
                                             const char* name,
                                             const char* secondary_path,
                                             char** errptr);
TAMIS_C_API tamis_t* tamis_open_as_secondary_column_families(
    const tamis_options_t* options, const char* name,
    const char* secondary_path, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr);
TAMIS_C_API void tamis_try_catch_up_with_primary(tamis_t* db, char** errptr);
TAMIS_C_API void tamis_close(tamis_t* db);
TAMIS_C_API void tamis_destroy_db(const tamis_options_t* options,
                                  const char* name, char** errptr);
TAMIS_C_API void tamis_repair_db(const tamis_options_t* options,
                                 const char* name, char** errptr);
TAMIS_C_API void tamis_load_latest_options(
    const char* db_path, tamis_env_t* env, bool ignore_unknown_options,
    tamis_cache_t* cache, tamis_options_t** db_options,
    size_t* num_column_families, char*** column_family_names,
    tamis_options_t*** column_family_options, char** errptr);
TAMIS_C_API void tamis_load_latest_options_destroy(
    tamis_options_t* db_options, char** list_column_family_names,
    tamis_options_t** list_column_family_options, size_t len);
// The identity is not null-terminated.
TAMIS_C_API char* tamis_get_db_identity(tamis_t* db, size_t* id_len);
TAMIS_C_API uint64_t tamis_get_latest_sequence_number(tamis_t* db);

// ---- Column families

// The options of a family are those of tamis_options_t; what belongs to the
// whole database is taken from the options of the open.

TAMIS_C_API char** tamis_list_column_families(const tamis_options_t* options,
                                              const char* name, size_t* lencf,
                                              char** errptr);
TAMIS_C_API void tamis_list_column_families_destroy(char** list, size_t len);
TAMIS_C_API tamis_column_family_handle_t* tamis_create_column_family(
    tamis_t* db, const tamis_options_t* column_family_options,
    const char* column_family_name, char** errptr);
// On an error, the list holds those that were created.
TAMIS_C_API tamis_column_family_handle_t** tamis_create_column_families(
    tamis_t* db, const tamis_options_t* column_family_options,
    int num_column_families, const char* const* column_family_names,
    size_t* lencfs, char** errptr);
TAMIS_C_API void tamis_create_column_families_destroy(
    tamis_column_family_handle_t** list);
TAMIS_C_API void tamis_drop_column_family(tamis_t* db,
                                          tamis_column_family_handle_t* handle,
                                          char** errptr);
TAMIS_C_API tamis_column_family_handle_t*
tamis_get_default_column_family_handle(tamis_t* db);
TAMIS_C_API void tamis_column_family_handle_destroy(
    tamis_column_family_handle_t*);
TAMIS_C_API uint32_t
tamis_column_family_handle_get_id(tamis_column_family_handle_t* handle);
TAMIS_C_API char* tamis_column_family_handle_get_name(
    tamis_column_family_handle_t* handle, size_t* name_len);

// ---- Writes

TAMIS_C_API void tamis_put(tamis_t* db, const tamis_writeoptions_t* options,
                           const char* key, size_t keylen, const char* val,
                           size_t vallen, char** errptr);
TAMIS_C_API void tamis_put_cf(tamis_t* db, const tamis_writeoptions_t* options,
                              tamis_column_family_handle_t* column_family,
                              const char* key, size_t keylen, const char* val,
                              size_t vallen, char** errptr);
TAMIS_C_API void tamis_delete(tamis_t* db, const tamis_writeoptions_t* options,
                              const char* key, size_t keylen, char** errptr);
TAMIS_C_API void tamis_delete_cf(tamis_t* db,
                                 const tamis_writeoptions_t* options,
                                 tamis_column_family_handle_t* column_family,
                                 const char* key, size_t keylen, char** errptr);
TAMIS_C_API void tamis_singledelete(tamis_t* db,
                                    const tamis_writeoptions_t* options,
                                    const char* key, size_t keylen,
                                    char** errptr);
TAMIS_C_API void tamis_singledelete_cf(
    tamis_t* db, const tamis_writeoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    char** errptr);
TAMIS_C_API void tamis_delete_range(tamis_t* db,
                                    const tamis_writeoptions_t* options,
                                    const char* start_key, size_t start_key_len,
                                    const char* end_key, size_t end_key_len,
                                    char** errptr);
TAMIS_C_API void tamis_delete_range_cf(
    tamis_t* db, const tamis_writeoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* start_key,
    size_t start_key_len, const char* end_key, size_t end_key_len,
    char** errptr);
TAMIS_C_API void tamis_merge(tamis_t* db, const tamis_writeoptions_t* options,
                             const char* key, size_t keylen, const char* val,
                             size_t vallen, char** errptr);
TAMIS_C_API void tamis_merge_cf(tamis_t* db,
                                const tamis_writeoptions_t* options,
                                tamis_column_family_handle_t* column_family,
                                const char* key, size_t keylen, const char* val,
                                size_t vallen, char** errptr);
TAMIS_C_API void tamis_write(tamis_t* db, const tamis_writeoptions_t* options,
                             tamis_writebatch_t* batch, char** errptr);

// ---- Reads

// A value that is not found is NULL without an error. Values are from malloc;
// those of a tamis_pinnableslice_t live until its destroy.

TAMIS_C_API char* tamis_get(tamis_t* db, const tamis_readoptions_t* options,
                            const char* key, size_t keylen, size_t* vallen,
                            char** errptr);
TAMIS_C_API char* tamis_get_cf(tamis_t* db, const tamis_readoptions_t* options,
                               tamis_column_family_handle_t* column_family,
                               const char* key, size_t keylen, size_t* vallen,
                               char** errptr);
// errs[i] and values_list[i] are set for every key.
TAMIS_C_API void tamis_multi_get(tamis_t* db,
                                 const tamis_readoptions_t* options,
                                 size_t num_keys, const char* const* keys_list,
                                 const size_t* keys_list_sizes,
                                 char** values_list, size_t* values_list_sizes,
                                 char** errs);
TAMIS_C_API void tamis_multi_get_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    const tamis_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    char** values_list, size_t* values_list_sizes, char** errs);
TAMIS_C_API void tamis_batched_multi_get_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    tamis_pinnableslice_t** values, char** errs, const bool sorted_input);
TAMIS_C_API tamis_pinnableslice_t* tamis_get_pinned(
    tamis_t* db, const tamis_readoptions_t* options, const char* key,
    size_t keylen, char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_get_pinned_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    char** errptr);
TAMIS_C_API const char* tamis_pinnableslice_value(
    const tamis_pinnableslice_t* t, size_t* vlen);
TAMIS_C_API void tamis_pinnableslice_destroy(tamis_pinnableslice_t* v);
// False: the key surely does not exist. The timestamp is NULL. *value is from
// malloc; it is set if *value_found becomes true. Both may be NULL.
TAMIS_C_API unsigned char tamis_key_may_exist(
    tamis_t* db, const tamis_readoptions_t* options, const char* key,
    size_t key_len, char** value, size_t* val_len, const char* timestamp,
    size_t timestamp_len, unsigned char* value_found);
TAMIS_C_API unsigned char tamis_key_may_exist_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key,
    size_t key_len, char** value, size_t* val_len, const char* timestamp,
    size_t timestamp_len, unsigned char* value_found);

// ---- Iterators

// An iterator is destroyed before its database is closed and before the bounds
// of its tamis_readoptions_t are freed.

TAMIS_C_API tamis_iterator_t* tamis_create_iterator(
    tamis_t* db, const tamis_readoptions_t* options);
TAMIS_C_API tamis_iterator_t* tamis_create_iterator_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family);
TAMIS_C_API void tamis_create_iterators(
    tamis_t* db, tamis_readoptions_t* opts,
    tamis_column_family_handle_t** column_families,
    tamis_iterator_t** iterators, size_t size, char** errptr);
TAMIS_C_API void tamis_iter_destroy(tamis_iterator_t*);
TAMIS_C_API unsigned char tamis_iter_valid(const tamis_iterator_t*);
TAMIS_C_API void tamis_iter_seek_to_first(tamis_iterator_t*);
TAMIS_C_API void tamis_iter_seek_to_last(tamis_iterator_t*);
TAMIS_C_API void tamis_iter_seek(tamis_iterator_t*, const char* k, size_t klen);
TAMIS_C_API void tamis_iter_seek_for_prev(tamis_iterator_t*, const char* k,
                                          size_t klen);
TAMIS_C_API void tamis_iter_next(tamis_iterator_t*);
TAMIS_C_API void tamis_iter_prev(tamis_iterator_t*);
TAMIS_C_API const char* tamis_iter_key(const tamis_iterator_t*, size_t* klen);
TAMIS_C_API const char* tamis_iter_value(const tamis_iterator_t*, size_t* vlen);
TAMIS_C_API void tamis_iter_get_error(const tamis_iterator_t*, char** errptr);
// Moves the iterator to the present state of the database.
TAMIS_C_API void tamis_iter_refresh(const tamis_iterator_t* iter,
                                    char** errptr);

// ---- Snapshots

TAMIS_C_API const tamis_snapshot_t* tamis_create_snapshot(tamis_t* db);
TAMIS_C_API void tamis_release_snapshot(tamis_t* db,
                                        const tamis_snapshot_t* snapshot);
TAMIS_C_API uint64_t
tamis_snapshot_get_sequence_number(const tamis_snapshot_t* snapshot);

// ---- Write batches

// An error of one of these functions, as of an entry that is too large, is
// reported by the write of the batch. _v functions concatenate their parts.

TAMIS_C_API tamis_writebatch_t* tamis_writebatch_create(void);
TAMIS_C_API tamis_writebatch_t* tamis_writebatch_create_from(const char* rep,
                                                             size_t size);
TAMIS_C_API void tamis_writebatch_destroy(tamis_writebatch_t*);
TAMIS_C_API void tamis_writebatch_clear(tamis_writebatch_t*);
TAMIS_C_API int tamis_writebatch_count(tamis_writebatch_t*);
TAMIS_C_API void tamis_writebatch_put(tamis_writebatch_t*, const char* key,
                                      size_t klen, const char* val,
                                      size_t vlen);
TAMIS_C_API void tamis_writebatch_put_cf(
    tamis_writebatch_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, const char* val, size_t vlen);
TAMIS_C_API void tamis_writebatch_putv(tamis_writebatch_t* b, int num_keys,
                                       const char* const* keys_list,
                                       const size_t* keys_list_sizes,
                                       int num_values,
                                       const char* const* values_list,
                                       const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_putv_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* keys_list, const size_t* keys_list_sizes,
    int num_values, const char* const* values_list,
    const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_merge(tamis_writebatch_t*, const char* key,
                                        size_t klen, const char* val,
                                        size_t vlen);
TAMIS_C_API void tamis_writebatch_merge_cf(
    tamis_writebatch_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, const char* val, size_t vlen);
TAMIS_C_API void tamis_writebatch_mergev(tamis_writebatch_t* b, int num_keys,
                                         const char* const* keys_list,
                                         const size_t* keys_list_sizes,
                                         int num_values,
                                         const char* const* values_list,
                                         const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_mergev_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* keys_list, const size_t* keys_list_sizes,
    int num_values, const char* const* values_list,
    const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_delete(tamis_writebatch_t*, const char* key,
                                         size_t klen);
TAMIS_C_API void tamis_writebatch_delete_cf(
    tamis_writebatch_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_singledelete(tamis_writebatch_t* b,
                                               const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_singledelete_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_deletev(tamis_writebatch_t* b, int num_keys,
                                          const char* const* keys_list,
                                          const size_t* keys_list_sizes);
TAMIS_C_API void tamis_writebatch_deletev_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* keys_list, const size_t* keys_list_sizes);
TAMIS_C_API void tamis_writebatch_delete_range(tamis_writebatch_t* b,
                                               const char* start_key,
                                               size_t start_key_len,
                                               const char* end_key,
                                               size_t end_key_len);
TAMIS_C_API void tamis_writebatch_delete_range_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* end_key,
    size_t end_key_len);
TAMIS_C_API void tamis_writebatch_delete_rangev(
    tamis_writebatch_t* b, int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes);
TAMIS_C_API void tamis_writebatch_delete_rangev_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes);
TAMIS_C_API void tamis_writebatch_put_log_data(tamis_writebatch_t*,
                                               const char* blob, size_t len);
// Calls put and deleted for the entries of the default family, until the first
// entry of another kind or family.
TAMIS_C_API void tamis_writebatch_iterate(
    tamis_writebatch_t*, void* state,
    void (*put)(void*, const char* k, size_t klen, const char* v, size_t vlen),
    void (*deleted)(void*, const char* k, size_t klen));
// Entries of other kinds than these end it.
TAMIS_C_API void tamis_writebatch_iterate_cf(
    tamis_writebatch_t*, void* state,
    void (*put_cf)(void*, uint32_t cfid, const char* k, size_t klen,
                   const char* v, size_t vlen),
    void (*deleted_cf)(void*, uint32_t cfid, const char* k, size_t klen),
    void (*merge_cf)(void*, uint32_t cfid, const char* k, size_t klen,
                     const char* v, size_t vlen));
TAMIS_C_API const char* tamis_writebatch_data(tamis_writebatch_t*,
                                              size_t* size);
TAMIS_C_API void tamis_writebatch_set_save_point(tamis_writebatch_t*);
TAMIS_C_API void tamis_writebatch_rollback_to_save_point(tamis_writebatch_t*,
                                                         char** errptr);
TAMIS_C_API void tamis_writebatch_pop_save_point(tamis_writebatch_t*,
                                                 char** errptr);

// ---- Flush, compaction, background work

// A key that is NULL is an open end of the range.

TAMIS_C_API void tamis_flush(tamis_t* db, const tamis_flushoptions_t* options,
                             char** errptr);
TAMIS_C_API void tamis_flush_cf(tamis_t* db,
                                const tamis_flushoptions_t* options,
                                tamis_column_family_handle_t* column_family,
                                char** errptr);
TAMIS_C_API void tamis_flush_cfs(tamis_t* db,
                                 const tamis_flushoptions_t* options,
                                 tamis_column_family_handle_t** column_families,
                                 int num_column_families, char** errptr);
TAMIS_C_API void tamis_flush_wal(tamis_t* db, unsigned char sync,
                                 char** errptr);
TAMIS_C_API void tamis_compact_range(tamis_t* db, const char* start_key,
                                     size_t start_key_len,
                                     const char* limit_key,
                                     size_t limit_key_len);
TAMIS_C_API void tamis_compact_range_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* limit_key,
    size_t limit_key_len);
TAMIS_C_API void tamis_compact_range_opt(
    tamis_t* db, tamis_compactoptions_t* opt, const char* start_key,
    size_t start_key_len, const char* limit_key, size_t limit_key_len);
TAMIS_C_API void tamis_compact_range_cf_opt(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    tamis_compactoptions_t* opt, const char* start_key, size_t start_key_len,
    const char* limit_key, size_t limit_key_len);
TAMIS_C_API void tamis_suggest_compact_range(tamis_t* db, const char* start_key,
                                             size_t start_key_len,
                                             const char* limit_key,
                                             size_t limit_key_len,
                                             char** errptr);
TAMIS_C_API void tamis_suggest_compact_range_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* limit_key,
    size_t limit_key_len, char** errptr);
TAMIS_C_API void tamis_wait_for_compact(
    tamis_t* db, tamis_wait_for_compact_options_t* options, char** errptr);
TAMIS_C_API void tamis_disable_manual_compaction(tamis_t* db);
TAMIS_C_API void tamis_enable_manual_compaction(tamis_t* db);
TAMIS_C_API void tamis_pause_background_work(tamis_t* db, char** errptr);
TAMIS_C_API void tamis_cancel_all_background_work(tamis_t* db,
                                                  unsigned char wait);
TAMIS_C_API void tamis_continue_background_work(tamis_t* db, char** errptr);
TAMIS_C_API void tamis_resume(tamis_t* db, char** errptr);
TAMIS_C_API void tamis_rewrite_filters(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    double size_factor, unsigned char wait, char** errptr);
TAMIS_C_API void tamis_set_options(tamis_t* db, int count,
                                   const char* const keys[],
                                   const char* const values[], char** errptr);
TAMIS_C_API void tamis_set_options_cf(tamis_t* db,
                                      tamis_column_family_handle_t* handle,
                                      int count, const char* const keys[],
                                      const char* const values[],
                                      char** errptr);
TAMIS_C_API void tamis_set_db_options(tamis_t* db, int count,
                                      const char* const keys[],
                                      const char* const values[],
                                      char** errptr);

// ---- Files

// tamis_enable_file_deletions: `force` ends all calls of the other function.

TAMIS_C_API void tamis_disable_file_deletions(tamis_t* db, char** errptr);
TAMIS_C_API void tamis_enable_file_deletions(tamis_t* db, unsigned char force,
                                             char** errptr);
// Cannot report an error: DB::DeleteFile says when the file stays.
TAMIS_C_API void tamis_delete_file(tamis_t* db, const char* name);
TAMIS_C_API void tamis_delete_file_in_range(tamis_t* db, const char* start_key,
                                            size_t start_key_len,
                                            const char* limit_key,
                                            size_t limit_key_len,
                                            char** errptr);
TAMIS_C_API void tamis_delete_file_in_range_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* limit_key,
    size_t limit_key_len, char** errptr);
TAMIS_C_API void tamis_verify_checksum(tamis_t* db, char** errptr);
TAMIS_C_API const tamis_livefiles_t* tamis_livefiles(tamis_t* db);
TAMIS_C_API int tamis_livefiles_count(const tamis_livefiles_t*);
TAMIS_C_API const char* tamis_livefiles_column_family_name(
    const tamis_livefiles_t*, int index);
TAMIS_C_API const char* tamis_livefiles_name(const tamis_livefiles_t*,
                                             int index);
TAMIS_C_API const char* tamis_livefiles_directory(const tamis_livefiles_t*,
                                                  int index);
TAMIS_C_API int tamis_livefiles_level(const tamis_livefiles_t*, int index);
TAMIS_C_API size_t tamis_livefiles_size(const tamis_livefiles_t*, int index);
TAMIS_C_API const char* tamis_livefiles_smallestkey(const tamis_livefiles_t*,
                                                    int index, size_t* size);
TAMIS_C_API const char* tamis_livefiles_largestkey(const tamis_livefiles_t*,
                                                   int index, size_t* size);
TAMIS_C_API uint64_t tamis_livefiles_smallest_seqno(const tamis_livefiles_t*,
                                                    int index);
TAMIS_C_API uint64_t tamis_livefiles_largest_seqno(const tamis_livefiles_t*,
                                                   int index);
TAMIS_C_API uint64_t tamis_livefiles_entries(const tamis_livefiles_t*,
                                             int index);
TAMIS_C_API uint64_t tamis_livefiles_deletions(const tamis_livefiles_t*,
                                               int index);
TAMIS_C_API void tamis_livefiles_destroy(const tamis_livefiles_t*);
TAMIS_C_API tamis_column_family_metadata_t* tamis_get_column_family_metadata(
    tamis_t* db);
TAMIS_C_API tamis_column_family_metadata_t* tamis_get_column_family_metadata_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family);
TAMIS_C_API void tamis_column_family_metadata_destroy(
    tamis_column_family_metadata_t* cf_meta);
TAMIS_C_API uint64_t
tamis_column_family_metadata_get_size(tamis_column_family_metadata_t* cf_meta);
TAMIS_C_API size_t tamis_column_family_metadata_get_file_count(
    tamis_column_family_metadata_t* cf_meta);
TAMIS_C_API char* tamis_column_family_metadata_get_name(
    tamis_column_family_metadata_t* cf_meta);
TAMIS_C_API size_t tamis_column_family_metadata_get_level_count(
    tamis_column_family_metadata_t* cf_meta);
TAMIS_C_API tamis_level_metadata_t*
tamis_column_family_metadata_get_level_metadata(
    tamis_column_family_metadata_t* cf_meta, size_t i);
TAMIS_C_API void tamis_level_metadata_destroy(
    tamis_level_metadata_t* level_meta);
TAMIS_C_API int tamis_level_metadata_get_level(
    tamis_level_metadata_t* level_meta);
TAMIS_C_API uint64_t
tamis_level_metadata_get_size(tamis_level_metadata_t* level_meta);
TAMIS_C_API size_t
tamis_level_metadata_get_file_count(tamis_level_metadata_t* level_meta);
TAMIS_C_API tamis_sst_file_metadata_t*
tamis_level_metadata_get_sst_file_metadata(tamis_level_metadata_t* level_meta,
                                           size_t i);
TAMIS_C_API void tamis_sst_file_metadata_destroy(
    tamis_sst_file_metadata_t* file_meta);
TAMIS_C_API char* tamis_sst_file_metadata_get_relative_filename(
    tamis_sst_file_metadata_t* file_meta);
TAMIS_C_API uint64_t
tamis_sst_file_metadata_get_size(tamis_sst_file_metadata_t* file_meta);
TAMIS_C_API char* tamis_sst_file_metadata_get_smallestkey(
    tamis_sst_file_metadata_t* file_meta, size_t* len);
TAMIS_C_API char* tamis_sst_file_metadata_get_largestkey(
    tamis_sst_file_metadata_t* file_meta, size_t* len);
TAMIS_C_API char* tamis_sst_file_metadata_get_directory(
    tamis_sst_file_metadata_t* file_meta);

// ---- Properties and sizes

// A property that does not exist is NULL, and -1 as an int (0: found).
// include_flags: 1 for memtables, 2 for files.

TAMIS_C_API char* tamis_property_value(tamis_t* db, const char* propname);
TAMIS_C_API char* tamis_property_value_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    const char* propname);
TAMIS_C_API int tamis_property_int(tamis_t* db, const char* propname,
                                   uint64_t* out_val);
TAMIS_C_API int tamis_property_int_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family,
    const char* propname, uint64_t* out_val);
TAMIS_C_API void tamis_approximate_sizes(tamis_t* db, int num_ranges,
                                         const char* const* range_start_key,
                                         const size_t* range_start_key_len,
                                         const char* const* range_limit_key,
                                         const size_t* range_limit_key_len,
                                         uint64_t* sizes, char** errptr);
TAMIS_C_API void tamis_approximate_sizes_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len,
    uint64_t* sizes, char** errptr);
TAMIS_C_API void tamis_approximate_sizes_cf_with_flags(
    tamis_t* db, tamis_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len,
    uint8_t include_flags, uint64_t* sizes, char** errptr);
TAMIS_C_API tamis_memory_consumers_t* tamis_memory_consumers_create(void);
TAMIS_C_API void tamis_memory_consumers_add_db(
    tamis_memory_consumers_t* consumers, tamis_t* db);
TAMIS_C_API void tamis_memory_consumers_add_cache(
    tamis_memory_consumers_t* consumers, tamis_cache_t* cache);
TAMIS_C_API void tamis_memory_consumers_destroy(
    tamis_memory_consumers_t* consumers);
TAMIS_C_API tamis_memory_usage_t* tamis_approximate_memory_usage_create(
    tamis_memory_consumers_t* consumers, char** errptr);
TAMIS_C_API void tamis_approximate_memory_usage_destroy(
    tamis_memory_usage_t* usage);
TAMIS_C_API uint64_t tamis_approximate_memory_usage_get_mem_table_total(
    tamis_memory_usage_t* memory_usage);
TAMIS_C_API uint64_t tamis_approximate_memory_usage_get_mem_table_unflushed(
    tamis_memory_usage_t* memory_usage);
TAMIS_C_API uint64_t tamis_approximate_memory_usage_get_mem_table_readers_total(
    tamis_memory_usage_t* memory_usage);
TAMIS_C_API uint64_t tamis_approximate_memory_usage_get_cache_total(
    tamis_memory_usage_t* memory_usage);

// ---- The log of updates

TAMIS_C_API tamis_wal_iterator_t* tamis_get_updates_since(
    tamis_t* db, uint64_t seq_number, const tamis_wal_readoptions_t* options,
    char** errptr);
TAMIS_C_API void tamis_wal_iter_next(tamis_wal_iterator_t* iter);
TAMIS_C_API unsigned char tamis_wal_iter_valid(const tamis_wal_iterator_t*);
TAMIS_C_API void tamis_wal_iter_status(const tamis_wal_iterator_t* iter,
                                       char** errptr);
TAMIS_C_API tamis_writebatch_t* tamis_wal_iter_get_batch(
    const tamis_wal_iterator_t* iter, uint64_t* seq);
TAMIS_C_API void tamis_wal_iter_destroy(const tamis_wal_iterator_t* iter);

// ---- Checkpoints, export and import

TAMIS_C_API tamis_checkpoint_t* tamis_checkpoint_object_create(tamis_t* db,
                                                               char** errptr);
TAMIS_C_API void tamis_checkpoint_create(tamis_checkpoint_t* checkpoint,
                                         const char* checkpoint_dir,
                                         uint64_t log_size_for_flush,
                                         char** errptr);
TAMIS_C_API tamis_export_import_files_metadata_t*
tamis_checkpoint_export_column_family(
    tamis_checkpoint_t* checkpoint, tamis_column_family_handle_t* column_family,
    const char* export_dir, char** errptr);
TAMIS_C_API void tamis_checkpoint_object_destroy(
    tamis_checkpoint_t* checkpoint);
TAMIS_C_API tamis_column_family_handle_t*
tamis_create_column_family_with_import(
    tamis_t* db, tamis_options_t* column_family_options,
    const char* column_family_name,
    tamis_import_column_family_options_t* import_options,
    tamis_export_import_files_metadata_t* metadata, char** errptr);
TAMIS_C_API tamis_import_column_family_options_t*
tamis_import_column_family_options_create(void);
TAMIS_C_API void tamis_import_column_family_options_set_move_files(
    tamis_import_column_family_options_t* opt, unsigned char v);
TAMIS_C_API void tamis_import_column_family_options_destroy(
    tamis_import_column_family_options_t* opt);
TAMIS_C_API tamis_export_import_files_metadata_t*
tamis_export_import_files_metadata_create(void);
TAMIS_C_API char* tamis_export_import_files_metadata_get_db_comparator_name(
    tamis_export_import_files_metadata_t* metadata);
TAMIS_C_API void tamis_export_import_files_metadata_set_db_comparator_name(
    tamis_export_import_files_metadata_t* metadata, const char* name);
TAMIS_C_API tamis_livefiles_t* tamis_export_import_files_metadata_get_files(
    tamis_export_import_files_metadata_t* metadata);
TAMIS_C_API void tamis_export_import_files_metadata_set_files(
    tamis_export_import_files_metadata_t* metadata, tamis_livefiles_t* files);
TAMIS_C_API void tamis_export_import_files_metadata_destroy(
    tamis_export_import_files_metadata_t* metadata);
// A list of files to import, where the exporting program wrote it elsewhere.
TAMIS_C_API tamis_livefiles_t* tamis_livefiles_create(void);
// Takes the file, which is not destroyed any more.
TAMIS_C_API void tamis_livefiles_add(tamis_livefiles_t* files,
                                     tamis_livefile_t* file);
TAMIS_C_API tamis_livefile_t* tamis_livefile_create(void);
TAMIS_C_API void tamis_livefile_set_column_family_name(tamis_livefile_t* file,
                                                       const char* name);
TAMIS_C_API void tamis_livefile_set_level(tamis_livefile_t* file, int level);
TAMIS_C_API void tamis_livefile_set_name(tamis_livefile_t* file,
                                         const char* name);
TAMIS_C_API void tamis_livefile_set_directory(tamis_livefile_t* file,
                                              const char* directory);
TAMIS_C_API void tamis_livefile_set_size(tamis_livefile_t* file, size_t size);
TAMIS_C_API void tamis_livefile_set_smallest_key(tamis_livefile_t* file,
                                                 const char* key,
                                                 size_t key_len);
TAMIS_C_API void tamis_livefile_set_largest_key(tamis_livefile_t* file,
                                                const char* key,
                                                size_t key_len);
TAMIS_C_API void tamis_livefile_set_smallest_seqno(tamis_livefile_t* file,
                                                   uint64_t seqno);
TAMIS_C_API void tamis_livefile_set_largest_seqno(tamis_livefile_t* file,
                                                  uint64_t seqno);
TAMIS_C_API void tamis_livefile_set_num_entries(tamis_livefile_t* file,
                                                uint64_t num_entries);
TAMIS_C_API void tamis_livefile_destroy(tamis_livefile_t* file);

// ---- Backups

// Opens a directory of backups in the environment of the options; the databases
// that are restored are in the same.
TAMIS_C_API tamis_backup_engine_t* tamis_backup_engine_open(
    const tamis_options_t* options, const char* path, char** errptr);
// env: where databases are restored. Backups are in the environment of the
// options.
TAMIS_C_API tamis_backup_engine_t* tamis_backup_engine_open_opts(
    const tamis_backup_engine_options_t* options, tamis_env_t* env,
    char** errptr);
TAMIS_C_API void tamis_backup_engine_create_new_backup(
    tamis_backup_engine_t* be, tamis_t* db, char** errptr);
TAMIS_C_API void tamis_backup_engine_create_new_backup_flush(
    tamis_backup_engine_t* be, tamis_t* db, unsigned char flush_before_backup,
    char** errptr);
TAMIS_C_API void tamis_backup_engine_purge_old_backups(
    tamis_backup_engine_t* be, uint32_t num_backups_to_keep, char** errptr);
TAMIS_C_API void tamis_backup_engine_verify_backup(tamis_backup_engine_t* be,
                                                   uint32_t backup_id,
                                                   char** errptr);
TAMIS_C_API void tamis_backup_engine_restore_db_from_latest_backup(
    tamis_backup_engine_t* be, const char* db_dir, const char* wal_dir,
    const tamis_restore_options_t* restore_options, char** errptr);
TAMIS_C_API void tamis_backup_engine_restore_db_from_backup(
    tamis_backup_engine_t* be, const char* db_dir, const char* wal_dir,
    const tamis_restore_options_t* restore_options, const uint32_t backup_id,
    char** errptr);
// The backups that are not corrupt, oldest first.
TAMIS_C_API const tamis_backup_engine_info_t*
tamis_backup_engine_get_backup_info(tamis_backup_engine_t* be);
TAMIS_C_API int tamis_backup_engine_info_count(
    const tamis_backup_engine_info_t* info);
TAMIS_C_API int64_t tamis_backup_engine_info_timestamp(
    const tamis_backup_engine_info_t* info, int index);
TAMIS_C_API uint32_t tamis_backup_engine_info_backup_id(
    const tamis_backup_engine_info_t* info, int index);
TAMIS_C_API uint64_t tamis_backup_engine_info_size(
    const tamis_backup_engine_info_t* info, int index);
TAMIS_C_API uint32_t tamis_backup_engine_info_number_files(
    const tamis_backup_engine_info_t* info, int index);
TAMIS_C_API void tamis_backup_engine_info_destroy(
    const tamis_backup_engine_info_t* info);
TAMIS_C_API void tamis_backup_engine_close(tamis_backup_engine_t* be);
TAMIS_C_API tamis_restore_options_t* tamis_restore_options_create(void);
TAMIS_C_API void tamis_restore_options_destroy(tamis_restore_options_t* opt);
TAMIS_C_API void tamis_restore_options_set_keep_log_files(
    tamis_restore_options_t* opt, int v);
TAMIS_C_API tamis_backup_engine_options_t* tamis_backup_engine_options_create(
    const char* backup_dir);
TAMIS_C_API void tamis_backup_engine_options_set_backup_dir(
    tamis_backup_engine_options_t* options, const char* backup_dir);
TAMIS_C_API void tamis_backup_engine_options_set_env(
    tamis_backup_engine_options_t* options, tamis_env_t* env);
TAMIS_C_API void tamis_backup_engine_options_set_share_table_files(
    tamis_backup_engine_options_t* options, unsigned char val);
TAMIS_C_API unsigned char tamis_backup_engine_options_get_share_table_files(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_sync(
    tamis_backup_engine_options_t* options, unsigned char val);
TAMIS_C_API unsigned char tamis_backup_engine_options_get_sync(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_destroy_old_data(
    tamis_backup_engine_options_t* options, unsigned char val);
TAMIS_C_API unsigned char tamis_backup_engine_options_get_destroy_old_data(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_backup_log_files(
    tamis_backup_engine_options_t* options, unsigned char val);
TAMIS_C_API unsigned char tamis_backup_engine_options_get_backup_log_files(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_backup_rate_limit(
    tamis_backup_engine_options_t* options, uint64_t val);
TAMIS_C_API uint64_t tamis_backup_engine_options_get_backup_rate_limit(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_restore_rate_limit(
    tamis_backup_engine_options_t* options, uint64_t val);
TAMIS_C_API uint64_t tamis_backup_engine_options_get_restore_rate_limit(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_max_background_operations(
    tamis_backup_engine_options_t* options, int val);
TAMIS_C_API int tamis_backup_engine_options_get_max_background_operations(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_callback_trigger_interval_size(
    tamis_backup_engine_options_t* options, uint64_t val);
TAMIS_C_API uint64_t
tamis_backup_engine_options_get_callback_trigger_interval_size(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_set_max_valid_backups_to_open(
    tamis_backup_engine_options_t* options, int val);
TAMIS_C_API int tamis_backup_engine_options_get_max_valid_backups_to_open(
    tamis_backup_engine_options_t* options);
// A number of BackupEngineOptions::ShareFilesNaming.
TAMIS_C_API void
tamis_backup_engine_options_set_share_files_with_checksum_naming(
    tamis_backup_engine_options_t* options, int val);
TAMIS_C_API int
tamis_backup_engine_options_get_share_files_with_checksum_naming(
    tamis_backup_engine_options_t* options);
TAMIS_C_API void tamis_backup_engine_options_destroy(
    tamis_backup_engine_options_t*);

// ---- Tables from outside

TAMIS_C_API tamis_envoptions_t* tamis_envoptions_create(void);
TAMIS_C_API void tamis_envoptions_destroy(tamis_envoptions_t* opt);
TAMIS_C_API tamis_sstfilewriter_t* tamis_sstfilewriter_create(
    const tamis_envoptions_t* env, const tamis_options_t* io_options);
// The comparator is that of io_options; the argument is not used, as in
// RocksDB.
TAMIS_C_API tamis_sstfilewriter_t* tamis_sstfilewriter_create_with_comparator(
    const tamis_envoptions_t* env, const tamis_options_t* io_options,
    const tamis_comparator_t* comparator);
TAMIS_C_API void tamis_sstfilewriter_open(tamis_sstfilewriter_t* writer,
                                          const char* name, char** errptr);
TAMIS_C_API void tamis_sstfilewriter_add(tamis_sstfilewriter_t* writer,
                                         const char* key, size_t keylen,
                                         const char* val, size_t vallen,
                                         char** errptr);
TAMIS_C_API void tamis_sstfilewriter_put(tamis_sstfilewriter_t* writer,
                                         const char* key, size_t keylen,
                                         const char* val, size_t vallen,
                                         char** errptr);
TAMIS_C_API void tamis_sstfilewriter_merge(tamis_sstfilewriter_t* writer,
                                           const char* key, size_t keylen,
                                           const char* val, size_t vallen,
                                           char** errptr);
TAMIS_C_API void tamis_sstfilewriter_delete(tamis_sstfilewriter_t* writer,
                                            const char* key, size_t keylen,
                                            char** errptr);
TAMIS_C_API void tamis_sstfilewriter_delete_range(
    tamis_sstfilewriter_t* writer, const char* begin_key, size_t begin_keylen,
    const char* end_key, size_t end_keylen, char** errptr);
TAMIS_C_API void tamis_sstfilewriter_finish(tamis_sstfilewriter_t* writer,
                                            char** errptr);
TAMIS_C_API void tamis_sstfilewriter_file_size(tamis_sstfilewriter_t* writer,
                                               uint64_t* file_size);
TAMIS_C_API void tamis_sstfilewriter_destroy(tamis_sstfilewriter_t* writer);
TAMIS_C_API void tamis_sstfilewriter_singledelete(tamis_sstfilewriter_t* writer,
                                                  const char* key,
                                                  size_t keylen, char** errptr);
TAMIS_C_API void tamis_ingest_external_file(
    tamis_t* db, const char* const* file_list, const size_t list_len,
    const tamis_ingestexternalfileoptions_t* opt, char** errptr);
TAMIS_C_API void tamis_ingest_external_file_cf(
    tamis_t* db, tamis_column_family_handle_t* handle,
    const char* const* file_list, const size_t list_len,
    const tamis_ingestexternalfileoptions_t* opt, char** errptr);
TAMIS_C_API tamis_ingestexternalfileoptions_t*
tamis_ingestexternalfileoptions_create(void);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_move_files(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_snapshot_consistency(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_allow_global_seqno(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_allow_blocking_flush(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_ingest_behind(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_ingestexternalfileoptions_get_ingest_behind(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API void tamis_ingestexternalfileoptions_destroy(
    tamis_ingestexternalfileoptions_t* opt);
TAMIS_C_API unsigned char tamis_ingestexternalfileoptions_get_move_files(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_link_files(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_ingestexternalfileoptions_get_link_files(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API void
tamis_ingestexternalfileoptions_set_failed_move_fall_back_to_copy(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_failed_move_fall_back_to_copy(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_snapshot_consistency(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_allow_global_seqno(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_allow_blocking_flush(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API void
tamis_ingestexternalfileoptions_set_verify_checksums_before_ingest(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_verify_checksums_before_ingest(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API void
tamis_ingestexternalfileoptions_set_fail_if_not_bottommost_level(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_fail_if_not_bottommost_level(
    tamis_ingestexternalfileoptions_t*);
TAMIS_C_API void tamis_ingestexternalfileoptions_set_verify_file_checksum(
    tamis_ingestexternalfileoptions_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_ingestexternalfileoptions_get_verify_file_checksum(
    tamis_ingestexternalfileoptions_t*);

// ---- Options

// One type for the options of a database and of a family. Options are copied by
// the functions that take them. The header tamis/ignored_options.h names those
// that are accepted and have no effect.

TAMIS_C_API tamis_options_t* tamis_options_create(void);
TAMIS_C_API void tamis_options_destroy(tamis_options_t*);
TAMIS_C_API tamis_options_t* tamis_options_create_copy(tamis_options_t*);
TAMIS_C_API void tamis_get_options_from_string(
    const tamis_options_t* base_options, const char* opts_str,
    tamis_options_t* new_options, char** errptr);
TAMIS_C_API void tamis_options_increase_parallelism(tamis_options_t* opt,
                                                    int total_threads);
TAMIS_C_API void tamis_options_prepare_for_bulk_load(tamis_options_t*);
TAMIS_C_API void tamis_options_optimize_for_point_lookup(
    tamis_options_t* opt, uint64_t block_cache_size_mb);
TAMIS_C_API void tamis_options_optimize_level_style_compaction(
    tamis_options_t* opt, uint64_t memtable_memory_budget);
TAMIS_C_API void tamis_options_optimize_universal_style_compaction(
    tamis_options_t* opt, uint64_t memtable_memory_budget);

// ---- Options of the database

TAMIS_C_API void tamis_options_set_create_if_missing(tamis_options_t*,
                                                     unsigned char);
TAMIS_C_API unsigned char tamis_options_get_create_if_missing(tamis_options_t*);
TAMIS_C_API void tamis_options_set_error_if_exists(tamis_options_t*,
                                                   unsigned char);
TAMIS_C_API unsigned char tamis_options_get_error_if_exists(tamis_options_t*);
TAMIS_C_API void tamis_options_set_create_missing_column_families(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_options_get_create_missing_column_families(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_upgrade_leveldb(tamis_options_t*,
                                                   unsigned char);
TAMIS_C_API unsigned char tamis_options_get_upgrade_leveldb(tamis_options_t*);
TAMIS_C_API void tamis_options_set_stats_dump_period_sec(tamis_options_t*,
                                                         unsigned int);
TAMIS_C_API unsigned int tamis_options_get_stats_dump_period_sec(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_background_jobs(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_max_background_jobs(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_subcompactions(tamis_options_t*,
                                                      uint32_t);
TAMIS_C_API uint32_t tamis_options_get_max_subcompactions(tamis_options_t*);
TAMIS_C_API void tamis_options_set_delayed_write_rate(tamis_options_t*,
                                                      uint64_t);
TAMIS_C_API uint64_t tamis_options_get_delayed_write_rate(tamis_options_t*);
TAMIS_C_API void tamis_options_set_bytes_per_sync(tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t tamis_options_get_bytes_per_sync(tamis_options_t*);
TAMIS_C_API void tamis_options_set_wal_bytes_per_sync(tamis_options_t*,
                                                      uint64_t);
TAMIS_C_API uint64_t tamis_options_get_wal_bytes_per_sync(tamis_options_t*);
TAMIS_C_API void tamis_options_set_manual_wal_flush(tamis_options_t* opt,
                                                    unsigned char);
TAMIS_C_API unsigned char tamis_options_get_manual_wal_flush(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_wal_compression(tamis_options_t* opt, int);
TAMIS_C_API int tamis_options_get_wal_compression(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_wal_recovery_mode(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_wal_recovery_mode(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_total_wal_size(tamis_options_t*,
                                                      uint64_t);
TAMIS_C_API uint64_t tamis_options_get_max_total_wal_size(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_WAL_ttl_seconds(tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t tamis_options_get_WAL_ttl_seconds(tamis_options_t*);
TAMIS_C_API void tamis_options_set_WAL_size_limit_MB(tamis_options_t*,
                                                     uint64_t);
TAMIS_C_API uint64_t tamis_options_get_WAL_size_limit_MB(tamis_options_t*);
TAMIS_C_API void tamis_options_set_atomic_flush(tamis_options_t* opt,
                                                unsigned char);
TAMIS_C_API unsigned char tamis_options_get_atomic_flush(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_max_manifest_file_size(tamis_options_t*,
                                                          size_t);
TAMIS_C_API size_t tamis_options_get_max_manifest_file_size(tamis_options_t*);
TAMIS_C_API size_t
tamis_options_get_compaction_readahead_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_compaction_readahead_size(tamis_options_t*,
                                                             size_t);
TAMIS_C_API void tamis_options_set_max_bgerror_resume_count(tamis_options_t*,
                                                            int);
TAMIS_C_API int tamis_options_get_max_bgerror_resume_count(tamis_options_t*);
TAMIS_C_API void tamis_options_set_bgerror_resume_retry_interval(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_bgerror_resume_retry_interval(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_open_files(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_max_open_files(tamis_options_t*);
TAMIS_C_API void tamis_options_set_allow_mmap_reads(tamis_options_t*,
                                                    unsigned char);
TAMIS_C_API unsigned char tamis_options_get_allow_mmap_reads(tamis_options_t*);
TAMIS_C_API void tamis_options_set_use_direct_reads(tamis_options_t*,
                                                    unsigned char);
TAMIS_C_API unsigned char tamis_options_get_use_direct_reads(tamis_options_t*);
TAMIS_C_API void tamis_options_set_use_direct_io_for_flush_and_compaction(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_options_get_use_direct_io_for_flush_and_compaction(tamis_options_t*);
TAMIS_C_API void tamis_options_set_db_log_dir(tamis_options_t*, const char*);
TAMIS_C_API void tamis_options_set_wal_dir(tamis_options_t*, const char*);
// Directories of tables: DBOptions::db_paths, and the cf_paths of a family. The
// options copy the paths.
TAMIS_C_API tamis_dbpath_t* tamis_dbpath_create(const char* path,
                                                uint64_t target_size);
TAMIS_C_API void tamis_dbpath_destroy(tamis_dbpath_t*);
TAMIS_C_API void tamis_options_set_db_paths(tamis_options_t*,
                                            const tamis_dbpath_t** paths,
                                            size_t num_paths);
TAMIS_C_API void tamis_options_set_cf_paths(tamis_options_t*,
                                            const tamis_dbpath_t** paths,
                                            size_t num_paths);
TAMIS_C_API void tamis_options_set_allow_ingest_behind(tamis_options_t*,
                                                       unsigned char);
TAMIS_C_API unsigned char tamis_options_get_allow_ingest_behind(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_avoid_flush_during_shutdown(tamis_options_t*,
                                                               unsigned char);
TAMIS_C_API unsigned char tamis_options_get_avoid_flush_during_shutdown(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_log_file_size(tamis_options_t*, size_t);
TAMIS_C_API size_t tamis_options_get_max_log_file_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_log_file_time_to_roll(tamis_options_t*,
                                                         size_t);
TAMIS_C_API size_t tamis_options_get_log_file_time_to_roll(tamis_options_t*);
TAMIS_C_API void tamis_options_set_keep_log_file_num(tamis_options_t*, size_t);
TAMIS_C_API size_t tamis_options_get_keep_log_file_num(tamis_options_t*);
TAMIS_C_API void tamis_options_set_info_log_level(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_info_log_level(tamis_options_t*);
TAMIS_C_API void tamis_options_set_enable_pipelined_write(tamis_options_t*,
                                                          unsigned char);
TAMIS_C_API unsigned char tamis_options_get_enable_pipelined_write(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_unordered_write(tamis_options_t*,
                                                   unsigned char);
TAMIS_C_API unsigned char tamis_options_get_unordered_write(tamis_options_t*);
TAMIS_C_API void tamis_options_set_two_write_queues(tamis_options_t*,
                                                    unsigned char);
TAMIS_C_API unsigned char tamis_options_get_two_write_queues(tamis_options_t*);
TAMIS_C_API void tamis_options_set_allow_concurrent_memtable_write(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_options_get_allow_concurrent_memtable_write(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_enable_write_thread_adaptive_yield(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_options_get_enable_write_thread_adaptive_yield(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_write_thread_max_yield_usec(tamis_options_t*,
                                                               uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_write_thread_max_yield_usec(tamis_options_t*);
TAMIS_C_API void tamis_options_set_write_thread_slow_yield_usec(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_write_thread_slow_yield_usec(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_write_batch_group_size_bytes(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_max_write_batch_group_size_bytes(tamis_options_t*);
TAMIS_C_API void tamis_options_set_use_adaptive_mutex(tamis_options_t*,
                                                      unsigned char);
TAMIS_C_API unsigned char tamis_options_get_use_adaptive_mutex(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_background_flushes(tamis_options_t*,
                                                          int);
TAMIS_C_API int tamis_options_get_max_background_flushes(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_background_compactions(tamis_options_t*,
                                                              int);
TAMIS_C_API int tamis_options_get_max_background_compactions(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_file_opening_threads(tamis_options_t*,
                                                            int);
TAMIS_C_API int tamis_options_get_max_file_opening_threads(tamis_options_t*);
TAMIS_C_API void tamis_options_set_paranoid_checks(tamis_options_t*,
                                                   unsigned char);
TAMIS_C_API unsigned char tamis_options_get_paranoid_checks(tamis_options_t*);
TAMIS_C_API void tamis_options_set_skip_checking_sst_file_sizes_on_db_open(
    tamis_options_t* opt, unsigned char val);
TAMIS_C_API unsigned char
tamis_options_get_skip_checking_sst_file_sizes_on_db_open(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_skip_stats_update_on_db_open(
    tamis_options_t* opt, unsigned char val);
TAMIS_C_API unsigned char tamis_options_get_skip_stats_update_on_db_open(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_avoid_flush_during_recovery(tamis_options_t*,
                                                               unsigned char);
TAMIS_C_API unsigned char tamis_options_get_avoid_flush_during_recovery(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_write_dbid_to_manifest(tamis_options_t*,
                                                          unsigned char);
TAMIS_C_API unsigned char tamis_options_get_write_dbid_to_manifest(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_use_fsync(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_use_fsync(tamis_options_t*);
TAMIS_C_API void tamis_options_set_allow_mmap_writes(tamis_options_t*,
                                                     unsigned char);
TAMIS_C_API unsigned char tamis_options_get_allow_mmap_writes(tamis_options_t*);
TAMIS_C_API void tamis_options_set_is_fd_close_on_exec(tamis_options_t*,
                                                       unsigned char);
TAMIS_C_API unsigned char tamis_options_get_is_fd_close_on_exec(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_allow_fallocate(tamis_options_t*,
                                                   unsigned char);
TAMIS_C_API unsigned char tamis_options_get_allow_fallocate(tamis_options_t*);
TAMIS_C_API void tamis_options_set_writable_file_max_buffer_size(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_writable_file_max_buffer_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_random_access_max_buffer_size(
    tamis_options_t*, size_t);
TAMIS_C_API size_t
tamis_options_get_random_access_max_buffer_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_manifest_preallocation_size(tamis_options_t*,
                                                               size_t);
TAMIS_C_API size_t
tamis_options_get_manifest_preallocation_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_recycle_log_file_num(tamis_options_t*,
                                                        size_t);
TAMIS_C_API size_t tamis_options_get_recycle_log_file_num(tamis_options_t*);
TAMIS_C_API void tamis_options_set_advise_random_on_open(tamis_options_t*,
                                                         unsigned char);
TAMIS_C_API unsigned char tamis_options_get_advise_random_on_open(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_log_readahead_size(tamis_options_t*, size_t);
TAMIS_C_API size_t tamis_options_get_log_readahead_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_access_hint_on_compaction_start(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_access_hint_on_compaction_start(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_strict_bytes_per_sync(tamis_options_t*,
                                                         unsigned char);
TAMIS_C_API unsigned char tamis_options_get_strict_bytes_per_sync(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_table_cache_numshardbits(tamis_options_t*,
                                                            int);
TAMIS_C_API int tamis_options_get_table_cache_numshardbits(tamis_options_t*);
TAMIS_C_API void tamis_options_set_delete_obsolete_files_period_micros(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_delete_obsolete_files_period_micros(tamis_options_t*);
TAMIS_C_API void tamis_options_set_avoid_unnecessary_blocking_io(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_options_get_avoid_unnecessary_blocking_io(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_enable_thread_tracking(tamis_options_t*,
                                                          unsigned char);
TAMIS_C_API unsigned char tamis_options_get_enable_thread_tracking(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_dump_malloc_stats(tamis_options_t*,
                                                     unsigned char);
TAMIS_C_API unsigned char tamis_options_get_dump_malloc_stats(tamis_options_t*);
TAMIS_C_API void tamis_options_set_stats_persist_period_sec(tamis_options_t*,
                                                            unsigned int);
TAMIS_C_API unsigned int tamis_options_get_stats_persist_period_sec(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_stats_history_buffer_size(tamis_options_t*,
                                                             size_t);
TAMIS_C_API size_t
tamis_options_get_stats_history_buffer_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_db_write_buffer_size(tamis_options_t*,
                                                        size_t);
TAMIS_C_API size_t tamis_options_get_db_write_buffer_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_env(tamis_options_t*, tamis_env_t*);
TAMIS_C_API void tamis_options_set_write_buffer_manager(
    tamis_options_t* opt, tamis_write_buffer_manager_t* wbm);
TAMIS_C_API void tamis_options_set_ratelimiter(tamis_options_t* opt,
                                               tamis_ratelimiter_t* limiter);
TAMIS_C_API void tamis_options_set_row_cache(tamis_options_t*, tamis_cache_t*);
TAMIS_C_API void tamis_options_set_info_log(tamis_options_t*, tamis_logger_t*);
TAMIS_C_API tamis_logger_t* tamis_options_get_info_log(tamis_options_t* opt);
TAMIS_C_API void tamis_options_compaction_readahead_size(tamis_options_t*,
                                                         size_t);

// ---- Options of a column family

// Takes ownership: merge operator, compaction filter factory, prefix extractor.
// The comparator and the compaction filter are not owned, and outlive the
// database.

enum {
  tamis_tolerate_corrupted_tail_records_recovery = 0,
  tamis_absolute_consistency_recovery = 1,
  tamis_point_in_time_recovery = 2,
  tamis_skip_any_corrupted_records_recovery = 3
};
enum {
  tamis_no_compression = 0,
  tamis_snappy_compression = 1,
  tamis_zlib_compression = 2,
  tamis_bz2_compression = 3,
  tamis_lz4_compression = 4,
  tamis_lz4hc_compression = 5,
  tamis_xpress_compression = 6,
  tamis_zstd_compression = 7
};
enum {
  tamis_level_compaction = 0,
  tamis_universal_compaction = 1,
  tamis_fifo_compaction = 2
};
TAMIS_C_API void tamis_options_set_write_buffer_size(tamis_options_t*, size_t);
TAMIS_C_API size_t tamis_options_get_write_buffer_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_write_buffer_number(tamis_options_t*,
                                                           int);
TAMIS_C_API int tamis_options_get_max_write_buffer_number(tamis_options_t*);
TAMIS_C_API void tamis_options_set_min_write_buffer_number_to_merge(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_min_write_buffer_number_to_merge(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_memtable_prefix_bloom_size_ratio(
    tamis_options_t*, double);
TAMIS_C_API double tamis_options_get_memtable_prefix_bloom_size_ratio(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_memtable_whole_key_filtering(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_options_get_memtable_whole_key_filtering(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_compression(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_compression(tamis_options_t*);
TAMIS_C_API void tamis_options_set_bottommost_compression(tamis_options_t*,
                                                          int);
TAMIS_C_API int tamis_options_get_bottommost_compression(tamis_options_t*);
TAMIS_C_API void tamis_options_set_optimize_filters_for_hits(tamis_options_t*,
                                                             int);
TAMIS_C_API unsigned char tamis_options_get_optimize_filters_for_hits(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_level0_file_num_compaction_trigger(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_level0_file_num_compaction_trigger(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_level0_slowdown_writes_trigger(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_level0_slowdown_writes_trigger(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_level0_stop_writes_trigger(tamis_options_t*,
                                                              int);
TAMIS_C_API int tamis_options_get_level0_stop_writes_trigger(tamis_options_t*);
TAMIS_C_API void tamis_options_set_compaction_style(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_compaction_style(tamis_options_t*);
TAMIS_C_API void tamis_options_set_num_levels(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_num_levels(tamis_options_t*);
TAMIS_C_API void tamis_options_set_soft_pending_compaction_bytes_limit(
    tamis_options_t* opt, size_t v);
TAMIS_C_API size_t
tamis_options_get_soft_pending_compaction_bytes_limit(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_hard_pending_compaction_bytes_limit(
    tamis_options_t* opt, size_t v);
TAMIS_C_API size_t
tamis_options_get_hard_pending_compaction_bytes_limit(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_max_bytes_for_level_base(tamis_options_t*,
                                                            uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_max_bytes_for_level_base(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_bytes_for_level_multiplier(
    tamis_options_t*, double);
TAMIS_C_API double tamis_options_get_max_bytes_for_level_multiplier(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_level_compaction_dynamic_level_bytes(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_options_get_level_compaction_dynamic_level_bytes(tamis_options_t*);
TAMIS_C_API void tamis_options_set_compaction_pri(tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_compaction_pri(tamis_options_t*);
TAMIS_C_API void tamis_options_set_target_file_size_base(tamis_options_t*,
                                                         uint64_t);
TAMIS_C_API uint64_t tamis_options_get_target_file_size_base(tamis_options_t*);
TAMIS_C_API void tamis_options_set_target_file_size_multiplier(tamis_options_t*,
                                                               int);
TAMIS_C_API int tamis_options_get_target_file_size_multiplier(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_compaction_bytes(tamis_options_t*,
                                                        uint64_t);
TAMIS_C_API uint64_t tamis_options_get_max_compaction_bytes(tamis_options_t*);
TAMIS_C_API void tamis_options_set_ttl(tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t tamis_options_get_ttl(tamis_options_t*);
TAMIS_C_API void tamis_options_set_cf_allow_ingest_behind(tamis_options_t*,
                                                          unsigned char);
TAMIS_C_API unsigned char tamis_options_get_cf_allow_ingest_behind(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_periodic_compaction_seconds(tamis_options_t*,
                                                               uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_periodic_compaction_seconds(tamis_options_t*);
TAMIS_C_API void tamis_options_set_disable_auto_compactions(tamis_options_t*,
                                                            int);
TAMIS_C_API unsigned char tamis_options_get_disable_auto_compactions(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_sequential_skip_in_iterations(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_max_sequential_skip_in_iterations(tamis_options_t*);
TAMIS_C_API void tamis_options_set_arena_block_size(tamis_options_t*, size_t);
TAMIS_C_API size_t tamis_options_get_arena_block_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_memtable_huge_page_size(tamis_options_t*,
                                                           size_t);
TAMIS_C_API size_t tamis_options_get_memtable_huge_page_size(tamis_options_t*);
TAMIS_C_API void tamis_options_set_bloom_locality(tamis_options_t*, uint32_t);
TAMIS_C_API uint32_t tamis_options_get_bloom_locality(tamis_options_t*);
TAMIS_C_API void tamis_options_set_inplace_update_support(tamis_options_t*,
                                                          unsigned char);
TAMIS_C_API unsigned char tamis_options_get_inplace_update_support(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_inplace_update_num_locks(tamis_options_t*,
                                                            size_t);
TAMIS_C_API size_t tamis_options_get_inplace_update_num_locks(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_write_buffer_size_to_maintain(
    tamis_options_t*, int64_t);
TAMIS_C_API int64_t
tamis_options_get_max_write_buffer_size_to_maintain(tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_write_buffer_number_to_maintain(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_max_write_buffer_number_to_maintain(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_experimental_mempurge_threshold(
    tamis_options_t*, double);
TAMIS_C_API double tamis_options_get_experimental_mempurge_threshold(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_max_successive_merges(tamis_options_t*,
                                                         size_t);
TAMIS_C_API size_t tamis_options_get_max_successive_merges(tamis_options_t*);
TAMIS_C_API void tamis_options_set_force_consistency_checks(tamis_options_t*,
                                                            unsigned char);
TAMIS_C_API unsigned char tamis_options_get_force_consistency_checks(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_check_flush_compaction_key_order(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_options_get_check_flush_compaction_key_order(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_report_bg_io_stats(tamis_options_t*, int);
TAMIS_C_API unsigned char tamis_options_get_report_bg_io_stats(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_sample_for_compression(tamis_options_t*,
                                                          uint64_t);
TAMIS_C_API uint64_t tamis_options_get_sample_for_compression(tamis_options_t*);
// Ignored, as all options of blob files: values are in tables.
TAMIS_C_API void tamis_options_set_enable_blob_files(tamis_options_t* opt,
                                                     unsigned char val);
TAMIS_C_API unsigned char tamis_options_get_enable_blob_files(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_min_blob_size(tamis_options_t* opt,
                                                 uint64_t val);
TAMIS_C_API uint64_t tamis_options_get_min_blob_size(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_file_size(tamis_options_t* opt,
                                                  uint64_t val);
TAMIS_C_API uint64_t tamis_options_get_blob_file_size(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_compression_type(tamis_options_t* opt,
                                                         int val);
TAMIS_C_API int tamis_options_get_blob_compression_type(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_enable_blob_gc(tamis_options_t* opt,
                                                  unsigned char val);
TAMIS_C_API unsigned char tamis_options_get_enable_blob_gc(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_gc_age_cutoff(tamis_options_t* opt,
                                                      double val);
TAMIS_C_API double tamis_options_get_blob_gc_age_cutoff(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_gc_force_threshold(tamis_options_t* opt,
                                                           double val);
TAMIS_C_API double tamis_options_get_blob_gc_force_threshold(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_compaction_readahead_size(
    tamis_options_t* opt, uint64_t val);
TAMIS_C_API uint64_t
tamis_options_get_blob_compaction_readahead_size(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_file_starting_level(
    tamis_options_t* opt, int val);
TAMIS_C_API int tamis_options_get_blob_file_starting_level(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_blob_cache(tamis_options_t* opt,
                                              tamis_cache_t* blob_cache);
enum {
  tamis_prepopulate_blob_disable = 0,
  tamis_prepopulate_blob_flush_only = 1
};
TAMIS_C_API void tamis_options_set_prepopulate_blob_cache(tamis_options_t* opt,
                                                          int val);
TAMIS_C_API int tamis_options_get_prepopulate_blob_cache(tamis_options_t* opt);
// Ignored: there is one kind of memtable.
TAMIS_C_API void tamis_options_set_memtable_vector_rep(tamis_options_t*);
TAMIS_C_API void tamis_options_set_hash_skip_list_rep(tamis_options_t*,
                                                      size_t bucket_count,
                                                      int32_t height,
                                                      int32_t branching);
TAMIS_C_API void tamis_options_set_hash_link_list_rep(tamis_options_t*,
                                                      size_t bucket_count);
TAMIS_C_API void tamis_options_set_comparator(tamis_options_t*,
                                              tamis_comparator_t*);
TAMIS_C_API void tamis_options_set_merge_operator(tamis_options_t*,
                                                  tamis_mergeoperator_t*);
TAMIS_C_API void tamis_options_set_uint64add_merge_operator(tamis_options_t*);
TAMIS_C_API void tamis_options_set_compaction_filter(tamis_options_t*,
                                                     tamis_compactionfilter_t*);
TAMIS_C_API void tamis_options_set_compaction_filter_factory(
    tamis_options_t*, tamis_compactionfilterfactory_t*);
// NewCompactOnDeletionCollectorFactory, without a ratio.
TAMIS_C_API void tamis_options_add_compact_on_deletion_collector_factory(
    tamis_options_t*, size_t window_size, size_t num_dels_trigger);
TAMIS_C_API void tamis_options_set_prefix_extractor(tamis_options_t*,
                                                    tamis_slicetransform_t*);
TAMIS_C_API void tamis_options_set_block_based_table_factory(
    tamis_options_t* opt, tamis_block_based_table_options_t* table_options);
// New tables are plain tables (PlainTableOptions).
TAMIS_C_API void tamis_options_set_plain_table_factory(tamis_options_t*,
                                                       uint32_t user_key_len,
                                                       int bloom_bits_per_key,
                                                       double hash_table_ratio,
                                                       size_t index_sparseness);
// New tables are cuckoo tables (CuckooTableOptions).
TAMIS_C_API void tamis_options_set_cuckoo_table_factory(
    tamis_options_t* opt, tamis_cuckoo_table_options_t* table_options);
TAMIS_C_API tamis_cuckoo_table_options_t* tamis_cuckoo_options_create(void);
TAMIS_C_API void tamis_cuckoo_options_destroy(
    tamis_cuckoo_table_options_t* options);
TAMIS_C_API void tamis_cuckoo_options_set_hash_ratio(
    tamis_cuckoo_table_options_t* options, double v);
TAMIS_C_API void tamis_cuckoo_options_set_max_search_depth(
    tamis_cuckoo_table_options_t* options, uint32_t v);
TAMIS_C_API void tamis_cuckoo_options_set_cuckoo_block_size(
    tamis_cuckoo_table_options_t* options, uint32_t v);
TAMIS_C_API void tamis_cuckoo_options_set_identity_as_first_hash(
    tamis_cuckoo_table_options_t* options, unsigned char v);
TAMIS_C_API void tamis_cuckoo_options_set_use_module_hash(
    tamis_cuckoo_table_options_t* options, unsigned char v);
TAMIS_C_API void tamis_options_set_compression_per_level(
    tamis_options_t* opt, const int* level_values, size_t num_levels);
// Levels below `level` are not compressed.
TAMIS_C_API void tamis_options_set_min_level_to_compress(tamis_options_t* opt,
                                                         int level);
TAMIS_C_API void tamis_options_set_max_bytes_for_level_multiplier_additional(
    tamis_options_t*, int* level_values, size_t num_levels);
TAMIS_C_API void tamis_options_set_universal_compaction_options(
    tamis_options_t*, tamis_universal_compaction_options_t*);
TAMIS_C_API void tamis_options_set_fifo_compaction_options(
    tamis_options_t* opt, tamis_fifo_compaction_options_t* fifo);
// The window bits and the strategy are zlib's: tables are written with -14 and
// 0, RocksDB's defaults.
TAMIS_C_API void tamis_options_set_compression_options(tamis_options_t*, int,
                                                       int, int, int);
TAMIS_C_API void tamis_options_set_bottommost_compression_options(
    tamis_options_t*, int, int, int, int, unsigned char);
TAMIS_C_API void tamis_options_set_compression_options_zstd_max_train_bytes(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_compression_options_zstd_max_train_bytes(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_compression_options_use_zstd_dict_trainer(
    tamis_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_options_get_compression_options_use_zstd_dict_trainer(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_compression_options_parallel_threads(
    tamis_options_t*, int);
TAMIS_C_API int tamis_options_get_compression_options_parallel_threads(
    tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_compression_options_max_dict_buffer_bytes(
    tamis_options_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_options_get_compression_options_max_dict_buffer_bytes(
    tamis_options_t* opt);
TAMIS_C_API void
tamis_options_set_bottommost_compression_options_zstd_max_train_bytes(
    tamis_options_t*, int, unsigned char);
TAMIS_C_API void
tamis_options_set_bottommost_compression_options_use_zstd_dict_trainer(
    tamis_options_t*, unsigned char, unsigned char);
TAMIS_C_API unsigned char
tamis_options_get_bottommost_compression_options_use_zstd_dict_trainer(
    tamis_options_t* opt);
TAMIS_C_API void
tamis_options_set_bottommost_compression_options_max_dict_buffer_bytes(
    tamis_options_t*, uint64_t, unsigned char);
TAMIS_C_API void tamis_options_set_compression_options_level(tamis_options_t*,
                                                             int);
TAMIS_C_API int tamis_options_get_compression_options_level(tamis_options_t*);
TAMIS_C_API void tamis_options_set_compression_options_enabled(tamis_options_t*,
                                                               unsigned char);
TAMIS_C_API unsigned char tamis_options_get_compression_options_enabled(
    tamis_options_t*);
TAMIS_C_API void tamis_options_set_compression_options_max_dict_bytes(
    tamis_options_t*, uint32_t);
TAMIS_C_API uint32_t
tamis_options_get_compression_options_max_dict_bytes(tamis_options_t*);

// ---- Options of compaction styles

enum {
  tamis_similar_size_compaction_stop_style = 0,
  tamis_total_size_compaction_stop_style = 1
};
TAMIS_C_API tamis_universal_compaction_options_t*
tamis_universal_compaction_options_create(void);
TAMIS_C_API void tamis_universal_compaction_options_set_size_ratio(
    tamis_universal_compaction_options_t*, int);
TAMIS_C_API int tamis_universal_compaction_options_get_size_ratio(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void tamis_universal_compaction_options_set_min_merge_width(
    tamis_universal_compaction_options_t*, int);
TAMIS_C_API int tamis_universal_compaction_options_get_min_merge_width(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void tamis_universal_compaction_options_set_max_merge_width(
    tamis_universal_compaction_options_t*, int);
TAMIS_C_API int tamis_universal_compaction_options_get_max_merge_width(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void
tamis_universal_compaction_options_set_max_size_amplification_percent(
    tamis_universal_compaction_options_t*, int);
TAMIS_C_API int
tamis_universal_compaction_options_get_max_size_amplification_percent(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void
tamis_universal_compaction_options_set_compression_size_percent(
    tamis_universal_compaction_options_t*, int);
TAMIS_C_API int tamis_universal_compaction_options_get_compression_size_percent(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void tamis_universal_compaction_options_set_stop_style(
    tamis_universal_compaction_options_t*, int);
TAMIS_C_API int tamis_universal_compaction_options_get_stop_style(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void tamis_universal_compaction_options_destroy(
    tamis_universal_compaction_options_t*);
TAMIS_C_API void tamis_universal_compaction_options_set_allow_trivial_move(
    tamis_universal_compaction_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_universal_compaction_options_get_allow_trivial_move(
    tamis_universal_compaction_options_t*);
TAMIS_C_API tamis_fifo_compaction_options_t*
tamis_fifo_compaction_options_create(void);
TAMIS_C_API void tamis_fifo_compaction_options_set_max_table_files_size(
    tamis_fifo_compaction_options_t*, uint64_t);
TAMIS_C_API uint64_t tamis_fifo_compaction_options_get_max_table_files_size(
    tamis_fifo_compaction_options_t*);
TAMIS_C_API void tamis_fifo_compaction_options_destroy(
    tamis_fifo_compaction_options_t* fifo_opts);
TAMIS_C_API void tamis_fifo_compaction_options_set_allow_compaction(
    tamis_fifo_compaction_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_fifo_compaction_options_get_allow_compaction(
    tamis_fifo_compaction_options_t*);

// ---- Options of tables

// tamis_block_based_options_set_filter_policy takes ownership of the policy.

enum {
  tamis_block_based_table_index_type_binary_search = 0,
  tamis_block_based_table_index_type_hash_search = 1,
  tamis_block_based_table_index_type_two_level_index_search = 2
};
enum {
  tamis_block_based_table_data_block_index_type_binary_search = 0,
  tamis_block_based_table_data_block_index_type_binary_search_and_hash = 1
};
TAMIS_C_API tamis_block_based_table_options_t* tamis_block_based_options_create(
    void);
TAMIS_C_API void tamis_block_based_options_destroy(
    tamis_block_based_table_options_t* options);
TAMIS_C_API void tamis_block_based_options_set_checksum(
    tamis_block_based_table_options_t*, char);
TAMIS_C_API void tamis_block_based_options_set_block_size(
    tamis_block_based_table_options_t*, size_t);
TAMIS_C_API void tamis_block_based_options_set_block_size_deviation(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API void tamis_block_based_options_set_block_restart_interval(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API void tamis_block_based_options_set_index_block_restart_interval(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API void tamis_block_based_options_set_metadata_block_size(
    tamis_block_based_table_options_t*, uint64_t);
TAMIS_C_API void tamis_block_based_options_set_partition_filters(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API void tamis_block_based_options_set_use_delta_encoding(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API void tamis_block_based_options_set_filter_policy(
    tamis_block_based_table_options_t* options,
    tamis_filterpolicy_t* filter_policy);
TAMIS_C_API void tamis_block_based_options_set_no_block_cache(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API void tamis_block_based_options_set_block_cache(
    tamis_block_based_table_options_t* options, tamis_cache_t* block_cache);
TAMIS_C_API void tamis_block_based_options_set_block_cache_compressed(
    tamis_block_based_table_options_t* options,
    tamis_cache_t* block_cache_compressed);
TAMIS_C_API void tamis_block_based_options_set_whole_key_filtering(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API void tamis_block_based_options_set_format_version(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API void tamis_block_based_options_set_index_type(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API void tamis_block_based_options_set_data_block_index_type(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API void tamis_block_based_options_set_data_block_hash_ratio(
    tamis_block_based_table_options_t* options, double v);
TAMIS_C_API void tamis_block_based_options_set_cache_index_and_filter_blocks(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API void
tamis_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API void tamis_block_based_options_set_pin_top_level_index_and_filter(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_block_based_options_get_cache_index_and_filter_blocks_with_high_priority(
    tamis_block_based_table_options_t*);
TAMIS_C_API unsigned char
tamis_block_based_options_get_pin_top_level_index_and_filter(
    tamis_block_based_table_options_t*);
TAMIS_C_API void
tamis_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_block_based_options_get_pin_l0_filter_and_index_blocks_in_cache(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_optimize_filters_for_memory(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_block_based_options_get_optimize_filters_for_memory(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_read_amp_bytes_per_bit(
    tamis_block_based_table_options_t*, uint32_t);
TAMIS_C_API uint32_t tamis_block_based_options_get_read_amp_bytes_per_bit(
    tamis_block_based_table_options_t*);
TAMIS_C_API size_t
tamis_block_based_options_get_block_size(tamis_block_based_table_options_t*);
TAMIS_C_API int tamis_block_based_options_get_block_size_deviation(
    tamis_block_based_table_options_t*);
TAMIS_C_API int tamis_block_based_options_get_block_restart_interval(
    tamis_block_based_table_options_t*);
TAMIS_C_API int tamis_block_based_options_get_index_block_restart_interval(
    tamis_block_based_table_options_t*);
TAMIS_C_API unsigned char tamis_block_based_options_get_use_delta_encoding(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_block_align(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API unsigned char tamis_block_based_options_get_block_align(
    tamis_block_based_table_options_t*);
TAMIS_C_API int tamis_block_based_options_get_format_version(
    tamis_block_based_table_options_t*);
TAMIS_C_API unsigned char tamis_block_based_options_get_whole_key_filtering(
    tamis_block_based_table_options_t*);
TAMIS_C_API int tamis_block_based_options_get_index_type(
    tamis_block_based_table_options_t*);
TAMIS_C_API unsigned char tamis_block_based_options_get_partition_filters(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_decouple_partitioned_filters(
    tamis_block_based_table_options_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_block_based_options_get_decouple_partitioned_filters(
    tamis_block_based_table_options_t*);
TAMIS_C_API uint64_t tamis_block_based_options_get_metadata_block_size(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_index_shortening(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API int tamis_block_based_options_get_index_shortening(
    tamis_block_based_table_options_t*);
TAMIS_C_API int tamis_block_based_options_get_data_block_index_type(
    tamis_block_based_table_options_t*);
TAMIS_C_API double tamis_block_based_options_get_data_block_hash_ratio(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_range_filter(
    tamis_block_based_table_options_t*, int);
TAMIS_C_API int tamis_block_based_options_get_range_filter(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_range_filter_bits_per_key(
    tamis_block_based_table_options_t*, double);
TAMIS_C_API double tamis_block_based_options_get_range_filter_bits_per_key(
    tamis_block_based_table_options_t*);
TAMIS_C_API char tamis_block_based_options_get_checksum(
    tamis_block_based_table_options_t*);
TAMIS_C_API unsigned char tamis_block_based_options_get_no_block_cache(
    tamis_block_based_table_options_t*);
TAMIS_C_API unsigned char
tamis_block_based_options_get_cache_index_and_filter_blocks(
    tamis_block_based_table_options_t*);
TAMIS_C_API void tamis_block_based_options_set_max_decompressed_block_bytes(
    tamis_block_based_table_options_t*, uint64_t);
TAMIS_C_API uint64_t tamis_block_based_options_get_max_decompressed_block_bytes(
    tamis_block_based_table_options_t*);

// ---- Options of calls

// Keys of tamis_readoptions_t's bounds are not copied. The destructor of a
// table filter may be NULL.

TAMIS_C_API tamis_readoptions_t* tamis_readoptions_create(void);
TAMIS_C_API void tamis_readoptions_destroy(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_verify_checksums(tamis_readoptions_t*,
                                                        unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_verify_checksums(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_fill_cache(tamis_readoptions_t*,
                                                  unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_fill_cache(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_snapshot(tamis_readoptions_t*,
                                                const tamis_snapshot_t*);
TAMIS_C_API void tamis_readoptions_set_iterate_upper_bound(tamis_readoptions_t*,
                                                           const char* key,
                                                           size_t keylen);
TAMIS_C_API void tamis_readoptions_set_iterate_lower_bound(tamis_readoptions_t*,
                                                           const char* key,
                                                           size_t keylen);
TAMIS_C_API void tamis_readoptions_set_read_tier(tamis_readoptions_t*, int);
TAMIS_C_API int tamis_readoptions_get_read_tier(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_tailing(tamis_readoptions_t*,
                                               unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_tailing(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_readahead_size(tamis_readoptions_t*,
                                                      size_t);
TAMIS_C_API size_t tamis_readoptions_get_readahead_size(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_prefix_same_as_start(
    tamis_readoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_prefix_same_as_start(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_pin_data(tamis_readoptions_t*,
                                                unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_pin_data(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_total_order_seek(tamis_readoptions_t*,
                                                        unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_total_order_seek(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_max_skippable_internal_keys(
    tamis_readoptions_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_readoptions_get_max_skippable_internal_keys(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_background_purge_on_iterator_cleanup(
    tamis_readoptions_t*, unsigned char);
TAMIS_C_API unsigned char
tamis_readoptions_get_background_purge_on_iterator_cleanup(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_ignore_range_deletions(
    tamis_readoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_ignore_range_deletions(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_deadline(tamis_readoptions_t*,
                                                uint64_t /*microseconds*/);
TAMIS_C_API uint64_t tamis_readoptions_get_deadline(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_io_timeout(tamis_readoptions_t*,
                                                  uint64_t /*microseconds*/);
TAMIS_C_API uint64_t tamis_readoptions_get_io_timeout(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_rate_limiter_priority(
    tamis_readoptions_t*, int);
TAMIS_C_API int tamis_readoptions_get_rate_limiter_priority(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_table_filter(
    tamis_readoptions_t*, void* state,
    unsigned char (*table_filter)(void*, const tamis_table_properties_t*),
    void (*destructor)(void*));
TAMIS_C_API void tamis_readoptions_set_managed(tamis_readoptions_t*,
                                               unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_managed(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_auto_prefix_mode(tamis_readoptions_t*,
                                                        unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_auto_prefix_mode(
    tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_value_size_soft_limit(
    tamis_readoptions_t*, uint64_t);
TAMIS_C_API uint64_t
tamis_readoptions_get_value_size_soft_limit(tamis_readoptions_t*);
TAMIS_C_API void tamis_readoptions_set_async_io(tamis_readoptions_t*,
                                                unsigned char);
TAMIS_C_API unsigned char tamis_readoptions_get_async_io(tamis_readoptions_t*);
TAMIS_C_API uint64_t
tamis_table_properties_get_num_entries(const tamis_table_properties_t*);
TAMIS_C_API uint64_t
tamis_table_properties_get_num_deletions(const tamis_table_properties_t*);
TAMIS_C_API uint64_t
tamis_table_properties_get_data_size(const tamis_table_properties_t*);
TAMIS_C_API uint64_t
tamis_table_properties_get_creation_time(const tamis_table_properties_t*);
TAMIS_C_API const char* tamis_table_properties_get_column_family_name(
    const tamis_table_properties_t*, size_t* len);
TAMIS_C_API const char* tamis_table_properties_get_user_collected_property(
    const tamis_table_properties_t*, const char* name, size_t* len);
TAMIS_C_API tamis_writeoptions_t* tamis_writeoptions_create(void);
TAMIS_C_API void tamis_writeoptions_destroy(tamis_writeoptions_t*);
TAMIS_C_API void tamis_writeoptions_set_sync(tamis_writeoptions_t*,
                                             unsigned char);
TAMIS_C_API unsigned char tamis_writeoptions_get_sync(tamis_writeoptions_t*);
TAMIS_C_API void tamis_writeoptions_disable_WAL(tamis_writeoptions_t* opt,
                                                int disable);
TAMIS_C_API unsigned char tamis_writeoptions_get_disable_WAL(
    tamis_writeoptions_t* opt);
TAMIS_C_API void tamis_writeoptions_set_ignore_missing_column_families(
    tamis_writeoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_writeoptions_get_ignore_missing_column_families(
    tamis_writeoptions_t*);
TAMIS_C_API void tamis_writeoptions_set_no_slowdown(tamis_writeoptions_t*,
                                                    unsigned char);
TAMIS_C_API unsigned char tamis_writeoptions_get_no_slowdown(
    tamis_writeoptions_t*);
TAMIS_C_API void tamis_writeoptions_set_low_pri(tamis_writeoptions_t*,
                                                unsigned char);
TAMIS_C_API unsigned char tamis_writeoptions_get_low_pri(tamis_writeoptions_t*);
TAMIS_C_API void tamis_writeoptions_set_memtable_insert_hint_per_batch(
    tamis_writeoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_writeoptions_get_memtable_insert_hint_per_batch(
    tamis_writeoptions_t*);
TAMIS_C_API void tamis_writeoptions_set_rate_limiter_priority(
    tamis_writeoptions_t*, int);
TAMIS_C_API int tamis_writeoptions_get_rate_limiter_priority(
    tamis_writeoptions_t*);
TAMIS_C_API tamis_flushoptions_t* tamis_flushoptions_create(void);
TAMIS_C_API void tamis_flushoptions_destroy(tamis_flushoptions_t*);
TAMIS_C_API void tamis_flushoptions_set_wait(tamis_flushoptions_t*,
                                             unsigned char);
TAMIS_C_API unsigned char tamis_flushoptions_get_wait(tamis_flushoptions_t*);
TAMIS_C_API void tamis_flushoptions_set_allow_write_stall(tamis_flushoptions_t*,
                                                          unsigned char);
TAMIS_C_API unsigned char tamis_flushoptions_get_allow_write_stall(
    tamis_flushoptions_t*);
TAMIS_C_API tamis_compactoptions_t* tamis_compactoptions_create(void);
TAMIS_C_API void tamis_compactoptions_destroy(tamis_compactoptions_t*);
TAMIS_C_API void tamis_compactoptions_set_exclusive_manual_compaction(
    tamis_compactoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_compactoptions_get_exclusive_manual_compaction(
    tamis_compactoptions_t*);
TAMIS_C_API void tamis_compactoptions_set_bottommost_level_compaction(
    tamis_compactoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_compactoptions_get_bottommost_level_compaction(
    tamis_compactoptions_t*);
TAMIS_C_API void tamis_compactoptions_set_change_level(tamis_compactoptions_t*,
                                                       unsigned char);
TAMIS_C_API unsigned char tamis_compactoptions_get_change_level(
    tamis_compactoptions_t*);
TAMIS_C_API void tamis_compactoptions_set_target_level(tamis_compactoptions_t*,
                                                       int);
TAMIS_C_API int tamis_compactoptions_get_target_level(tamis_compactoptions_t*);
TAMIS_C_API void tamis_compactoptions_set_allow_write_stall(
    tamis_compactoptions_t*, unsigned char);
TAMIS_C_API unsigned char tamis_compactoptions_get_allow_write_stall(
    tamis_compactoptions_t*);
TAMIS_C_API void tamis_compactoptions_set_max_subcompactions(
    tamis_compactoptions_t*, uint32_t);
TAMIS_C_API uint32_t
tamis_compactoptions_get_max_subcompactions(tamis_compactoptions_t*);
TAMIS_C_API tamis_wait_for_compact_options_t*
tamis_wait_for_compact_options_create(void);
TAMIS_C_API void tamis_wait_for_compact_options_destroy(
    tamis_wait_for_compact_options_t* opt);
TAMIS_C_API void tamis_wait_for_compact_options_set_abort_on_pause(
    tamis_wait_for_compact_options_t* opt, unsigned char v);
TAMIS_C_API unsigned char tamis_wait_for_compact_options_get_abort_on_pause(
    tamis_wait_for_compact_options_t* opt);
TAMIS_C_API void tamis_wait_for_compact_options_set_flush(
    tamis_wait_for_compact_options_t* opt, unsigned char v);
TAMIS_C_API unsigned char tamis_wait_for_compact_options_get_flush(
    tamis_wait_for_compact_options_t* opt);
TAMIS_C_API void tamis_wait_for_compact_options_set_close_db(
    tamis_wait_for_compact_options_t* opt, unsigned char v);
TAMIS_C_API unsigned char tamis_wait_for_compact_options_get_close_db(
    tamis_wait_for_compact_options_t* opt);
TAMIS_C_API void tamis_wait_for_compact_options_set_timeout(
    tamis_wait_for_compact_options_t*, uint64_t /*microseconds*/);
TAMIS_C_API uint64_t tamis_wait_for_compact_options_get_timeout(
    tamis_wait_for_compact_options_t* opt);

// ---- Caches, memory, rates

// Objects are shared: what an option took outlives their destroy.

TAMIS_C_API tamis_lru_cache_options_t* tamis_lru_cache_options_create(void);
TAMIS_C_API void tamis_lru_cache_options_destroy(tamis_lru_cache_options_t*);
TAMIS_C_API void tamis_lru_cache_options_set_capacity(
    tamis_lru_cache_options_t*, size_t);
TAMIS_C_API void tamis_lru_cache_options_set_num_shard_bits(
    tamis_lru_cache_options_t*, int);
// Returns nullptr and the error "Not implemented: ...": a cache has an
// allocator of its own. The other two do nothing.
TAMIS_C_API tamis_memory_allocator_t* tamis_jemalloc_nodump_allocator_create(
    char** errptr);
TAMIS_C_API void tamis_memory_allocator_destroy(tamis_memory_allocator_t*);
TAMIS_C_API void tamis_lru_cache_options_set_memory_allocator(
    tamis_lru_cache_options_t*, tamis_memory_allocator_t*);
TAMIS_C_API tamis_cache_t* tamis_cache_create_lru(size_t capacity);
// The limit is not strict: strict_capacity_limit in tamis/cache.h.
TAMIS_C_API tamis_cache_t* tamis_cache_create_lru_with_strict_capacity_limit(
    size_t capacity);
TAMIS_C_API tamis_cache_t* tamis_cache_create_lru_opts(
    tamis_lru_cache_options_t*);
TAMIS_C_API void tamis_cache_destroy(tamis_cache_t* cache);
TAMIS_C_API void tamis_cache_disown_data(tamis_cache_t* cache);
TAMIS_C_API void tamis_cache_set_capacity(tamis_cache_t* cache,
                                          size_t capacity);
TAMIS_C_API size_t tamis_cache_get_capacity(tamis_cache_t* cache);
TAMIS_C_API size_t tamis_cache_get_usage(tamis_cache_t* cache);
TAMIS_C_API size_t tamis_cache_get_pinned_usage(tamis_cache_t* cache);
TAMIS_C_API tamis_cache_t* tamis_cache_create_hyper_clock(
    size_t capacity, size_t estimated_entry_charge);
TAMIS_C_API tamis_cache_t* tamis_cache_create_hyper_clock_opts(
    const tamis_hyper_clock_cache_options_t*);
TAMIS_C_API tamis_hyper_clock_cache_options_t*
tamis_hyper_clock_cache_options_create(size_t capacity,
                                       size_t estimated_entry_charge);
TAMIS_C_API void tamis_hyper_clock_cache_options_destroy(
    tamis_hyper_clock_cache_options_t*);
TAMIS_C_API void tamis_hyper_clock_cache_options_set_capacity(
    tamis_hyper_clock_cache_options_t*, size_t);
TAMIS_C_API void tamis_hyper_clock_cache_options_set_estimated_entry_charge(
    tamis_hyper_clock_cache_options_t*, size_t);
TAMIS_C_API tamis_write_buffer_manager_t* tamis_write_buffer_manager_create(
    size_t buffer_size, unsigned char allow_stall);
TAMIS_C_API tamis_write_buffer_manager_t*
tamis_write_buffer_manager_create_with_cache(size_t buffer_size,
                                             const tamis_cache_t* cache,
                                             unsigned char allow_stall);
TAMIS_C_API void tamis_write_buffer_manager_destroy(
    tamis_write_buffer_manager_t* wbm);
TAMIS_C_API unsigned char tamis_write_buffer_manager_enabled(
    tamis_write_buffer_manager_t* wbm);
TAMIS_C_API unsigned char tamis_write_buffer_manager_cost_to_cache(
    tamis_write_buffer_manager_t* wbm);
TAMIS_C_API size_t
tamis_write_buffer_manager_memory_usage(tamis_write_buffer_manager_t* wbm);
TAMIS_C_API size_t tamis_write_buffer_manager_mutable_memtable_memory_usage(
    tamis_write_buffer_manager_t* wbm);
TAMIS_C_API size_t tamis_write_buffer_manager_dummy_entries_in_cache_usage(
    tamis_write_buffer_manager_t* wbm);
TAMIS_C_API size_t
tamis_write_buffer_manager_buffer_size(tamis_write_buffer_manager_t* wbm);
TAMIS_C_API void tamis_write_buffer_manager_set_buffer_size(
    tamis_write_buffer_manager_t* wbm, size_t new_size);
// mode: 0 limits reads, 1 writes, 2 both.
TAMIS_C_API tamis_ratelimiter_t* tamis_ratelimiter_create(
    int64_t rate_bytes_per_sec, int64_t refill_period_us, int32_t fairness);
TAMIS_C_API void tamis_ratelimiter_destroy(tamis_ratelimiter_t*);
TAMIS_C_API tamis_ratelimiter_t* tamis_ratelimiter_create_auto_tuned(
    int64_t rate_bytes_per_sec, int64_t refill_period_us, int32_t fairness);
TAMIS_C_API tamis_ratelimiter_t* tamis_ratelimiter_create_with_mode(
    int64_t rate_bytes_per_sec, int64_t refill_period_us, int32_t fairness,
    int mode, bool auto_tuned);

// ---- The environment

// Threads that are set before an open are those of the databases that are
// opened with the environment later. Otherwise the databases of the process
// share threads by max_background_jobs.

TAMIS_C_API tamis_env_t* tamis_create_default_env(void);
// With a new file system in memory: NewMemEnv in tamis/env.h.
TAMIS_C_API tamis_env_t* tamis_create_mem_env(void);
TAMIS_C_API void tamis_env_set_background_threads(tamis_env_t* env, int n);
TAMIS_C_API int tamis_env_get_background_threads(tamis_env_t* env);
// Further threads for compactions; by default 0.
TAMIS_C_API void tamis_env_set_bottom_priority_background_threads(
    tamis_env_t* env, int n);
TAMIS_C_API int tamis_env_get_bottom_priority_background_threads(
    tamis_env_t* env);
TAMIS_C_API void tamis_env_set_high_priority_background_threads(
    tamis_env_t* env, int n);
TAMIS_C_API int tamis_env_get_high_priority_background_threads(
    tamis_env_t* env);
TAMIS_C_API void tamis_env_set_low_priority_background_threads(tamis_env_t* env,
                                                               int n);
TAMIS_C_API int tamis_env_get_low_priority_background_threads(tamis_env_t* env);
// Lower the operating system's priorities of the threads that compact
// (thread_pool) or flush (high_priority_thread_pool), in every database, until
// the process ends: Env in tamis/env.h.
TAMIS_C_API void tamis_env_lower_thread_pool_io_priority(tamis_env_t* env);
TAMIS_C_API void tamis_env_lower_high_priority_thread_pool_io_priority(
    tamis_env_t* env);
TAMIS_C_API void tamis_env_lower_thread_pool_cpu_priority(tamis_env_t* env);
TAMIS_C_API void tamis_env_lower_high_priority_thread_pool_cpu_priority(
    tamis_env_t* env);
// Waits for threads that programs start by an Env, of which there are none in
// C.
TAMIS_C_API void tamis_env_join_all_threads(tamis_env_t* env);
TAMIS_C_API void tamis_env_destroy(tamis_env_t*);
TAMIS_C_API void tamis_create_dir_if_missing(tamis_env_t* env, const char* path,
                                             char** errptr);

// ---- Loggers

TAMIS_C_API tamis_logger_t* tamis_logger_create_stderr_logger(
    int log_level, const char* prefix);
TAMIS_C_API tamis_logger_t* tamis_logger_create_callback_logger(
    int log_level, void (*log)(void*, unsigned lev, char* msg, size_t len),
    void* priv);
TAMIS_C_API void tamis_logger_destroy(tamis_logger_t* logger);

// ---- Filter policies

TAMIS_C_API void tamis_filterpolicy_destroy(tamis_filterpolicy_t*);
TAMIS_C_API tamis_filterpolicy_t* tamis_filterpolicy_create_bloom(
    double bits_per_key);
TAMIS_C_API tamis_filterpolicy_t* tamis_filterpolicy_create_bloom_full(
    double bits_per_key);
// All tables get Ribbon filters: create_ribbon_hybrid with -1.
TAMIS_C_API tamis_filterpolicy_t* tamis_filterpolicy_create_ribbon(
    double bloom_equivalent_bits_per_key);
TAMIS_C_API tamis_filterpolicy_t* tamis_filterpolicy_create_ribbon_hybrid(
    double bloom_equivalent_bits_per_key, int bloom_before_level);
TAMIS_C_API tamis_filterpolicy_t* tamis_filterpolicy_create_fpr(double fpr);
TAMIS_C_API tamis_filterpolicy_t* tamis_filterpolicy_create_budget(
    uint64_t bytes);

// ---- Comparators

// Returns below, equal to or above 0.

TAMIS_C_API tamis_comparator_t* tamis_comparator_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b,
                   size_t blen),
    const char* (*name)(void*));
TAMIS_C_API void tamis_comparator_destroy(tamis_comparator_t*);

// ---- Prefix extractors

// The result of `transform` points into the key, or to memory that lives until
// the next call of the thread; in_range is not called.

TAMIS_C_API tamis_slicetransform_t* tamis_slicetransform_create(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length,
                       size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length),
    unsigned char (*in_range)(void*, const char* key, size_t length),
    const char* (*name)(void*));
TAMIS_C_API tamis_slicetransform_t* tamis_slicetransform_create_fixed_prefix(
    size_t);
TAMIS_C_API tamis_slicetransform_t* tamis_slicetransform_create_noop(void);
TAMIS_C_API void tamis_slicetransform_destroy(tamis_slicetransform_t*);
TAMIS_C_API tamis_slicetransform_t* tamis_slicetransform_create_capped_prefix(
    size_t);

// ---- Merge operators

// Both callbacks return memory that delete_value frees, or `free` where that is
// NULL. An operation that does not succeed sets *success to 0. The existing
// value is NULL where the key has none. partial_merge may be NULL.

TAMIS_C_API tamis_mergeoperator_t* tamis_mergeoperator_create(
    void* state, void (*destructor)(void*),
    char* (*full_merge)(void*, const char* key, size_t key_length,
                        const char* existing_value,
                        size_t existing_value_length,
                        const char* const* operands_list,
                        const size_t* operands_list_length, int num_operands,
                        unsigned char* success, size_t* new_value_length),
    char* (*partial_merge)(void*, const char* key, size_t key_length,
                           const char* const* operands_list,
                           const size_t* operands_list_length, int num_operands,
                           unsigned char* success, size_t* new_value_length),
    void (*delete_value)(void*, const char* value, size_t value_length),
    const char* (*name)(void*));
TAMIS_C_API void tamis_mergeoperator_destroy(tamis_mergeoperator_t*);

// ---- Compaction filters

// `filter` returns true to remove the entry. *new_value is copied; it stays the
// filter's.

TAMIS_C_API tamis_compactionfilter_t* tamis_compactionfilter_create(
    void* state, void (*destructor)(void*),
    unsigned char (*filter)(void*, int level, const char* key,
                            size_t key_length, const char* existing_value,
                            size_t value_length, char** new_value,
                            size_t* new_value_length,
                            unsigned char* value_changed),
    const char* (*name)(void*));
TAMIS_C_API void tamis_compactionfilter_set_ignore_snapshots(
    tamis_compactionfilter_t*, unsigned char);
TAMIS_C_API void tamis_compactionfilter_destroy(tamis_compactionfilter_t*);
TAMIS_C_API unsigned char tamis_compactionfiltercontext_is_full_compaction(
    tamis_compactionfiltercontext_t* context);
TAMIS_C_API unsigned char tamis_compactionfiltercontext_is_manual_compaction(
    tamis_compactionfiltercontext_t* context);
TAMIS_C_API tamis_compactionfilterfactory_t*
tamis_compactionfilterfactory_create(
    void* state, void (*destructor)(void*),
    tamis_compactionfilter_t* (*create_compaction_filter)(
        void*, tamis_compactionfiltercontext_t* context),
    const char* (*name)(void*));
TAMIS_C_API void tamis_compactionfilterfactory_destroy(
    tamis_compactionfilterfactory_t*);

// ---- Event listeners

// Callbacks may be NULL. The argument `db` serves the call alone. No event
// exists for a part of a compaction: these two are never called. Reasons have
// RocksDB's values; a stall is 0: delayed, 1: stopped, 2: normal.

typedef void (*tamis_on_flush_begin_cb)(void*, tamis_t*,
                                        const tamis_flushjobinfo_t*);
typedef void (*tamis_on_flush_completed_cb)(void*, tamis_t*,
                                            const tamis_flushjobinfo_t*);
typedef void (*tamis_on_compaction_begin_cb)(void*, tamis_t*,
                                             const tamis_compactionjobinfo_t*);
typedef void (*tamis_on_compaction_completed_cb)(
    void*, tamis_t*, const tamis_compactionjobinfo_t*);
typedef void (*tamis_on_subcompaction_begin_cb)(
    void*, const tamis_subcompactionjobinfo_t*);
typedef void (*tamis_on_subcompaction_completed_cb)(
    void*, const tamis_subcompactionjobinfo_t*);
typedef void (*tamis_on_external_file_ingested_cb)(
    void*, tamis_t*, const tamis_externalfileingestioninfo_t*);
typedef void (*tamis_on_background_error_cb)(void*, uint32_t,
                                             tamis_status_ptr_t*);
typedef void (*tamis_on_stall_conditions_changed_cb)(
    void*, const tamis_writestallinfo_t*);
typedef void (*tamis_on_memtable_sealed_cb)(void*, const tamis_memtableinfo_t*);
TAMIS_C_API tamis_eventlistener_t* tamis_eventlistener_create(
    void* state, void (*destructor)(void*),
    tamis_on_flush_begin_cb on_flush_begin,
    tamis_on_flush_completed_cb on_flush_completed,
    tamis_on_compaction_begin_cb on_compaction_begin,
    tamis_on_compaction_completed_cb on_compaction_completed,
    tamis_on_subcompaction_begin_cb on_subcompaction_begin,
    tamis_on_subcompaction_completed_cb on_subcompaction_completed,
    tamis_on_external_file_ingested_cb on_external_file_ingested,
    tamis_on_background_error_cb on_background_error,
    tamis_on_stall_conditions_changed_cb on_stall_conditions_changed,
    tamis_on_memtable_sealed_cb on_memtable_sealed);
TAMIS_C_API void tamis_eventlistener_destroy(tamis_eventlistener_t*);
TAMIS_C_API void tamis_options_add_eventlistener(tamis_options_t*,
                                                 tamis_eventlistener_t*);
TAMIS_C_API const char* tamis_flushjobinfo_cf_name(const tamis_flushjobinfo_t*,
                                                   size_t*);
TAMIS_C_API const char* tamis_flushjobinfo_file_path(
    const tamis_flushjobinfo_t*, size_t*);
TAMIS_C_API unsigned char tamis_flushjobinfo_triggered_writes_slowdown(
    const tamis_flushjobinfo_t*);
TAMIS_C_API unsigned char tamis_flushjobinfo_triggered_writes_stop(
    const tamis_flushjobinfo_t*);
TAMIS_C_API uint64_t
tamis_flushjobinfo_largest_seqno(const tamis_flushjobinfo_t*);
TAMIS_C_API uint64_t
tamis_flushjobinfo_smallest_seqno(const tamis_flushjobinfo_t*);
TAMIS_C_API uint32_t
tamis_flushjobinfo_flush_reason(const tamis_flushjobinfo_t*);
TAMIS_C_API void tamis_compactionjobinfo_status(
    const tamis_compactionjobinfo_t*, char** errptr);
TAMIS_C_API const char* tamis_compactionjobinfo_cf_name(
    const tamis_compactionjobinfo_t*, size_t*);
TAMIS_C_API size_t
tamis_compactionjobinfo_input_files_count(const tamis_compactionjobinfo_t*);
TAMIS_C_API const char* tamis_compactionjobinfo_input_file_at(
    const tamis_compactionjobinfo_t*, size_t pos, size_t*);
TAMIS_C_API size_t
tamis_compactionjobinfo_output_files_count(const tamis_compactionjobinfo_t*);
TAMIS_C_API const char* tamis_compactionjobinfo_output_file_at(
    const tamis_compactionjobinfo_t*, size_t pos, size_t*);
TAMIS_C_API int tamis_compactionjobinfo_base_input_level(
    const tamis_compactionjobinfo_t*);
TAMIS_C_API int tamis_compactionjobinfo_output_level(
    const tamis_compactionjobinfo_t*);
TAMIS_C_API uint64_t
tamis_compactionjobinfo_input_records(const tamis_compactionjobinfo_t*);
TAMIS_C_API uint64_t
tamis_compactionjobinfo_output_records(const tamis_compactionjobinfo_t*);
TAMIS_C_API uint64_t
tamis_compactionjobinfo_total_input_bytes(const tamis_compactionjobinfo_t*);
TAMIS_C_API uint64_t
tamis_compactionjobinfo_total_output_bytes(const tamis_compactionjobinfo_t*);
TAMIS_C_API uint32_t
tamis_compactionjobinfo_compaction_reason(const tamis_compactionjobinfo_t*);
TAMIS_C_API const char* tamis_externalfileingestioninfo_cf_name(
    const tamis_externalfileingestioninfo_t*, size_t*);
TAMIS_C_API const char* tamis_externalfileingestioninfo_internal_file_path(
    const tamis_externalfileingestioninfo_t*, size_t*);
TAMIS_C_API const char* tamis_writestallinfo_cf_name(
    const tamis_writestallinfo_t*, size_t*);
TAMIS_C_API const tamis_writestallcondition_t* tamis_writestallinfo_cur(
    const tamis_writestallinfo_t*);
TAMIS_C_API const tamis_writestallcondition_t* tamis_writestallinfo_prev(
    const tamis_writestallinfo_t*);
TAMIS_C_API const char* tamis_memtableinfo_cf_name(const tamis_memtableinfo_t*,
                                                   size_t*);
TAMIS_C_API uint64_t
tamis_memtableinfo_earliest_seqno(const tamis_memtableinfo_t*);
TAMIS_C_API uint64_t
tamis_memtableinfo_num_deletes(const tamis_memtableinfo_t*);
TAMIS_C_API uint64_t
tamis_memtableinfo_num_entries(const tamis_memtableinfo_t*);
TAMIS_C_API void tamis_status_ptr_get_error(tamis_status_ptr_t*, char** errptr);

// ---- Statistics

// Tickers and histograms have the numbers of tamis/statistics.h, which are not
// RocksDB's.

TAMIS_C_API void tamis_options_enable_statistics(tamis_options_t*);
TAMIS_C_API char* tamis_options_statistics_get_string(tamis_options_t* opt);
TAMIS_C_API void tamis_options_set_statistics_level(tamis_options_t* opt,
                                                    int level);
TAMIS_C_API int tamis_options_get_statistics_level(tamis_options_t* opt);
TAMIS_C_API uint64_t tamis_options_statistics_get_ticker_count(
    tamis_options_t* opt, uint32_t ticker_type);
TAMIS_C_API void tamis_options_statistics_get_histogram_data(
    tamis_options_t* opt, uint32_t histogram_type,
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API tamis_statistics_histogram_data_t*
tamis_statistics_histogram_data_create(void);
TAMIS_C_API void tamis_statistics_histogram_data_destroy(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_median(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_p95(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_p99(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_average(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_std_dev(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_max(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API uint64_t tamis_statistics_histogram_data_get_count(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API uint64_t tamis_statistics_histogram_data_get_sum(
    tamis_statistics_histogram_data_t* data);
TAMIS_C_API double tamis_statistics_histogram_data_get_min(
    tamis_statistics_histogram_data_t* data);

// ---- Counters of a thread

// tamis_perfcontext_metric is 0 for what is not counted.

enum {
  tamis_uninitialized = 0,
  tamis_disable = 1,
  tamis_enable_count = 2,
  tamis_enable_time_except_for_mutex = 3,
  tamis_enable_time = 4,
  tamis_out_of_bounds = 5
};
enum {
  tamis_user_key_comparison_count = 0,
  tamis_block_cache_hit_count,
  tamis_block_read_count,
  tamis_block_read_byte,
  tamis_block_read_time,
  tamis_block_checksum_time,
  tamis_block_decompress_time,
  tamis_get_read_bytes,
  tamis_multiget_read_bytes,
  tamis_iter_read_bytes,
  tamis_internal_key_skipped_count,
  tamis_internal_delete_skipped_count,
  tamis_internal_recent_skipped_count,
  tamis_internal_merge_count,
  tamis_get_snapshot_time,
  tamis_get_from_memtable_time,
  tamis_get_from_memtable_count,
  tamis_get_post_process_time,
  tamis_get_from_output_files_time,
  tamis_seek_on_memtable_time,
  tamis_seek_on_memtable_count,
  tamis_next_on_memtable_count,
  tamis_prev_on_memtable_count,
  tamis_seek_child_seek_time,
  tamis_seek_child_seek_count,
  tamis_seek_min_heap_time,
  tamis_seek_max_heap_time,
  tamis_seek_internal_seek_time,
  tamis_find_next_user_entry_time,
  tamis_write_wal_time,
  tamis_write_memtable_time,
  tamis_write_delay_time,
  tamis_write_pre_and_post_process_time,
  tamis_db_mutex_lock_nanos,
  tamis_db_condition_wait_nanos,
  tamis_merge_operator_time_nanos,
  tamis_read_index_block_nanos,
  tamis_read_filter_block_nanos,
  tamis_new_table_block_iter_nanos,
  tamis_new_table_iterator_nanos,
  tamis_block_seek_nanos,
  tamis_find_table_nanos,
  tamis_bloom_memtable_hit_count,
  tamis_bloom_memtable_miss_count,
  tamis_bloom_sst_hit_count,
  tamis_bloom_sst_miss_count,
  tamis_key_lock_wait_time,
  tamis_key_lock_wait_count,
  tamis_env_new_sequential_file_nanos,
  tamis_env_new_random_access_file_nanos,
  tamis_env_new_writable_file_nanos,
  tamis_env_reuse_writable_file_nanos,
  tamis_env_new_random_rw_file_nanos,
  tamis_env_new_directory_nanos,
  tamis_env_file_exists_nanos,
  tamis_env_get_children_nanos,
  tamis_env_get_children_file_attributes_nanos,
  tamis_env_delete_file_nanos,
  tamis_env_create_dir_nanos,
  tamis_env_create_dir_if_missing_nanos,
  tamis_env_delete_dir_nanos,
  tamis_env_get_file_size_nanos,
  tamis_env_get_file_modification_time_nanos,
  tamis_env_rename_file_nanos,
  tamis_env_link_file_nanos,
  tamis_env_lock_file_nanos,
  tamis_env_unlock_file_nanos,
  tamis_env_new_logger_nanos,
  tamis_number_async_seek,
  tamis_blob_cache_hit_count,
  tamis_blob_read_count,
  tamis_blob_read_byte,
  tamis_blob_read_time,
  tamis_blob_checksum_time,
  tamis_blob_decompress_time,
  tamis_internal_range_del_reseek_count,
  tamis_total_metric_count = 78
};
TAMIS_C_API void tamis_set_perf_level(int);
TAMIS_C_API tamis_perfcontext_t* tamis_perfcontext_create(void);
TAMIS_C_API void tamis_perfcontext_reset(tamis_perfcontext_t* context);
TAMIS_C_API char* tamis_perfcontext_report(tamis_perfcontext_t* context,
                                           unsigned char exclude_zero_counters);
TAMIS_C_API uint64_t tamis_perfcontext_metric(tamis_perfcontext_t* context,
                                              int metric);
TAMIS_C_API void tamis_perfcontext_destroy(tamis_perfcontext_t* context);

// Values with a time to live, in seconds: tamis/utilities/db_ttl.h.
TAMIS_C_API tamis_t* tamis_open_with_ttl(const tamis_options_t* options,
                                         const char* name, int ttl,
                                         char** errptr);
TAMIS_C_API tamis_t* tamis_open_column_families_with_ttl(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, const int* ttls,
    char** errptr);
TAMIS_C_API tamis_column_family_handle_t* tamis_create_column_family_with_ttl(
    tamis_t* db, const tamis_options_t* column_family_options,
    const char* column_family_name, int ttl, char** errptr);

// Batches with an index: tamis/utilities/write_batch_with_index.h. Errors are
// kept as those of tamis_writebatch_t. An iterator with a base takes over the
// base, and must be destroyed before the batch.
TAMIS_C_API tamis_writebatch_wi_t* tamis_writebatch_wi_create(
    size_t reserved_bytes, unsigned char overwrite_keys);
TAMIS_C_API void tamis_writebatch_wi_destroy(tamis_writebatch_wi_t*);
TAMIS_C_API void tamis_writebatch_wi_clear(tamis_writebatch_wi_t*);
TAMIS_C_API int tamis_writebatch_wi_count(tamis_writebatch_wi_t* b);
TAMIS_C_API void tamis_writebatch_wi_put(tamis_writebatch_wi_t*,
                                         const char* key, size_t klen,
                                         const char* val, size_t vlen);
TAMIS_C_API void tamis_writebatch_wi_put_cf(
    tamis_writebatch_wi_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, const char* val, size_t vlen);
TAMIS_C_API void tamis_writebatch_wi_putv(
    tamis_writebatch_wi_t* b, int num_keys, const char* const* keys_list,
    const size_t* keys_list_sizes, int num_values,
    const char* const* values_list, const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_putv_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* keys_list, const size_t* keys_list_sizes,
    int num_values, const char* const* values_list,
    const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_merge(tamis_writebatch_wi_t*,
                                           const char* key, size_t klen,
                                           const char* val, size_t vlen);
TAMIS_C_API void tamis_writebatch_wi_merge_cf(
    tamis_writebatch_wi_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, const char* val, size_t vlen);
TAMIS_C_API void tamis_writebatch_wi_mergev(
    tamis_writebatch_wi_t* b, int num_keys, const char* const* keys_list,
    const size_t* keys_list_sizes, int num_values,
    const char* const* values_list, const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_mergev_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* keys_list, const size_t* keys_list_sizes,
    int num_values, const char* const* values_list,
    const size_t* values_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_delete(tamis_writebatch_wi_t*,
                                            const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_wi_singledelete(tamis_writebatch_wi_t*,
                                                  const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_wi_delete_cf(
    tamis_writebatch_wi_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_wi_singledelete_cf(
    tamis_writebatch_wi_t*, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen);
TAMIS_C_API void tamis_writebatch_wi_deletev(tamis_writebatch_wi_t* b,
                                             int num_keys,
                                             const char* const* keys_list,
                                             const size_t* keys_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_deletev_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* keys_list, const size_t* keys_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_delete_range(tamis_writebatch_wi_t* b,
                                                  const char* start_key,
                                                  size_t start_key_len,
                                                  const char* end_key,
                                                  size_t end_key_len);
TAMIS_C_API void tamis_writebatch_wi_delete_range_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* end_key,
    size_t end_key_len);
TAMIS_C_API void tamis_writebatch_wi_delete_rangev(
    tamis_writebatch_wi_t* b, int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_delete_rangev_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes);
TAMIS_C_API void tamis_writebatch_wi_put_log_data(tamis_writebatch_wi_t*,
                                                  const char* blob, size_t len);
TAMIS_C_API void tamis_writebatch_wi_iterate(
    tamis_writebatch_wi_t* b, void* state,
    void (*put)(void*, const char* k, size_t klen, const char* v, size_t vlen),
    void (*deleted)(void*, const char* k, size_t klen));
TAMIS_C_API const char* tamis_writebatch_wi_data(tamis_writebatch_wi_t* b,
                                                 size_t* size);
TAMIS_C_API void tamis_writebatch_wi_set_save_point(tamis_writebatch_wi_t*);
TAMIS_C_API void tamis_writebatch_wi_rollback_to_save_point(
    tamis_writebatch_wi_t*, char** errptr);
TAMIS_C_API char* tamis_writebatch_wi_get_from_batch(
    tamis_writebatch_wi_t* wbwi, const tamis_options_t* options,
    const char* key, size_t keylen, size_t* vallen, char** errptr);
TAMIS_C_API char* tamis_writebatch_wi_get_from_batch_cf(
    tamis_writebatch_wi_t* wbwi, const tamis_options_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    size_t* vallen, char** errptr);
TAMIS_C_API char* tamis_writebatch_wi_get_from_batch_and_db(
    tamis_writebatch_wi_t* wbwi, tamis_t* db,
    const tamis_readoptions_t* options, const char* key, size_t keylen,
    size_t* vallen, char** errptr);
TAMIS_C_API char* tamis_writebatch_wi_get_from_batch_and_db_cf(
    tamis_writebatch_wi_t* wbwi, tamis_t* db,
    const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    size_t* vallen, char** errptr);
TAMIS_C_API void tamis_write_writebatch_wi(tamis_t* db,
                                           const tamis_writeoptions_t* options,
                                           tamis_writebatch_wi_t* wbwi,
                                           char** errptr);
TAMIS_C_API tamis_iterator_t* tamis_writebatch_wi_create_iterator_with_base(
    tamis_writebatch_wi_t* wbwi, tamis_iterator_t* base_iterator);
TAMIS_C_API tamis_iterator_t* tamis_writebatch_wi_create_iterator_with_base_cf(
    tamis_writebatch_wi_t* wbwi, tamis_iterator_t* base_iterator,
    tamis_column_family_handle_t* cf);

// Transactions with locks, and without: tamis/utilities/transaction.h,
// transaction_db.h, optimistic_transaction_db.h. tamis_free frees what
// tamis_transaction_get_snapshot and _get_writebatch_wi return, which belong to
// the transaction otherwise. tamis_optimistictransactiondb_close_base_db frees
// what _get_base_db returns, and closes nothing.
TAMIS_C_API tamis_column_family_handle_t*
tamis_transactiondb_create_column_family(
    tamis_transactiondb_t* txn_db, const tamis_options_t* column_family_options,
    const char* column_family_name, char** errptr);
TAMIS_C_API tamis_transactiondb_t* tamis_transactiondb_open(
    const tamis_options_t* options,
    const tamis_transactiondb_options_t* txn_db_options, const char* name,
    char** errptr);
TAMIS_C_API tamis_transactiondb_t* tamis_transactiondb_open_column_families(
    const tamis_options_t* options,
    const tamis_transactiondb_options_t* txn_db_options, const char* name,
    int num_column_families, const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr);
TAMIS_C_API const tamis_snapshot_t* tamis_transactiondb_create_snapshot(
    tamis_transactiondb_t* txn_db);
TAMIS_C_API void tamis_transactiondb_release_snapshot(
    tamis_transactiondb_t* txn_db, const tamis_snapshot_t* snapshot);
TAMIS_C_API char* tamis_transactiondb_property_value(tamis_transactiondb_t* db,
                                                     const char* propname);
TAMIS_C_API int tamis_transactiondb_property_int(tamis_transactiondb_t* db,
                                                 const char* propname,
                                                 uint64_t* out_val);
TAMIS_C_API tamis_transaction_t* tamis_transaction_begin(
    tamis_transactiondb_t* txn_db, const tamis_writeoptions_t* write_options,
    const tamis_transaction_options_t* txn_options,
    tamis_transaction_t* old_txn);
TAMIS_C_API void tamis_transaction_set_name(tamis_transaction_t* txn,
                                            const char* name, size_t name_len,
                                            char** errptr);
TAMIS_C_API char* tamis_transaction_get_name(tamis_transaction_t* txn,
                                             size_t* name_len);
TAMIS_C_API void tamis_transaction_prepare(tamis_transaction_t* txn,
                                           char** errptr);
TAMIS_C_API void tamis_transaction_commit(tamis_transaction_t* txn,
                                          char** errptr);
TAMIS_C_API void tamis_transaction_rollback(tamis_transaction_t* txn,
                                            char** errptr);
TAMIS_C_API void tamis_transaction_set_savepoint(tamis_transaction_t* txn);
TAMIS_C_API void tamis_transaction_rollback_to_savepoint(
    tamis_transaction_t* txn, char** errptr);
TAMIS_C_API void tamis_transaction_rebuild_from_writebatch(
    tamis_transaction_t* txn, tamis_writebatch_t* writebatch, char** errptr);
TAMIS_C_API void tamis_transaction_rebuild_from_writebatch_wi(
    tamis_transaction_t* txn, tamis_writebatch_wi_t* wi, char** errptr);
TAMIS_C_API void tamis_transaction_destroy(tamis_transaction_t* txn);
// Returns the *cnt transactions that are prepared, in an array that tamis_free
// frees. The caller destroys each of them. Call it after the open, before the
// program prepares transactions: it returns those, too, and they must not be
// destroyed twice.
TAMIS_C_API tamis_transaction_t** tamis_transactiondb_get_prepared_transactions(
    tamis_transactiondb_t* txn_db, size_t* cnt);
TAMIS_C_API tamis_writebatch_wi_t* tamis_transaction_get_writebatch_wi(
    tamis_transaction_t* txn);
TAMIS_C_API const tamis_snapshot_t* tamis_transaction_get_snapshot(
    tamis_transaction_t* txn);
TAMIS_C_API char* tamis_transaction_get(tamis_transaction_t* txn,
                                        const tamis_readoptions_t* options,
                                        const char* key, size_t klen,
                                        size_t* vlen, char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_transaction_get_pinned(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const char* key, size_t klen, char** errptr);
TAMIS_C_API char* tamis_transaction_get_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    size_t* vlen, char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_transaction_get_pinned_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    char** errptr);
TAMIS_C_API char* tamis_transaction_get_for_update(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const char* key, size_t klen, size_t* vlen, unsigned char exclusive,
    char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_transaction_get_pinned_for_update(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const char* key, size_t klen, unsigned char exclusive, char** errptr);
TAMIS_C_API char* tamis_transaction_get_for_update_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    size_t* vlen, unsigned char exclusive, char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_transaction_get_pinned_for_update_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    unsigned char exclusive, char** errptr);
TAMIS_C_API void tamis_transaction_multi_get(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    size_t num_keys, const char* const* keys_list,
    const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
TAMIS_C_API void tamis_transaction_multi_get_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const tamis_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    char** values_list, size_t* values_list_sizes, char** errs);
TAMIS_C_API char* tamis_transactiondb_get(tamis_transactiondb_t* txn_db,
                                          const tamis_readoptions_t* options,
                                          const char* key, size_t klen,
                                          size_t* vlen, char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_transactiondb_get_pinned(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    const char* key, size_t klen, char** errptr);
TAMIS_C_API char* tamis_transactiondb_get_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    size_t* vallen, char** errptr);
TAMIS_C_API tamis_pinnableslice_t* tamis_transactiondb_get_pinned_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    char** errptr);
TAMIS_C_API void tamis_transactiondb_multi_get(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    size_t num_keys, const char* const* keys_list,
    const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
TAMIS_C_API void tamis_transactiondb_multi_get_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    const tamis_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    char** values_list, size_t* values_list_sizes, char** errs);
TAMIS_C_API void tamis_transaction_put(tamis_transaction_t* txn,
                                       const char* key, size_t klen,
                                       const char* val, size_t vlen,
                                       char** errptr);
TAMIS_C_API void tamis_transaction_put_cf(
    tamis_transaction_t* txn, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, const char* val, size_t vlen, char** errptr);
TAMIS_C_API void tamis_transactiondb_put(tamis_transactiondb_t* txn_db,
                                         const tamis_writeoptions_t* options,
                                         const char* key, size_t klen,
                                         const char* val, size_t vlen,
                                         char** errptr);
TAMIS_C_API void tamis_transactiondb_put_cf(
    tamis_transactiondb_t* txn_db, const tamis_writeoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    const char* val, size_t vallen, char** errptr);
TAMIS_C_API void tamis_transactiondb_write(tamis_transactiondb_t* txn_db,
                                           const tamis_writeoptions_t* options,
                                           tamis_writebatch_t* batch,
                                           char** errptr);
TAMIS_C_API void tamis_transaction_merge(tamis_transaction_t* txn,
                                         const char* key, size_t klen,
                                         const char* val, size_t vlen,
                                         char** errptr);
TAMIS_C_API void tamis_transaction_merge_cf(
    tamis_transaction_t* txn, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, const char* val, size_t vlen, char** errptr);
TAMIS_C_API void tamis_transactiondb_merge(tamis_transactiondb_t* txn_db,
                                           const tamis_writeoptions_t* options,
                                           const char* key, size_t klen,
                                           const char* val, size_t vlen,
                                           char** errptr);
TAMIS_C_API void tamis_transactiondb_merge_cf(
    tamis_transactiondb_t* txn_db, const tamis_writeoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    const char* val, size_t vlen, char** errptr);
TAMIS_C_API void tamis_transaction_delete(tamis_transaction_t* txn,
                                          const char* key, size_t klen,
                                          char** errptr);
TAMIS_C_API void tamis_transaction_delete_cf(
    tamis_transaction_t* txn, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen, char** errptr);
TAMIS_C_API void tamis_transactiondb_delete(tamis_transactiondb_t* txn_db,
                                            const tamis_writeoptions_t* options,
                                            const char* key, size_t klen,
                                            char** errptr);
TAMIS_C_API void tamis_transactiondb_delete_cf(
    tamis_transactiondb_t* txn_db, const tamis_writeoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    char** errptr);
TAMIS_C_API tamis_iterator_t* tamis_transaction_create_iterator(
    tamis_transaction_t* txn, const tamis_readoptions_t* options);
TAMIS_C_API tamis_iterator_t* tamis_transaction_create_iterator_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family);
TAMIS_C_API tamis_iterator_t* tamis_transactiondb_create_iterator(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options);
TAMIS_C_API tamis_iterator_t* tamis_transactiondb_create_iterator_cf(
    tamis_transactiondb_t* txn_db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family);
TAMIS_C_API void tamis_transactiondb_close(tamis_transactiondb_t* txn_db);
TAMIS_C_API void tamis_transactiondb_flush(tamis_transactiondb_t* txn_db,
                                           const tamis_flushoptions_t* options,
                                           char** errptr);
TAMIS_C_API void tamis_transactiondb_flush_cf(
    tamis_transactiondb_t* txn_db, const tamis_flushoptions_t* options,
    tamis_column_family_handle_t* column_family, char** errptr);
TAMIS_C_API void tamis_transactiondb_flush_wal(tamis_transactiondb_t* txn_db,
                                               unsigned char sync,
                                               char** errptr);
TAMIS_C_API tamis_checkpoint_t* tamis_transactiondb_checkpoint_object_create(
    tamis_transactiondb_t* txn_db, char** errptr);
TAMIS_C_API tamis_optimistictransactiondb_t* tamis_optimistictransactiondb_open(
    const tamis_options_t* options, const char* name, char** errptr);
TAMIS_C_API tamis_optimistictransactiondb_t*
tamis_optimistictransactiondb_open_column_families(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr);
TAMIS_C_API tamis_t* tamis_optimistictransactiondb_get_base_db(
    tamis_optimistictransactiondb_t* otxn_db);
TAMIS_C_API void tamis_optimistictransactiondb_close_base_db(tamis_t* base_db);
TAMIS_C_API tamis_transaction_t* tamis_optimistictransaction_begin(
    tamis_optimistictransactiondb_t* otxn_db,
    const tamis_writeoptions_t* write_options,
    const tamis_optimistictransaction_options_t* otxn_options,
    tamis_transaction_t* old_txn);
TAMIS_C_API void tamis_optimistictransactiondb_write(
    tamis_optimistictransactiondb_t* otxn_db,
    const tamis_writeoptions_t* options, tamis_writebatch_t* batch,
    char** errptr);
TAMIS_C_API void tamis_optimistictransactiondb_close(
    tamis_optimistictransactiondb_t* otxn_db);
TAMIS_C_API tamis_checkpoint_t*
tamis_optimistictransactiondb_checkpoint_object_create(
    tamis_optimistictransactiondb_t* otxn_db, char** errptr);
TAMIS_C_API tamis_transactiondb_options_t* tamis_transactiondb_options_create(
    void);
TAMIS_C_API void tamis_transactiondb_options_destroy(
    tamis_transactiondb_options_t* opt);
TAMIS_C_API void tamis_transactiondb_options_set_max_num_locks(
    tamis_transactiondb_options_t* opt, int64_t max_num_locks);
TAMIS_C_API void tamis_transactiondb_options_set_num_stripes(
    tamis_transactiondb_options_t* opt, size_t num_stripes);
TAMIS_C_API void tamis_transactiondb_options_set_transaction_lock_timeout(
    tamis_transactiondb_options_t* opt, int64_t txn_lock_timeout);
TAMIS_C_API void tamis_transactiondb_options_set_default_lock_timeout(
    tamis_transactiondb_options_t* opt, int64_t default_lock_timeout);
TAMIS_C_API tamis_transaction_options_t* tamis_transaction_options_create(void);
TAMIS_C_API void tamis_transaction_options_destroy(
    tamis_transaction_options_t* opt);
TAMIS_C_API void tamis_transaction_options_set_set_snapshot(
    tamis_transaction_options_t* opt, unsigned char v);
TAMIS_C_API void tamis_transaction_options_set_deadlock_detect(
    tamis_transaction_options_t* opt, unsigned char v);
TAMIS_C_API void tamis_transaction_options_set_lock_timeout(
    tamis_transaction_options_t* opt, int64_t lock_timeout);
TAMIS_C_API void tamis_transaction_options_set_expiration(
    tamis_transaction_options_t* opt, int64_t expiration);
TAMIS_C_API void tamis_transaction_options_set_deadlock_detect_depth(
    tamis_transaction_options_t* opt, int64_t depth);
TAMIS_C_API void tamis_transaction_options_set_max_write_batch_size(
    tamis_transaction_options_t* opt, size_t size);
TAMIS_C_API void tamis_transaction_options_set_skip_prepare(
    tamis_transaction_options_t* opt, unsigned char v);
TAMIS_C_API tamis_optimistictransaction_options_t*
tamis_optimistictransaction_options_create(void);
TAMIS_C_API void tamis_optimistictransaction_options_destroy(
    tamis_optimistictransaction_options_t* opt);
TAMIS_C_API void tamis_optimistictransaction_options_set_set_snapshot(
    tamis_optimistictransaction_options_t* opt, unsigned char v);
TAMIS_C_API char* tamis_optimistictransactiondb_property_value(
    tamis_optimistictransactiondb_t* db, const char* propname);
TAMIS_C_API int tamis_optimistictransactiondb_property_int(
    tamis_optimistictransactiondb_t* db, const char* propname,
    uint64_t* out_val);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}  // extern "C"
#endif
