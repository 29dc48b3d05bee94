// SPDX-License-Identifier: Apache-2.0
//
// Transactions: the open of their databases, and all that a transaction does.
// transaction_db.cc has the databases' other calls.
#include <cstdlib>

#include "capi/call.h"
#include "capi/open_families.h"
#include "capi/transaction_types.h"
#include "capi/types.h"
#include "capi/values.h"

struct tamis_transaction_t {
  std::unique_ptr<tamis::Transaction> rep;
};

namespace tamis::capi {
namespace {

// Opens a database and wraps it; nothing can fail after the open.
template <typename Wrapper, typename OpenedDB, typename Open>
Wrapper* OpenedWith(char** errptr, const Open& open) {
  std::unique_ptr<Wrapper> wrapper;
  const bool ok = Try(errptr, [&] {
    wrapper = std::make_unique<Wrapper>();
    OpenedDB* db = nullptr;
    Status status = open(&db);
    wrapper->db.rep = db;
    return status;
  });
  return ok ? wrapper.release() : nullptr;
}

template <typename Wrapper>
void CloseAndDelete(Wrapper* db) {
  if (db == nullptr) return;
  delete db->db.rep;
  delete db;
}

// Returns a T from malloc, which tamis_free frees.
template <typename T>
T* Malloc(const T& value) {
  auto* const copy = static_cast<T*>(std::malloc(sizeof(T)));
  if (copy == nullptr) throw std::bad_alloc();
  return new (copy) T(value);
}

// Begins a transaction; in `old`, if it is not nullptr.
template <typename Begin>
tamis_transaction_t* Begun(tamis_transaction_t* old, const Begin& begin) {
  return Must([&] {
    if (old == nullptr) {
      return new tamis_transaction_t{
          std::unique_ptr<Transaction>(begin(nullptr))};
    }
    begin(old->rep.get());
    return old;
  });
}

// Returns a reader of the key: for an update, if `exclusive` is not negative.
auto ReaderOf(tamis_transaction_t* txn, const tamis_readoptions_t* options,
              const tamis_column_family_handle_t* family, const Slice& key,
              int exclusive = -1) {
  return [=](PinnableSlice* value) {
    ColumnFamilyHandle* const rep = family != nullptr ? family->rep : nullptr;
    return exclusive < 0 ? txn->rep->Get(options->rep, rep, key, value)
                         : txn->rep->GetForUpdate(options->rep, rep, key, value,
                                                  exclusive != 0);
  };
}

void ReadEach(tamis_transaction_t* txn, const tamis_readoptions_t* options,
              const tamis_column_family_handle_t* const* families,
              size_t num_keys, const char* const* keys_list,
              const size_t* keys_list_sizes, char** values_list,
              size_t* values_list_sizes, char** errs) {
  for (size_t i = 0; i < num_keys; ++i) {
    errs[i] = nullptr;
    values_list[i] = ValueOf(
        &values_list_sizes[i], &errs[i],
        ReaderOf(txn, options, families == nullptr ? nullptr : families[i],
                 Slice(keys_list[i], keys_list_sizes[i])));
  }
}

tamis_iterator_t* IteratorOf(tamis_transaction_t* txn,
                             const tamis_readoptions_t* options,
                             const tamis_column_family_handle_t* family) {
  return Must([&] {
    return new tamis_iterator_t{std::unique_ptr<Iterator>(txn->rep->GetIterator(
        options->rep, family != nullptr ? family->rep : nullptr))};
  });
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_transactiondb_t* tamis_transactiondb_open(
    const tamis_options_t* options,
    const tamis_transactiondb_options_t* txn_db_options, const char* name,
    char** errptr) {
  return OpenedWith<tamis_transactiondb_t, TransactionDB>(
      errptr, [&](TransactionDB** db) {
        return TransactionDB::Open(OptionsToOpen(*options), txn_db_options->rep,
                                   name, db);
      });
}

tamis_transactiondb_t* tamis_transactiondb_open_column_families(
    const tamis_options_t* options,
    const tamis_transactiondb_options_t* txn_db_options, const char* name,
    int num_column_families, const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr) {
  return WithFamilies(num_column_families, column_family_names,
                      column_family_options, column_family_handles,
                      [&](const auto& families, const auto& take) {
                        return OpenedWith<tamis_transactiondb_t, TransactionDB>(
                            errptr, [&](TransactionDB** db) {
                              std::vector<ColumnFamilyHandle*> handles;
                              Status status = TransactionDB::Open(
                                  OptionsToOpen(*options), txn_db_options->rep,
                                  name, families(), &handles, db);
                              take(handles);
                              return status;
                            });
                      });
}

void tamis_transactiondb_close(tamis_transactiondb_t* txn_db) {
  CloseAndDelete(txn_db);
}

tamis_optimistictransactiondb_t* tamis_optimistictransactiondb_open(
    const tamis_options_t* options, const char* name, char** errptr) {
  return OpenedWith<tamis_optimistictransactiondb_t, OptimisticTransactionDB>(
      errptr, [&](OptimisticTransactionDB** db) {
        return OptimisticTransactionDB::Open(OptionsToOpen(*options), name, db);
      });
}

tamis_optimistictransactiondb_t*
tamis_optimistictransactiondb_open_column_families(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr) {
  return WithFamilies(
      num_column_families, column_family_names, column_family_options,
      column_family_handles, [&](const auto& families, const auto& take) {
        return OpenedWith<tamis_optimistictransactiondb_t,
                          OptimisticTransactionDB>(
            errptr, [&](OptimisticTransactionDB** db) {
              std::vector<ColumnFamilyHandle*> handles;
              Status status = OptimisticTransactionDB::Open(
                  OptionsToOpen(*options), name, families(), &handles, db);
              take(handles);
              return status;
            });
      });
}

void tamis_optimistictransactiondb_close(
    tamis_optimistictransactiondb_t* otxn_db) {
  CloseAndDelete(otxn_db);
}

tamis_t* tamis_optimistictransactiondb_get_base_db(
    tamis_optimistictransactiondb_t* otxn_db) {
  return Create<tamis_t>(
      static_cast<OptimisticTransactionDB*>(otxn_db->db.rep)->GetBaseDB());
}

void tamis_optimistictransactiondb_close_base_db(tamis_t* base_db) {
  delete base_db;
}

tamis_transaction_t* tamis_transaction_begin(
    tamis_transactiondb_t* txn_db, const tamis_writeoptions_t* write_options,
    const tamis_transaction_options_t* txn_options,
    tamis_transaction_t* old_txn) {
  return Begun(old_txn, [&](Transaction* old) {
    return static_cast<TransactionDB*>(txn_db->db.rep)
        ->BeginTransaction(write_options->rep, txn_options->rep, old);
  });
}

tamis_transaction_t* tamis_optimistictransaction_begin(
    tamis_optimistictransactiondb_t* otxn_db,
    const tamis_writeoptions_t* write_options,
    const tamis_optimistictransaction_options_t* otxn_options,
    tamis_transaction_t* old_txn) {
  return Begun(old_txn, [&](Transaction* old) {
    return static_cast<OptimisticTransactionDB*>(otxn_db->db.rep)
        ->BeginTransaction(write_options->rep, otxn_options->rep, old);
  });
}

void tamis_transaction_rebuild_from_writebatch(tamis_transaction_t* txn,
                                               tamis_writebatch_t* writebatch,
                                               char** errptr) {
  Try(errptr,
      [&] { return txn->rep->RebuildFromWriteBatch(&writebatch->rep); });
}

void tamis_transaction_rebuild_from_writebatch_wi(tamis_transaction_t* txn,
                                                  tamis_writebatch_wi_t* wi,
                                                  char** errptr) {
  Try(errptr, [&] {
    return txn->rep->RebuildFromWriteBatch(wi->rep->GetWriteBatch());
  });
}

tamis_transaction_t** tamis_transactiondb_get_prepared_transactions(
    tamis_transactiondb_t* txn_db, size_t* cnt) {
  return Must([&] {
    std::vector<Transaction*> all;
    static_cast<TransactionDB*>(txn_db->db.rep)
        ->GetAllPreparedTransactions(&all);
    auto** const array = PointerArray<tamis_transaction_t>(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      array[i] = new tamis_transaction_t{std::unique_ptr<Transaction>(all[i])};
    }
    *cnt = all.size();
    return array;
  });
}

void tamis_transaction_destroy(tamis_transaction_t* txn) { delete txn; }

void tamis_transaction_set_name(tamis_transaction_t* txn, const char* name,
                                size_t name_len, char** errptr) {
  Try(errptr, [&] { return txn->rep->SetName(std::string(name, name_len)); });
}

char* tamis_transaction_get_name(tamis_transaction_t* txn, size_t* name_len) {
  const TransactionName& name = txn->rep->GetName();
  *name_len = name.size();
  return CopyOf(name);
}

void tamis_transaction_prepare(tamis_transaction_t* txn, char** errptr) {
  Try(errptr, [&] { return txn->rep->Prepare(); });
}

void tamis_transaction_commit(tamis_transaction_t* txn, char** errptr) {
  Try(errptr, [&] { return txn->rep->Commit(); });
}

void tamis_transaction_rollback(tamis_transaction_t* txn, char** errptr) {
  Try(errptr, [&] { return txn->rep->Rollback(); });
}

void tamis_transaction_set_savepoint(tamis_transaction_t* txn) {
  Must([&] { txn->rep->SetSavePoint(); });
}

void tamis_transaction_rollback_to_savepoint(tamis_transaction_t* txn,
                                             char** errptr) {
  Try(errptr, [&] { return txn->rep->RollbackToSavePoint(); });
}

tamis_writebatch_wi_t* tamis_transaction_get_writebatch_wi(
    tamis_transaction_t* txn) {
  return Must([&] {
    return Malloc(tamis_writebatch_wi_t{txn->rep->GetWriteBatch(), nullptr});
  });
}

const tamis_snapshot_t* tamis_transaction_get_snapshot(
    tamis_transaction_t* txn) {
  return Must(
      [&] { return Malloc(tamis_snapshot_t{txn->rep->GetSnapshot()}); });
}

char* tamis_transaction_get(tamis_transaction_t* txn,
                            const tamis_readoptions_t* options, const char* key,
                            size_t klen, size_t* vlen, char** errptr) {
  return ValueOf(vlen, errptr,
                 ReaderOf(txn, options, nullptr, Slice(key, klen)));
}

tamis_pinnableslice_t* tamis_transaction_get_pinned(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const char* key, size_t klen, char** errptr) {
  return PinnedValueOf(errptr,
                       ReaderOf(txn, options, nullptr, Slice(key, klen)));
}

char* tamis_transaction_get_cf(tamis_transaction_t* txn,
                               const tamis_readoptions_t* options,
                               tamis_column_family_handle_t* column_family,
                               const char* key, size_t klen, size_t* vlen,
                               char** errptr) {
  return ValueOf(vlen, errptr,
                 ReaderOf(txn, options, column_family, Slice(key, klen)));
}

tamis_pinnableslice_t* tamis_transaction_get_pinned_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    char** errptr) {
  return PinnedValueOf(errptr,
                       ReaderOf(txn, options, column_family, Slice(key, klen)));
}

char* tamis_transaction_get_for_update(tamis_transaction_t* txn,
                                       const tamis_readoptions_t* options,
                                       const char* key, size_t klen,
                                       size_t* vlen, unsigned char exclusive,
                                       char** errptr) {
  return ValueOf(vlen, errptr,
                 ReaderOf(txn, options, nullptr, Slice(key, klen), exclusive));
}

tamis_pinnableslice_t* tamis_transaction_get_pinned_for_update(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const char* key, size_t klen, unsigned char exclusive, char** errptr) {
  return PinnedValueOf(
      errptr, ReaderOf(txn, options, nullptr, Slice(key, klen), exclusive));
}

char* tamis_transaction_get_for_update_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    size_t* vlen, unsigned char exclusive, char** errptr) {
  return ValueOf(
      vlen, errptr,
      ReaderOf(txn, options, column_family, Slice(key, klen), exclusive));
}

tamis_pinnableslice_t* tamis_transaction_get_pinned_for_update_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t klen,
    unsigned char exclusive, char** errptr) {
  return PinnedValueOf(errptr, ReaderOf(txn, options, column_family,
                                        Slice(key, klen), exclusive));
}

