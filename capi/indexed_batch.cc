// SPDX-License-Identifier: Apache-2.0
//
// Batches with an index.
#include <cstdio>
#include <cstdlib>

#include "capi/batch_parts.h"
#include "capi/call.h"
#include "capi/types.h"
#include "capi/values.h"

namespace tamis::capi {
namespace {

// Runs an operation of the batch, and keeps its error. Ends the process if the
// batch is lent: its owner would not learn of the error.
template <typename Call>
void AddIndexed(tamis_writebatch_wi_t* batch, const Call& call) {
  BatchErrors unkept;
  Keep(batch->errors != nullptr ? batch->errors : &unkept,
       [&] { return call(batch->rep); });
  if (unkept.first.ok()) return;
  std::fprintf(stderr, "%s\n", unkept.first.ToString().c_str());
  std::abort();
}

ColumnFamilyHandle* RepOf(const tamis_column_family_handle_t* family) {
  return family != nullptr ? family->rep : nullptr;
}

tamis_iterator_t* IteratorWithBase(tamis_writebatch_wi_t* batch,
                                   tamis_iterator_t* base,
                                   const tamis_column_family_handle_t* family) {
  return Must([&] {
    auto* const result = new tamis_iterator_t{std::unique_ptr<Iterator>(
        batch->rep->NewIteratorWithBase(RepOf(family), base->rep.release()))};
    delete base;
    return result;
  });
}

void Put(tamis_writebatch_wi_t* b, const tamis_column_family_handle_t* family,
         const Slice& key, const Slice& value) {
  AddIndexed(b, [&](WriteBatchWithIndex* batch) {
    return batch->Put(RepOf(family), key, value);
  });
}

void Merge(tamis_writebatch_wi_t* b, const tamis_column_family_handle_t* family,
           const Slice& key, const Slice& operand) {
  AddIndexed(b, [&](WriteBatchWithIndex* batch) {
    return batch->Merge(RepOf(family), key, operand);
  });
}

void Delete(tamis_writebatch_wi_t* b,
            const tamis_column_family_handle_t* family, const Slice& key) {
  AddIndexed(b, [&](WriteBatchWithIndex* batch) {
    return batch->Delete(RepOf(family), key);
  });
}

void SingleDelete(tamis_writebatch_wi_t* b,
                  const tamis_column_family_handle_t* family,
                  const Slice& key) {
  AddIndexed(b, [&](WriteBatchWithIndex* batch) {
    return batch->SingleDelete(RepOf(family), key);
  });
}

void DeleteRange(tamis_writebatch_wi_t* b,
                 const tamis_column_family_handle_t* family, const Slice& begin,
                 const Slice& end) {
  AddIndexed(b, [&](WriteBatchWithIndex* batch) {
    return batch->DeleteRange(RepOf(family), begin, end);
  });
}

// Calls of the functions above, with parts.
using Change = void (*)(tamis_writebatch_wi_t*,
                        const tamis_column_family_handle_t*, const Slice&,
                        const Slice&);
void Joined(tamis_writebatch_wi_t* b,
            const tamis_column_family_handle_t* family, const Parts& key,
            const Parts& value, Change change) {
  Must([&] {
    std::string key_bytes;
    std::string value_bytes;
    change(b, family, Slice(key.get(), &key_bytes),
           Slice(value.get(), &value_bytes));
  });
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_writebatch_wi_t* tamis_writebatch_wi_create(
    size_t reserved_bytes, unsigned char overwrite_keys) {
  return Must([&] {
    auto* const batch = static_cast<tamis_writebatch_wi_t*>(
        std::malloc(sizeof(tamis_writebatch_wi_t)));
    if (batch == nullptr) throw std::bad_alloc();
    batch->rep = new WriteBatchWithIndex(BytewiseComparator(), reserved_bytes,
                                         overwrite_keys != 0);
    batch->errors = new BatchErrors;
    return batch;
  });
}

void tamis_writebatch_wi_destroy(tamis_writebatch_wi_t* b) {
  if (b == nullptr) return;
  if (b->errors != nullptr) {
    delete b->rep;
    delete b->errors;
  }
  std::free(b);
}

void tamis_writebatch_wi_clear(tamis_writebatch_wi_t* b) {
  b->rep->Clear();
  if (b->errors != nullptr) *b->errors = {};
}

int tamis_writebatch_wi_count(tamis_writebatch_wi_t* b) {
  return static_cast<int>(b->rep->GetWriteBatch()->Count());
}

void tamis_writebatch_wi_put(tamis_writebatch_wi_t* b, const char* key,
                             size_t klen, const char* val, size_t vlen) {
  Put(b, nullptr, Slice(key, klen), Slice(val, vlen));
}

void tamis_writebatch_wi_put_cf(tamis_writebatch_wi_t* b,
                                tamis_column_family_handle_t* column_family,
                                const char* key, size_t klen, const char* val,
                                size_t vlen) {
  Put(b, column_family, Slice(key, klen), Slice(val, vlen));
}

void tamis_writebatch_wi_putv(tamis_writebatch_wi_t* b, int num_keys,
                              const char* const* keys_list,
                              const size_t* keys_list_sizes, int num_values,
                              const char* const* values_list,
                              const size_t* values_list_sizes) {
  tamis_writebatch_wi_putv_cf(b, nullptr, num_keys, keys_list, keys_list_sizes,
                              num_values, values_list, values_list_sizes);
}

void tamis_writebatch_wi_putv_cf(tamis_writebatch_wi_t* b,
                                 tamis_column_family_handle_t* column_family,
                                 int num_keys, const char* const* keys_list,
                                 const size_t* keys_list_sizes, int num_values,
                                 const char* const* values_list,
                                 const size_t* values_list_sizes) {
  Joined(b, column_family, Parts(num_keys, keys_list, keys_list_sizes),
         Parts(num_values, values_list, values_list_sizes), Put);
}

void tamis_writebatch_wi_merge(tamis_writebatch_wi_t* b, const char* key,
                               size_t klen, const char* val, size_t vlen) {
  Merge(b, nullptr, Slice(key, klen), Slice(val, vlen));
}

void tamis_writebatch_wi_merge_cf(tamis_writebatch_wi_t* b,
                                  tamis_column_family_handle_t* column_family,
                                  const char* key, size_t klen, const char* val,
                                  size_t vlen) {
  Merge(b, column_family, Slice(key, klen), Slice(val, vlen));
}

void tamis_writebatch_wi_mergev(tamis_writebatch_wi_t* b, int num_keys,
                                const char* const* keys_list,
                                const size_t* keys_list_sizes, int num_values,
                                const char* const* values_list,
                                const size_t* values_list_sizes) {
  tamis_writebatch_wi_mergev_cf(b, nullptr, num_keys, keys_list,
                                keys_list_sizes, num_values, values_list,
                                values_list_sizes);
}

void tamis_writebatch_wi_mergev_cf(tamis_writebatch_wi_t* b,
                                   tamis_column_family_handle_t* column_family,
                                   int num_keys, const char* const* keys_list,
                                   const size_t* keys_list_sizes,
                                   int num_values,
                                   const char* const* values_list,
                                   const size_t* values_list_sizes) {
  Joined(b, column_family, Parts(num_keys, keys_list, keys_list_sizes),
         Parts(num_values, values_list, values_list_sizes), Merge);
}

void tamis_writebatch_wi_delete(tamis_writebatch_wi_t* b, const char* key,
                                size_t klen) {
  Delete(b, nullptr, Slice(key, klen));
}

void tamis_writebatch_wi_delete_cf(tamis_writebatch_wi_t* b,
                                   tamis_column_family_handle_t* column_family,
                                   const char* key, size_t klen) {
  Delete(b, column_family, Slice(key, klen));
}

void tamis_writebatch_wi_singledelete(tamis_writebatch_wi_t* b, const char* key,
                                      size_t klen) {
  SingleDelete(b, nullptr, Slice(key, klen));
}

void tamis_writebatch_wi_singledelete_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen) {
  SingleDelete(b, column_family, Slice(key, klen));
}

void tamis_writebatch_wi_deletev(tamis_writebatch_wi_t* b, int num_keys,
                                 const char* const* keys_list,
                                 const size_t* keys_list_sizes) {
  tamis_writebatch_wi_deletev_cf(b, nullptr, num_keys, keys_list,
                                 keys_list_sizes);
}

void tamis_writebatch_wi_deletev_cf(tamis_writebatch_wi_t* b,
                                    tamis_column_family_handle_t* column_family,
                                    int num_keys, const char* const* keys_list,
                                    const size_t* keys_list_sizes) {
  Joined(b, column_family, Parts(num_keys, keys_list, keys_list_sizes),
         Parts(0, nullptr, nullptr),
         [](auto* batch, const auto* family, const Slice& key, const Slice&) {
           Delete(batch, family, key);
         });
}

void tamis_writebatch_wi_delete_range(tamis_writebatch_wi_t* b,
                                      const char* start_key,
                                      size_t start_key_len, const char* end_key,
                                      size_t end_key_len) {
  DeleteRange(b, nullptr, Slice(start_key, start_key_len),
              Slice(end_key, end_key_len));
}

void tamis_writebatch_wi_delete_range_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* end_key,
    size_t end_key_len) {
  DeleteRange(b, column_family, Slice(start_key, start_key_len),
              Slice(end_key, end_key_len));
}

void tamis_writebatch_wi_delete_rangev(tamis_writebatch_wi_t* b, int num_keys,
                                       const char* const* start_keys_list,
                                       const size_t* start_keys_list_sizes,
                                       const char* const* end_keys_list,
                                       const size_t* end_keys_list_sizes) {
  tamis_writebatch_wi_delete_rangev_cf(b, nullptr, num_keys, start_keys_list,
                                       start_keys_list_sizes, end_keys_list,
                                       end_keys_list_sizes);
}

void tamis_writebatch_wi_delete_rangev_cf(
    tamis_writebatch_wi_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes) {
  Joined(b, column_family,
         Parts(num_keys, start_keys_list, start_keys_list_sizes),
         Parts(num_keys, end_keys_list, end_keys_list_sizes), DeleteRange);
}

void tamis_writebatch_wi_put_log_data(tamis_writebatch_wi_t* b,
                                      const char* blob, size_t len) {
  AddIndexed(b, [&](WriteBatchWithIndex* batch) {
    return batch->PutLogData(Slice(blob, len));
  });
}

void tamis_writebatch_wi_iterate(tamis_writebatch_wi_t* b, void* state,
                                 void (*put)(void*, const char* k, size_t klen,
                                             const char* v, size_t vlen),
                                 void (*deleted)(void*, const char* k,
                                                 size_t klen)) {
  PutAndDelete handler(state, put, deleted);
  Must([&] {
    b->rep->GetWriteBatch()->Iterate(&handler).PermitUncheckedError();
  });
}

const char* tamis_writebatch_wi_data(tamis_writebatch_wi_t* b, size_t* size) {
  return Lend(b->rep->GetWriteBatch()->Data(), size);
}

void tamis_writebatch_wi_set_save_point(tamis_writebatch_wi_t* b) {
  Must([&] {
    if (b->errors != nullptr) b->errors->saved.push_back(b->errors->first);
    b->rep->SetSavePoint();
  });
}

void tamis_writebatch_wi_rollback_to_save_point(tamis_writebatch_wi_t* b,
                                                char** errptr) {
  Try(errptr, [&] {
    Status status = b->rep->RollbackToSavePoint();
    if (status.ok() && b->errors != nullptr) ReturnToSaved(b->errors);
    return status;
  });
}

char* tamis_writebatch_wi_get_from_batch(tamis_writebatch_wi_t* wbwi,
                                         const tamis_options_t* options,
                                         const char* key, size_t keylen,
                                         size_t* vallen, char** errptr) {
  return tamis_writebatch_wi_get_from_batch_cf(wbwi, options, nullptr, key,
                                               keylen, vallen, errptr);
}

char* tamis_writebatch_wi_get_from_batch_cf(
    tamis_writebatch_wi_t* wbwi, const tamis_options_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    size_t* vallen, char** errptr) {
  return ValueOf(vallen, errptr, [&](PinnableSlice* value) {
    const Status status =
        wbwi->rep->GetFromBatch(RepOf(column_family), options->rep,
                                Slice(key, keylen), value->GetSelf());
    value->PinSelf();
    return status;
  });
}

char* tamis_writebatch_wi_get_from_batch_and_db(
    tamis_writebatch_wi_t* wbwi, tamis_t* db,
    const tamis_readoptions_t* options, const char* key, size_t keylen,
    size_t* vallen, char** errptr) {
  return tamis_writebatch_wi_get_from_batch_and_db_cf(
      wbwi, db, options, nullptr, key, keylen, vallen, errptr);
}

char* tamis_writebatch_wi_get_from_batch_and_db_cf(
    tamis_writebatch_wi_t* wbwi, tamis_t* db,
    const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    size_t* vallen, char** errptr) {
  return ValueOf(vallen, errptr, [&](PinnableSlice* value) {
    return wbwi->rep->GetFromBatchAndDB(db->rep, options->rep,
                                        FamilyOf(db, column_family),
                                        Slice(key, keylen), value);
  });
}

void tamis_write_writebatch_wi(tamis_t* db, const tamis_writeoptions_t* options,
                               tamis_writebatch_wi_t* wbwi, char** errptr) {
  Try(errptr, [&] {
    if (wbwi->errors != nullptr && !wbwi->errors->first.ok()) {
      return wbwi->errors->first;
    }
    return db->rep->Write(options->rep, wbwi->rep->GetWriteBatch());
  });
}

tamis_iterator_t* tamis_writebatch_wi_create_iterator_with_base(
    tamis_writebatch_wi_t* wbwi, tamis_iterator_t* base_iterator) {
  return IteratorWithBase(wbwi, base_iterator, nullptr);
}

tamis_iterator_t* tamis_writebatch_wi_create_iterator_with_base_cf(
    tamis_writebatch_wi_t* wbwi, tamis_iterator_t* base_iterator,
    tamis_column_family_handle_t* cf) {
  return IteratorWithBase(wbwi, base_iterator, cf);
}
