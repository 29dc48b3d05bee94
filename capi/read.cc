// SPDX-License-Identifier: Apache-2.0
//
// Point reads: values copied to memory of malloc, or pinned.
#include "capi/call.h"
#include "capi/types.h"
#include "capi/values.h"

namespace tamis::capi {
namespace {

// Returns a reader of the key, for ValueOf and PinnedValueOf.
auto GetOf(tamis_t* db, const tamis_readoptions_t* options,
           ColumnFamilyHandle* family, const Slice& key) {
  return [=](PinnableSlice* value) {
    return db->rep->Get(options->rep, family, key, value);
  };
}

// Reads the keys; where `families` is nullptr, from the default family. `take`
// gets each index and the value found or nullptr, and may not throw.
template <typename Take>
void ReadAll(tamis_t* db, const tamis_readoptions_t* options, size_t num_keys,
             std::vector<ColumnFamilyHandle*> families,
             const char* const* keys_list, const size_t* keys_list_sizes,
             char** errs, Take&& take) {
  std::vector<Status> statuses;
  std::unique_ptr<PinnableSlice[]> values;
  char* failed = nullptr;
  const bool ok = Try(&failed, [&] {
    std::vector<Slice> keys;
    keys.reserve(num_keys);
    for (size_t i = 0; i < num_keys; ++i) {
      keys.emplace_back(keys_list[i], keys_list_sizes[i]);
    }
    statuses.resize(num_keys);
    values = std::make_unique<PinnableSlice[]>(num_keys);
    db->rep->MultiGet(options->rep, num_keys, families.data(), keys.data(),
                      values.get(), statuses.data());
    return Status::OK();
  });
  for (size_t i = 0; i < num_keys; ++i) {
    errs[i] = nullptr;
    if (!ok) {
      errs[i] = CopyOf(failed);
    } else if (!statuses[i].IsNotFound()) {
      Report(&errs[i], statuses[i]);
    }
    take(i, ok && statuses[i].ok() ? &values[i] : nullptr);
  }
  tamis_free(failed);
}

bool MayExist(tamis_t* db, const tamis_readoptions_t* options,
              ColumnFamilyHandle* family, const Slice& key, char** value,
              size_t* val_len, unsigned char* value_found) {
  return Must([&] {
    std::string found;
    bool is_found = false;
    const bool may =
        db->rep->KeyMayExist(options->rep, family, key, &found, &is_found);
    if (value_found != nullptr) *value_found = is_found ? 1 : 0;
    if (value_found != nullptr && value != nullptr && is_found) {
      *value = CopyOf(found);
      *val_len = found.size();
    }
    return may;
  });
}

// Copies what ReadAll finds.
auto CopyTo(char** values_list, size_t* values_list_sizes) {
  return [=](size_t i, PinnableSlice* value) {
    values_list[i] = value == nullptr ? nullptr : CopyOf(*value);
    values_list_sizes[i] = value == nullptr ? 0 : value->size();
  };
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

char* tamis_get(tamis_t* db, const tamis_readoptions_t* options,
                const char* key, size_t keylen, size_t* vallen, char** errptr) {
  return ValueOf(vallen, errptr,
                 GetOf(db, options, FamilyOf(db, nullptr), Slice(key, keylen)));
}

char* tamis_get_cf(tamis_t* db, const tamis_readoptions_t* options,
                   tamis_column_family_handle_t* column_family, const char* key,
                   size_t keylen, size_t* vallen, char** errptr) {
  return ValueOf(vallen, errptr,
                 GetOf(db, options, column_family->rep, Slice(key, keylen)));
}

void tamis_multi_get(tamis_t* db, const tamis_readoptions_t* options,
                     size_t num_keys, const char* const* keys_list,
                     const size_t* keys_list_sizes, char** values_list,
                     size_t* values_list_sizes, char** errs) {
  Must([&] {
    ReadAll(db, options, num_keys,
            std::vector<ColumnFamilyHandle*>(num_keys, FamilyOf(db, nullptr)),
            keys_list, keys_list_sizes, errs,
            CopyTo(values_list, values_list_sizes));
  });
}

void tamis_multi_get_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    const tamis_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes,
    char** values_list, size_t* values_list_sizes, char** errs) {
  Must([&] {
    std::vector<ColumnFamilyHandle*> families(num_keys);
    for (size_t i = 0; i < num_keys; ++i) families[i] = column_families[i]->rep;
    ReadAll(db, options, num_keys, std::move(families), keys_list,
            keys_list_sizes, errs, CopyTo(values_list, values_list_sizes));
  });
}

void tamis_batched_multi_get_cf(tamis_t* db, const tamis_readoptions_t* options,
                                tamis_column_family_handle_t* column_family,
                                size_t num_keys, const char* const* keys_list,
                                const size_t* keys_list_sizes,
                                tamis_pinnableslice_t** values, char** errs,
                                const bool /*sorted_input*/) {
  Must([&] {
    ReadAll(db, options, num_keys,
            std::vector<ColumnFamilyHandle*>(num_keys, column_family->rep),
            keys_list, keys_list_sizes, errs,
            [&](size_t i, PinnableSlice* value) {
              values[i] = nullptr;
              if (value != nullptr) {
                values[i] = new tamis_pinnableslice_t{std::move(*value)};
              }
            });
  });
}

tamis_pinnableslice_t* tamis_get_pinned(tamis_t* db,
                                        const tamis_readoptions_t* options,
                                        const char* key, size_t keylen,
                                        char** errptr) {
  return PinnedValueOf(
      errptr, GetOf(db, options, FamilyOf(db, nullptr), Slice(key, keylen)));
}

tamis_pinnableslice_t* tamis_get_pinned_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key, size_t keylen,
    char** errptr) {
  return PinnedValueOf(
      errptr, GetOf(db, options, column_family->rep, Slice(key, keylen)));
}

const char* tamis_pinnableslice_value(const tamis_pinnableslice_t* t,
                                      size_t* vlen) {
  if (t == nullptr) {
    *vlen = 0;
    return nullptr;
  }
  return Lend(t->rep, vlen);
}

void tamis_pinnableslice_destroy(tamis_pinnableslice_t* v) { delete v; }

unsigned char tamis_key_may_exist(tamis_t* db,
                                  const tamis_readoptions_t* options,
                                  const char* key, size_t key_len, char** value,
                                  size_t* val_len, const char* /*timestamp*/,
                                  size_t /*timestamp_len*/,
                                  unsigned char* value_found) {
  return MayExist(db, options, FamilyOf(db, nullptr), Slice(key, key_len),
                  value, val_len, value_found);
}

unsigned char tamis_key_may_exist_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family, const char* key,
    size_t key_len, char** value, size_t* val_len, const char* /*timestamp*/,
    size_t /*timestamp_len*/, unsigned char* value_found) {
  return MayExist(db, options, column_family->rep, Slice(key, key_len), value,
                  val_len, value_found);
}
