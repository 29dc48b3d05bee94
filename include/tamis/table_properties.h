// SPDX-License-Identifier: Apache-2.0
//
// The contents of a table's properties block, under RocksDB's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "tamis/export.h"

namespace tamis {

struct TAMIS_EXPORT TableProperties {
  // Bytes of data blocks, trailers included; of the index, uncompressed, and of
  // the top-level index of a two-level one; of filters, including range filters
  // and the index of partitions.
  uint64_t data_size = 0;
  uint64_t index_size = 0;
  uint64_t top_level_index_size = 0;
  uint64_t filter_size = 0;

  // How the index is stored: index_type is a BlockBasedTableOptions::IndexType,
  // index_partitions 0 unless it is two-level. Its keys may be without the 8
  // bytes that an internal key has, and its handles differences.
  uint32_t index_type = 0;
  uint64_t index_partitions = 0;
  bool index_key_is_user_key = false;
  bool index_value_is_delta_encoded = false;

  // Sums over the entries: of internal keys (user key + 8 bytes), of values.
  uint64_t raw_key_size = 0;
  uint64_t raw_value_size = 0;

  // How many there are. Entries and deletions include range deletions; what a
  // filter has was counted after adjacent duplicates were dropped.
  uint64_t num_data_blocks = 0;
  uint64_t num_entries = 0;
  uint64_t num_filter_entries = 0;
  uint64_t num_deletions = 0;
  uint64_t num_merge_operands = 0;
  uint64_t num_range_deletions = 0;

  // BlockBasedTableOptions::format_version. 0 of a table whose keys have
  // different lengths. The offset of what follows the data blocks.
  uint64_t format_version = 0;
  uint64_t fixed_key_len = 0;
  uint64_t tail_start_offset = 0;

  // Whether the filter has whole keys, and prefixes.
  bool whole_key_filtering = true;
  bool prefix_filtering = true;

  // Unix seconds; 0: unknown. creation_time is that of the oldest data which
  // was merged into the table.
  uint64_t creation_time = 0;
  uint64_t oldest_key_time = 0;
  uint64_t file_creation_time = 0;

  // Where the table comes from: the family that it was written for (this
  // value: unknown), the number that the file had then, and the database, its
  // opening and its machine.
  uint64_t column_family_id = 0x7fffffff;
  std::string column_family_name;
  uint64_t orig_file_number = 0;
  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;

  // The names of what it was written with. Empty, or "nullptr", if none.
  std::string filter_policy_name;
  std::string comparator_name;
  std::string merge_operator_name;
  std::string prefix_extractor_name;
  std::string property_collectors_names;
  std::string compression_name;
  std::string compression_options;

  // All other properties: raw value by name.
  std::map<std::string, std::string> user_collected_properties;
  // What collectors say for people (table_properties_collector.h). Not stored:
  // empty if the table was read.
  std::map<std::string, std::string> readable_properties;

  // Returns "name<key_value>value<separator>..." for humans.
  std::string ToString(const std::string& separator = "; ",
                       const std::string& key_value = "=") const;
  // Returns about how many bytes of memory the object takes, with what its
  // members allocate.
  size_t ApproximateMemoryUsage() const;
};

// Keyed by file name.
using TablePropertiesCollection =
    std::unordered_map<std::string, std::shared_ptr<const TableProperties>>;

}  // namespace tamis