void tamis_transaction_multi_get(tamis_transaction_t* txn,
                                 const tamis_readoptions_t* options,
                                 size_t num_keys, const char* const* keys_list,
                                 const size_t* keys_list_sizes,
                                 char** values_list, size_t* values_list_sizes,
                                 char** errs) {
  ReadEach(txn, options, nullptr, num_keys, keys_list, keys_list_sizes,
           values_list, values_list_sizes, errs);
}

void tamis_transaction_multi_get_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    const tamis_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    char** values_list, size_t* values_list_sizes, char** errs) {
  ReadEach(txn, options, column_families, num_keys, keys_list, keys_list_sizes,
           values_list, values_list_sizes, errs);
}

void tamis_transaction_put(tamis_transaction_t* txn, const char* key,
                           size_t klen, const char* val, size_t vlen,
                           char** errptr) {
  Try(errptr,
      [&] { return txn->rep->Put(Slice(key, klen), Slice(val, vlen)); });
}

void tamis_transaction_put_cf(tamis_transaction_t* txn,
                              tamis_column_family_handle_t* column_family,
                              const char* key, size_t klen, const char* val,
                              size_t vlen, char** errptr) {
  Try(errptr, [&] {
    return txn->rep->Put(column_family->rep, Slice(key, klen),
                         Slice(val, vlen));
  });
}

