// SPDX-License-Identifier: Apache-2.0
//
// CompactOnDeletionCollectorFactory makes collectors that mark a table with
// many deletions for compaction, so that scans do not pass them for long:
//
//   options.table_properties_collector_factories.push_back(
//       NewCompactOnDeletionCollectorFactory(1000, 800));
//
// A table is marked if at least deletion_trigger of any sliding_window_size
// consecutive entries are deletions, or at least the share deletion_ratio of
// all its entries. Those of Delete and SingleDelete are deletions, those of
// DeleteRange are not. Windows do not reach into the next table. What happens
// to a marked table: TablePropertiesCollector::NeedCompact. (RocksDB counts in
// 128 parts of a window, Tamis exactly; RocksDB 7.8.3 does not count those of
// SingleDelete.)
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/table_properties_collector.h"

namespace tamis {

// Any thread. Changes are for tables that begin later.
class TAMIS_EXPORT CompactOnDeletionCollectorFactory final
    : public TablePropertiesCollectorFactory {
 public:
  // A window or a trigger of 0: no window is looked at. A ratio of 0 or less,
  // or of more than 1: no share is.
  CompactOnDeletionCollectorFactory(size_t sliding_window_size,
                                    size_t deletion_trigger,
                                    double deletion_ratio)
      : sliding_window_size_(sliding_window_size),
        deletion_trigger_(deletion_trigger),
        deletion_ratio_(deletion_ratio) {}

  // Returns its name in RocksDB.
  static const char* kClassName() { return "CompactOnDeletionCollector"; }
  const char* Name() const override { return kClassName(); }
  // nullptr if neither is looked at.
  TablePropertiesCollector* CreateTablePropertiesCollector(
      Context context) override;

  // In entries.
  void SetWindowSize(size_t size) { sliding_window_size_ = size; }
  size_t GetWindowSize() const { return sliding_window_size_; }
  void SetDeletionTrigger(size_t deletions) { deletion_trigger_ = deletions; }
  size_t GetDeletionTrigger() const { return deletion_trigger_; }
  void SetDeletionRatio(double ratio) { deletion_ratio_ = ratio; }
  double GetDeletionRatio() const { return deletion_ratio_; }

  // Returns the name and the three values.
  std::string ToString() const;

 private:
  std::atomic<size_t> sliding_window_size_;
  std::atomic<size_t> deletion_trigger_;
  std::atomic<double> deletion_ratio_;
};

TAMIS_EXPORT std::shared_ptr<CompactOnDeletionCollectorFactory>
NewCompactOnDeletionCollectorFactory(size_t sliding_window_size,
                                     size_t deletion_trigger,
                                     double deletion_ratio = 0);

}  // namespace tamis
