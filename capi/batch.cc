// SPDX-License-Identifier: Apache-2.0
//
// Write batches. Most functions cannot report an error: the batch keeps the
// first one for its write.
#include "capi/batch_parts.h"
#include "capi/call.h"
#include "capi/types.h"

namespace tamis::capi {
namespace {

template <typename Call>
void Add(tamis_writebatch_t* batch, const Call& call) {
  Keep(&batch->errors, [&] { return call(&batch->rep); });
}

// As PutAndDelete, for all families and for merge operands.
class PutDeleteAndMerge final : public WriteBatch::Handler {
 public:
  using WithValue = void (*)(void*, uint32_t, const char*, size_t, const char*,
                             size_t);
  PutDeleteAndMerge(void* state, WithValue put,
                    void (*deleted)(void*, uint32_t, const char*, size_t),
                    WithValue merge)
      : state_(state), put_(put), deleted_(deleted), merge_(merge) {}

  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    put_(state_, family, key.data(), key.size(), value.data(), value.size());
    return Status::OK();
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    deleted_(state_, family, key.data(), key.size());
    return Status::OK();
  }
  Status MergeCF(uint32_t family, const Slice& key,
                 const Slice& operand) override {
    merge_(state_, family, key.data(), key.size(), operand.data(),
           operand.size());
    return Status::OK();
  }

 private:
  void* const state_;
  const WithValue put_;
  void (*const deleted_)(void*, uint32_t, const char*, size_t);
  const WithValue merge_;
};

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_writebatch_t* tamis_writebatch_create(void) {
  return Create<tamis_writebatch_t>();
}

tamis_writebatch_t* tamis_writebatch_create_from(const char* rep, size_t size) {
  return Must([&] {
    return new tamis_writebatch_t{WriteBatch(std::string(rep, size)), {}};
  });
}

void tamis_writebatch_destroy(tamis_writebatch_t* b) { delete b; }

void tamis_writebatch_clear(tamis_writebatch_t* b) {
  b->rep.Clear();
  b->errors = {};
}

int tamis_writebatch_count(tamis_writebatch_t* b) {
  return static_cast<int>(b->rep.Count());
}

void tamis_writebatch_put(tamis_writebatch_t* b, const char* key, size_t klen,
                          const char* val, size_t vlen) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Put(Slice(key, klen), Slice(val, vlen));
  });
}

void tamis_writebatch_put_cf(tamis_writebatch_t* b,
                             tamis_column_family_handle_t* column_family,
                             const char* key, size_t klen, const char* val,
                             size_t vlen) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Put(column_family->rep, Slice(key, klen), Slice(val, vlen));
  });
}

void tamis_writebatch_putv(tamis_writebatch_t* b, int num_keys,
                           const char* const* keys_list,
                           const size_t* keys_list_sizes, int num_values,
                           const char* const* values_list,
                           const size_t* values_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Put(Parts(num_keys, keys_list, keys_list_sizes).get(),
                      Parts(num_values, values_list, values_list_sizes).get());
  });
}

void tamis_writebatch_putv_cf(tamis_writebatch_t* b,
                              tamis_column_family_handle_t* column_family,
                              int num_keys, const char* const* keys_list,
                              const size_t* keys_list_sizes, int num_values,
                              const char* const* values_list,
                              const size_t* values_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Put(column_family->rep,
                      Parts(num_keys, keys_list, keys_list_sizes).get(),
                      Parts(num_values, values_list, values_list_sizes).get());
  });
}

void tamis_writebatch_merge(tamis_writebatch_t* b, const char* key, size_t klen,
                            const char* val, size_t vlen) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Merge(Slice(key, klen), Slice(val, vlen));
  });
}

void tamis_writebatch_merge_cf(tamis_writebatch_t* b,
                               tamis_column_family_handle_t* column_family,
                               const char* key, size_t klen, const char* val,
                               size_t vlen) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Merge(column_family->rep, Slice(key, klen), Slice(val, vlen));
  });
}

void tamis_writebatch_mergev(tamis_writebatch_t* b, int num_keys,
                             const char* const* keys_list,
                             const size_t* keys_list_sizes, int num_values,
                             const char* const* values_list,
                             const size_t* values_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Merge(
        Parts(num_keys, keys_list, keys_list_sizes).get(),
        Parts(num_values, values_list, values_list_sizes).get());
  });
}

void tamis_writebatch_mergev_cf(tamis_writebatch_t* b,
                                tamis_column_family_handle_t* column_family,
                                int num_keys, const char* const* keys_list,
                                const size_t* keys_list_sizes, int num_values,
                                const char* const* values_list,
                                const size_t* values_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Merge(
        column_family->rep, Parts(num_keys, keys_list, keys_list_sizes).get(),
        Parts(num_values, values_list, values_list_sizes).get());
  });
}

void tamis_writebatch_delete(tamis_writebatch_t* b, const char* key,
                             size_t klen) {
  Add(b, [&](WriteBatch* batch) { return batch->Delete(Slice(key, klen)); });
}