void tamis_transaction_merge(tamis_transaction_t* txn, const char* key,
                             size_t klen, const char* val, size_t vlen,
                             char** errptr) {
  Try(errptr,
      [&] { return txn->rep->Merge(Slice(key, klen), Slice(val, vlen)); });
}

void tamis_transaction_merge_cf(tamis_transaction_t* txn,
                                tamis_column_family_handle_t* column_family,
                                const char* key, size_t klen, const char* val,
                                size_t vlen, char** errptr) {
  Try(errptr, [&] {
    return txn->rep->Merge(column_family->rep, Slice(key, klen),
                           Slice(val, vlen));
  });
}

void tamis_transaction_delete(tamis_transaction_t* txn, const char* key,
                              size_t klen, char** errptr) {
  Try(errptr, [&] { return txn->rep->Delete(Slice(key, klen)); });
}

void tamis_transaction_delete_cf(tamis_transaction_t* txn,
                                 tamis_column_family_handle_t* column_family,
                                 const char* key, size_t klen, char** errptr) {
  Try(errptr,
      [&] { return txn->rep->Delete(column_family->rep, Slice(key, klen)); });
}

tamis_iterator_t* tamis_transaction_create_iterator(
    tamis_transaction_t* txn, const tamis_readoptions_t* options) {
  return IteratorOf(txn, options, nullptr);
}

tamis_iterator_t* tamis_transaction_create_iterator_cf(
    tamis_transaction_t* txn, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family) {
  return IteratorOf(txn, options, column_family);
}
