// SPDX-License-Identifier: Apache-2.0
//
// Options as users give them: checked, and completed with what they left to
// us.
#include <algorithm>
#include <set>

#include "db/db_impl.h"
#include "filter/filter_placement.h"
#include "table/table_builder.h"
#include "util/compression.h"

namespace tamis {

DBOptions CompleteOptions(DBOptions options) {
  if (options.file_system == nullptr) {
    options.file_system = NewPosixFileSystem();
  }
  if (options.clock == nullptr) options.clock = NewSystemClock();
  if (options.job_runner == nullptr) {
    const auto compactions =
        static_cast<size_t>(std::max(1, options.max_background_jobs - 1));
    // One that builds a table, and one that writes its blocks.
    constexpr size_t kThreadsPerTable = 2;
    options.job_runner = NewThreadJobRunner(
        kThreadsPerTable, kThreadsPerTable * compactions *
                              std::max(1u, options.max_subcompactions));
  }
  return options;
}

ColumnFamilyOptions CompleteOptions(ColumnFamilyOptions options) {
  if (options.table_factory == nullptr) {
    options.table_factory.reset(NewBlockBasedTableFactory());
  }
  options.max_write_buffer_number =
      std::max(2, options.max_write_buffer_number);
  // Writes that stop before a compaction is due would wait forever.
  options.level0_file_num_compaction_trigger =
      std::max(1, options.level0_file_num_compaction_trigger);
  options.level0_slowdown_writes_trigger =
      std::max(options.level0_file_num_compaction_trigger,
               options.level0_slowdown_writes_trigger);
  options.level0_stop_writes_trigger =
      std::max(options.level0_slowdown_writes_trigger,
               options.level0_stop_writes_trigger);
  return options;
}

Status CheckOptions(const DBOptions& options,
                    const std::vector<ColumnFamilyDescriptor>& families) {
  if (options.max_open_files != -1 && options.max_open_files < 1) {
    return Status::InvalidArgument(
        "DBOptions::max_open_files",
        "it is " + std::to_string(options.max_open_files) +
            "; allowed are -1 (no limit) and 1 or more");
  }
  if (options.job_runner != nullptr && !options.job_runner->IsUsable()) {
    return Status::InvalidArgument(
        "DBOptions::job_runner",
        "its threads are in the process from which this one was forked; make "
        "one in this process");
  }
  std::set<std::string> names;
  for (const ColumnFamilyDescriptor& family : families) {
    if (!names.insert(family.name).second) {
      return Status::InvalidArgument("Column family named twice", family.name);
    }
    TAMIS_RETURN_IF_ERROR(CheckFamilyOptions(family.options));
  }
  if (!names.contains(kDefaultColumnFamilyName)) {
    return Status::InvalidArgument("Default column family not specified");
  }
  return Status::OK();
}

Status CheckFamilyOptions(const ColumnFamilyOptions& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("Options::comparator", "it is nullptr");
  }
  if (options.write_buffer_size == 0) {
    return Status::InvalidArgument("Options::write_buffer_size", "it is 0");
  }
  if (options.max_bytes_for_level_multiplier < 1) {
    return Status::InvalidArgument("Options::max_bytes_for_level_multiplier",
                                   "it is below 1");
  }
  if (!(options.memtable_prefix_bloom_size_ratio >= 0 &&
        options.memtable_prefix_bloom_size_ratio <= 0.25)) {
    return Status::InvalidArgument("Options::memtable_prefix_bloom_size_ratio",
                                   "it is not in [0, 0.25]");
  }
  if (!CompressionSupported(options.compression)) {
    return Status::NotSupported("Options::compression",
                                std::string("this build cannot write ") +
                                    CompressionTypeName(options.compression));
  }
  const TableFactory* factory = options.table_factory.get();
  const BlockBasedTableOptions table = factory != nullptr
                                           ? factory->block_based_options()
                                           : BlockBasedTableOptions();
  if (table.block_cache != nullptr) {
    const auto* const cache =
        dynamic_cast<const BlockCache*>(table.block_cache.get());
    if (cache == nullptr) {
      return Status::NotSupported("BlockBasedTableOptions::block_cache",
                                  "only a cache of NewLRUCache is accepted");
    }
    if (!cache->IsUsable()) {
      return Status::InvalidArgument(
          "BlockBasedTableOptions::block_cache",
          "it was made in the process from which this one was forked; make one "
          "in this process");
    }
  }
  TableBuildOptions build{KeyOrder(options.comparator)};
  build.table = table;
  build.compression = options.compression;
  build.file_name = "BlockBasedTableOptions";
  TAMIS_RETURN_IF_ERROR(CheckTableOptions(build));
  return PlanFilter(FilterBuildingContext(table), options.prefix_extractor)
      .status();
}

}  // namespace tamis
