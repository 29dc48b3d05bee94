// SPDX-License-Identifier: Apache-2.0
#include "db/base/table_factory_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "filter/filter_placement.h"
#include "table/plain_table_index.h"
#include "table/table_builder.h"
#include "util/base/result.h"
#include "util/cache/block_cache.h"

namespace tamis {

namespace {

std::vector<CompressionType> CodecsOf(const ColumnFamilyOptions& options) {
  std::vector<CompressionType> codecs = options.compression_per_level;
  if (codecs.empty()) codecs.push_back(options.compression);
  if (options.bottommost_compression != kDisableCompressionOption) {
    codecs.push_back(options.bottommost_compression);
  }
  return codecs;
}

Status CheckCache(const BlockBasedTableOptions& table) {
  if (table.block_cache == nullptr) return Status::OK();
  const auto* const cache =
      dynamic_cast<const BlockCache*>(table.block_cache.get());
  if (cache == nullptr) {
    return Status::NotSupported(
        "BlockBasedTableOptions::block_cache",
        "only a cache that NewLRUCache created is accepted");
  }
  if (cache->IsUsable()) return Status::OK();
  return Status::InvalidArgument(
      "BlockBasedTableOptions::block_cache",
      "it was created in the process from which this one was forked; "
      "create one in this process");
}

Status CheckBlockBased(const ColumnFamilyOptions& options,
                       const BlockBasedTableOptions& table) {
  TAMIS_RETURN_IF_ERROR(CheckCache(table));
  TableBuildOptions build{KeyOrder(options.comparator)};
  build.table = table;
  build.file_name = "BlockBasedTableOptions";
  for (const CompressionType codec : CodecsOf(options)) {
    build.compression = codec;
    TAMIS_RETURN_IF_ERROR(CheckTableOptions(build));
  }
  return PlanFilter(FilterBuildingContext(table), options.prefix_extractor)
      .status();
}

// What a flush writes is one table. Headroom is left for the last entry, and
// for what records take beside keys and values.
Status CheckPlainTableBytes(const ColumnFamilyOptions& options) {
  constexpr uint64_t kFlushBytesMax = kPlainTableBytesMax / 2;
  const auto merged = static_cast<uint64_t>(
      std::max(options.min_write_buffer_number_to_merge, 1));
  if (options.write_buffer_size > kFlushBytesMax / merged) {
    return Status::InvalidArgument(
        "Options::write_buffer_size",
        "what is flushed at once must be less than 1 GiB: a plain table is at "
        "most 2 GiB");
  }
  if (options.target_file_size_base > kFlushBytesMax) {
    return Status::InvalidArgument(
        "Options::target_file_size_base",
        "it must be less than 1 GiB: a plain table is at most 2 GiB");
  }
  return Status::OK();
}

}  // namespace

Status CheckTableFactory(const ColumnFamilyOptions& options) {
  const TableFactory* factory = options.table_factory.get();
  if (factory == nullptr) {
    return CheckBlockBased(options, BlockBasedTableOptions());
  }
  TAMIS_RETURN_IF_ERROR(
      CheckBlockBased(options, factory->block_based_options()));
  TableBuildOptions build{KeyOrder(options.comparator)};
  SetFormat(*factory, &build);
  build.prefix_extractor = options.prefix_extractor;
  TAMIS_RETURN_IF_ERROR(CheckFormat(build));
  return build.plain ? CheckPlainTableBytes(options) : Status::OK();
}

}  // namespace tamis
