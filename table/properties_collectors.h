// SPDX-License-Identifier: Apache-2.0
//
// The user's collectors of a table's properties, while it is built. Catches
// their exceptions: a collector that fails is dropped and named in the log.
//
// One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tamis/logger.h"
#include "tamis/table_properties.h"
#include "tamis/table_properties_collector.h"

#include "table/internal_key.h"

namespace tamis {

using CollectorFactories =
    std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>;

// Returns the names as tables store them: "[a,b]".
std::string CollectorNames(const CollectorFactories& factories);

class PropertiesCollectors {
 public:
  // `logger` may be nullptr; it must outlive *this.
  PropertiesCollectors(const CollectorFactories& factories,
                       TablePropertiesCollectorFactory::Context context,
                       Logger* logger, std::string file_name);

  // Returns whether none is left.
  bool empty() const { return collectors_.empty(); }
  // Shows an entry to all.
  void Add(const Slice& internal_key, const Slice& value, uint64_t file_size);
  // Tells all of a data block of `raw_bytes`, before compression.
  void AddBlock(uint64_t raw_bytes);
  // Adds what they have collected to the properties.
  void Finish(TableProperties* properties);
  // Returns whether one wants the table to be compacted. REQUIRES: Finish was
  // called.
  bool need_compaction() const { return need_compaction_; }

 private:
  using CollectorPtr = std::unique_ptr<TablePropertiesCollector>;

  // Calls call(collector) for each, and drops those for which it fails.
  template <typename Call>
  void ForEach(const Call& call);
  void LogFailure(const char* name, const Status& status) const;

  std::vector<CollectorPtr> collectors_;
  Logger* const logger_;
  const std::string file_name_;
  bool need_compaction_ = false;
};

}  // namespace tamis
