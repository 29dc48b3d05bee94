// SPDX-License-Identifier: Apache-2.0
//
// Properties, sizes of ranges, and the memory of databases and caches.
#include <map>
#include <unordered_set>

#include "tamis/utilities/memory_util.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_memory_consumers_t {
  std::vector<tamis::DB*> databases;
  // Owned: a cache may be destroyed after it was added.
  std::vector<std::shared_ptr<tamis::Cache>> caches;
};
struct tamis_memory_usage_t {
  std::map<tamis::MemoryUtil::UsageType, uint64_t> bytes;
};

namespace tamis::capi {
namespace {

char* PropertyOf(tamis_t* db, ColumnFamilyHandle* family,
                 const char* propname) {
  return Must([&]() -> char* {
    std::string value;
    if (!db->rep->GetProperty(family, propname, &value)) return nullptr;
    return CopyOf(value);
  });
}

int IntPropertyOf(tamis_t* db, ColumnFamilyHandle* family, const char* propname,
                  uint64_t* out_val) {
  return Must([&] {
    return db->rep->GetIntProperty(family, propname, out_val) ? 0 : -1;
  });
}

// `flags` are those of SizeApproximationFlags.
void SizesOf(tamis_t* db, ColumnFamilyHandle* family, int num_ranges,
             const char* const* starts, const size_t* start_lengths,
             const char* const* limits, const size_t* limit_lengths,
             uint8_t flags, uint64_t* sizes, char** errptr) {
  Try(errptr, [&] {
    std::vector<Range> ranges;
    for (int i = 0; i < num_ranges; ++i) {
      ranges.emplace_back(Slice(starts[i], start_lengths[i]),
                          Slice(limits[i], limit_lengths[i]));
    }
    return db->rep->GetApproximateSizes(
        family, ranges.data(), num_ranges, sizes,
        static_cast<SizeApproximationFlags>(flags));
  });
}

constexpr auto kFilesOnly =
    static_cast<uint8_t>(SizeApproximationFlags::INCLUDE_FILES);

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

char* tamis_property_value(tamis_t* db, const char* propname) {
  return PropertyOf(db, FamilyOf(db, nullptr), propname);
}

char* tamis_property_value_cf(tamis_t* db,
                              tamis_column_family_handle_t* column_family,
                              const char* propname) {
  return PropertyOf(db, column_family->rep, propname);
}

int tamis_property_int(tamis_t* db, const char* propname, uint64_t* out_val) {
  return IntPropertyOf(db, FamilyOf(db, nullptr), propname, out_val);
}

int tamis_property_int_cf(tamis_t* db,
                          tamis_column_family_handle_t* column_family,
                          const char* propname, uint64_t* out_val) {
  return IntPropertyOf(db, column_family->rep, propname, out_val);
}

void tamis_approximate_sizes(tamis_t* db, int num_ranges,
                             const char* const* range_start_key,
                             const size_t* range_start_key_len,
                             const char* const* range_limit_key,
                             const size_t* range_limit_key_len, uint64_t* sizes,
                             char** errptr) {
  SizesOf(db, FamilyOf(db, nullptr), num_ranges, range_start_key,
          range_start_key_len, range_limit_key, range_limit_key_len, kFilesOnly,
          sizes, errptr);
}

void tamis_approximate_sizes_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len,
    uint64_t* sizes, char** errptr) {
  SizesOf(db, column_family->rep, num_ranges, range_start_key,
          range_start_key_len, range_limit_key, range_limit_key_len, kFilesOnly,
          sizes, errptr);
}

void tamis_approximate_sizes_cf_with_flags(
    tamis_t* db, tamis_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len,
    uint8_t include_flags, uint64_t* sizes, char** errptr) {
  SizesOf(db, column_family->rep, num_ranges, range_start_key,
          range_start_key_len, range_limit_key, range_limit_key_len,
          include_flags, sizes, errptr);
}

tamis_memory_consumers_t* tamis_memory_consumers_create(void) {
  return Create<tamis_memory_consumers_t>();
}

void tamis_memory_consumers_add_db(tamis_memory_consumers_t* consumers,
                                   tamis_t* db) {
  Must([&] { consumers->databases.push_back(db->rep); });
}

void tamis_memory_consumers_add_cache(tamis_memory_consumers_t* consumers,
                                      tamis_cache_t* cache) {
  Must([&] { consumers->caches.push_back(cache->rep); });
}

void tamis_memory_consumers_destroy(tamis_memory_consumers_t* consumers) {
  delete consumers;
}

tamis_memory_usage_t* tamis_approximate_memory_usage_create(
    tamis_memory_consumers_t* consumers, char** errptr) {
  std::unique_ptr<tamis_memory_usage_t> usage;
  const bool ok = Try(errptr, [&] {
    usage = std::make_unique<tamis_memory_usage_t>();
    std::unordered_set<const Cache*> caches;
    for (const auto& cache : consumers->caches) caches.insert(cache.get());
    return MemoryUtil::GetApproximateMemoryUsageByType(consumers->databases,
                                                       caches, &usage->bytes);
  });
  return ok ? usage.release() : nullptr;
}

void tamis_approximate_memory_usage_destroy(tamis_memory_usage_t* usage) {
  delete usage;
}

uint64_t tamis_approximate_memory_usage_get_mem_table_total(
    tamis_memory_usage_t* memory_usage) {
  return memory_usage->bytes.at(MemoryUtil::kMemTableTotal);
}

uint64_t tamis_approximate_memory_usage_get_mem_table_unflushed(
    tamis_memory_usage_t* memory_usage) {
  return memory_usage->bytes.at(MemoryUtil::kMemTableUnFlushed);
}

uint64_t tamis_approximate_memory_usage_get_mem_table_readers_total(
    tamis_memory_usage_t* memory_usage) {
  return memory_usage->bytes.at(MemoryUtil::kTableReadersTotal);
}

uint64_t tamis_approximate_memory_usage_get_cache_total(
    tamis_memory_usage_t* memory_usage) {
  return memory_usage->bytes.at(MemoryUtil::kCacheTotal);
}
