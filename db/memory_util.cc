// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/memory_util.h"

#include <utility>

#include "util/base/exceptions.h"

namespace tamis {

Status MemoryUtil::GetApproximateMemoryUsageByType(
    const std::vector<DB*>& dbs,
    const std::unordered_set<const Cache*>& cache_set,
    std::map<UsageType, uint64_t>* usage_by_type) {
  return CatchExceptions([&] {
    const std::pair<const std::string*, UsageType> properties[] = {
        {&DBProperties::kSizeAllMemTables, kMemTableTotal},
        {&DBProperties::kCurSizeAllMemTables, kMemTableUnFlushed},
        {&DBProperties::kEstimateTableReadersMem, kTableReadersTotal}};
    std::map<UsageType, uint64_t> usage = {{kMemTableTotal, 0},
                                           {kMemTableUnFlushed, 0},
                                           {kTableReadersTotal, 0},
                                           {kCacheTotal, 0}};
    for (DB* db : dbs) {
      for (const auto& [property, type] : properties) {
        uint64_t bytes = 0;
        if (db->GetAggregatedIntProperty(*property, &bytes)) {
          usage[type] += bytes;
        }
      }
    }
    for (const Cache* cache : cache_set)
      usage[kCacheTotal] += cache->GetUsage();
    *usage_by_type = std::move(usage);
    return Status::OK();
  });
}

}  // namespace tamis
