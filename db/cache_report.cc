// SPDX-License-Identifier: Apache-2.0
#include "db/cache_report.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace tamis {

namespace {

struct RoleName {
  const char* in_text;
  const char* in_map;
};
constexpr PerCacheRole<RoleName> kRoleNames = {{{
    {"DataBlock", "data-block"},
    {"FilterBlock", "filter-block"},
    {"FilterMetaBlock", "filter-meta-block"},
    {"DeprecatedFilterBlock", "deprecated-filter-block"},
    {"IndexBlock", "index-block"},
    {"OtherBlock", "other-block"},
    {"WriteBuffer", "write-buffer"},
    {"CompressionDictionaryBuildingBuffer",
     "compression-dictionary-building-buffer"},
    {"FilterConstruction", "filter-construction"},
    {"BlockBasedTableReader", "block-based-table-reader"},
    {"FileMetadata", "file-metadata"},
    {"BlobValue", "blob-value"},
    {"BlobCache", "blob-cache"},
    {"Misc", "misc"},
}}};

// The contents, and how long the scan took.
struct Scan {
  PerCacheRole<CacheUsage> usage;
  uint64_t blocks = 0;
  double seconds = 0;
};

Scan ScanOf(const BlockCache& cache) {
  const auto start = std::chrono::steady_clock::now();
  Scan scan{cache.UsageByRole()};
  for (const CacheUsage& one : scan.usage) scan.blocks += one.entries;
  scan.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return scan;
}

std::string IdOf(const BlockCache& cache) {
  char text[64];
  std::snprintf(text, sizeof(text), "%s@%p#%d", cache.Name(),
                static_cast<const void*>(&cache), static_cast<int>(getpid()));
  return text;
}

double PercentOf(uint64_t bytes, const BlockCache& cache) {
  const size_t capacity = cache.GetCapacity();
  return capacity == 0
             ? 0
             : 100 * static_cast<double>(bytes) / static_cast<double>(capacity);
}

}  // namespace

std::string CacheText(const BlockCache& cache) {
  const Scan scan = ScanOf(cache);
  char text[256];
  std::snprintf(text, sizeof(text),
                " table_size: %llu occupancy: %llu collections: 1 last_copies: "
                "1 last_secs: %g secs_since: 0\n",
                static_cast<unsigned long long>(scan.blocks),
                static_cast<unsigned long long>(scan.blocks), scan.seconds);
  std::string all =
      "Block cache " + IdOf(cache) +
      " capacity: " + BytesText(static_cast<double>(cache.GetCapacity())) +
      " usage: " + BytesText(static_cast<double>(cache.GetUsage())) + text +
      "Block cache entry stats(count,size,portion):";
  for (size_t i = 0; i < kCacheRoles; ++i) {
    const auto role = static_cast<CacheRole>(i);
    const CacheUsage& usage = scan.usage[role];
    if (usage.bytes == 0) continue;
    std::snprintf(text, sizeof(text), " %s(%llu,%s,%g%%)",
                  kRoleNames[role].in_text,
                  static_cast<unsigned long long>(usage.entries),
                  BytesText(static_cast<double>(usage.bytes)).c_str(),
                  PercentOf(usage.bytes, cache));
    all += text;
  }
  return all + "\n";
}

void CacheMap(const BlockCache& cache, StatsMap* values) {
  const Scan scan = ScanOf(cache);
  (*values)["id"] = IdOf(cache);
  (*values)["capacity"] = std::to_string(cache.GetCapacity());
  (*values)["secs_for_last_collection"] = std::to_string(scan.seconds);
  (*values)["secs_since_last_collection"] = "0";
  for (size_t i = 0; i < kCacheRoles; ++i) {
    const auto role = static_cast<CacheRole>(i);
    const std::string name = kRoleNames[role].in_map;
    const CacheUsage& usage = scan.usage[role];
    (*values)["count." + name] = std::to_string(usage.entries);
    (*values)["bytes." + name] = std::to_string(usage.bytes);
    (*values)["percent." + name] =
        std::to_string(PercentOf(usage.bytes, cache));
  }
}

}  // namespace tamis