void tamis_writebatch_delete_cf(tamis_writebatch_t* b,
                                tamis_column_family_handle_t* column_family,
                                const char* key, size_t klen) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Delete(column_family->rep, Slice(key, klen));
  });
}

void tamis_writebatch_singledelete(tamis_writebatch_t* b, const char* key,
                                   size_t klen) {
  Add(b,
      [&](WriteBatch* batch) { return batch->SingleDelete(Slice(key, klen)); });
}

void tamis_writebatch_singledelete_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    const char* key, size_t klen) {
  Add(b, [&](WriteBatch* batch) {
    return batch->SingleDelete(column_family->rep, Slice(key, klen));
  });
}

void tamis_writebatch_deletev(tamis_writebatch_t* b, int num_keys,
                              const char* const* keys_list,
                              const size_t* keys_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Delete(Parts(num_keys, keys_list, keys_list_sizes).get());
  });
}

void tamis_writebatch_deletev_cf(tamis_writebatch_t* b,
                                 tamis_column_family_handle_t* column_family,
                                 int num_keys, const char* const* keys_list,
                                 const size_t* keys_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->Delete(column_family->rep,
                         Parts(num_keys, keys_list, keys_list_sizes).get());
  });
}

void tamis_writebatch_delete_range(tamis_writebatch_t* b, const char* start_key,
                                   size_t start_key_len, const char* end_key,
                                   size_t end_key_len) {
  Add(b, [&](WriteBatch* batch) {
    return batch->DeleteRange(Slice(start_key, start_key_len),
                              Slice(end_key, end_key_len));
  });
}

void tamis_writebatch_delete_range_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* end_key,
    size_t end_key_len) {
  Add(b, [&](WriteBatch* batch) {
    return batch->DeleteRange(column_family->rep,
                              Slice(start_key, start_key_len),
                              Slice(end_key, end_key_len));
  });
}

void tamis_writebatch_delete_rangev(tamis_writebatch_t* b, int num_keys,
                                    const char* const* start_keys_list,
                                    const size_t* start_keys_list_sizes,
                                    const char* const* end_keys_list,
                                    const size_t* end_keys_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->DeleteRange(
        Parts(num_keys, start_keys_list, start_keys_list_sizes).get(),
        Parts(num_keys, end_keys_list, end_keys_list_sizes).get());
  });
}

void tamis_writebatch_delete_rangev_cf(
    tamis_writebatch_t* b, tamis_column_family_handle_t* column_family,
    int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes) {
  Add(b, [&](WriteBatch* batch) {
    return batch->DeleteRange(
        column_family->rep,
        Parts(num_keys, start_keys_list, start_keys_list_sizes).get(),
        Parts(num_keys, end_keys_list, end_keys_list_sizes).get());
  });
}

void tamis_writebatch_put_log_data(tamis_writebatch_t* b, const char* blob,
                                   size_t len) {
  Add(b,
      [&](WriteBatch* batch) { return batch->PutLogData(Slice(blob, len)); });
}

void tamis_writebatch_iterate(tamis_writebatch_t* b, void* state,
                              void (*put)(void*, const char* k, size_t klen,
                                          const char* v, size_t vlen),
                              void (*deleted)(void*, const char* k,
                                              size_t klen)) {
  PutAndDelete handler(state, put, deleted);
  Must([&] { b->rep.Iterate(&handler).PermitUncheckedError(); });
}

void tamis_writebatch_iterate_cf(
    tamis_writebatch_t* b, void* state,
    void (*put_cf)(void*, uint32_t cfid, const char* k, size_t klen,
                   const char* v, size_t vlen),
    void (*deleted_cf)(void*, uint32_t cfid, const char* k, size_t klen),
    void (*merge_cf)(void*, uint32_t cfid, const char* k, size_t klen,
                     const char* v, size_t vlen)) {
  PutDeleteAndMerge handler(state, put_cf, deleted_cf, merge_cf);
  Must([&] { b->rep.Iterate(&handler).PermitUncheckedError(); });
}

const char* tamis_writebatch_data(tamis_writebatch_t* b, size_t* size) {
  return Lend(b->rep.Data(), size);
}

void tamis_writebatch_set_save_point(tamis_writebatch_t* b) {
  Must([&] {
    b->errors.saved.push_back(b->errors.first);
    b->rep.SetSavePoint();
  });
}

void tamis_writebatch_rollback_to_save_point(tamis_writebatch_t* b,
                                             char** errptr) {
  Try(errptr, [&] {
    Status status = b->rep.RollbackToSavePoint();
    if (status.ok()) ReturnToSaved(&b->errors);
    return status;
  });
}

void tamis_writebatch_pop_save_point(tamis_writebatch_t* b, char** errptr) {
  Try(errptr, [&] {
    Status status = b->rep.PopSavePoint();
    if (status.ok()) b->errors.saved.pop_back();
    return status;
  });
}
