// SPDX-License-Identifier: Apache-2.0
//
// Writes one table in one of RocksDB's formats: plain
// (plain_table_builder.h), cuckoo (cuckoo_table_builder.h), or block-based:
//
//   data block*                       each: payload | codec u8 | checksum u32
//   filter: full | block-based | partitions, their index
//   index partition*, index
//   range tombstones
//   properties
//   metaindex
//   footer
//
// FORMAT.md describes the bytes.
//
// Add fills data blocks. With helpers, another thread processes full ones
// (table_file_writer.h), and errors may appear a few blocks later.
//
// One thread. Calls: (Add | AddRangeDeletion)* (Finish | Abandon). Until then
// only the builder uses the file. It neither syncs nor closes the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/column_family_options.h"
#include "tamis/file_system.h"
#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/statistics.h"
#include "tamis/table.h"
#include "tamis/table_properties.h"

#include "table/internal_key.h"
#include "table/properties_collectors.h"
#include "util/jobs/ordered_pipeline.h"

namespace tamis {

class BlockCache;

struct TableBuildOptions {
  explicit TableBuildOptions(const KeyOrder& key_order) : order(key_order) {}

  KeyOrder order;
  BlockBasedTableOptions table;
  // The options of the format, unless that is block-based; at most one is set.
  std::optional<PlainTableOptions> plain;
  std::optional<CuckooTableOptions> cuckoo;
  // There will be calls of AddRangeDeletion: the table is block-based.
  bool has_range_deletions = false;
  CompressionType compression = kSnappyCompression;
  CompressionOptions compression_opts;  // parallel_threads is not used
  // The size at which the table will be ended; 0 if there is none. At most so
  // many bytes of data blocks wait in memory for a compression dictionary.
  uint64_t target_file_size = 0;
  // nullptr if filters contain whole keys only.
  std::shared_ptr<const SliceTransform> prefix_extractor;
  // The name of the family's merge operator.
  std::string merge_operator_name = "nullptr";
  // The level of the table; -1 if it has none.
  int level = -1;
  bool is_flush = false;
  // No deeper level overlaps the table.
  bool is_bottommost = false;
  // These two are as in FilterBuildingContext.
  uint64_t expected_keys = 0;
  std::function<std::vector<LevelShape>()> levels;
  // Omits the point filter, regardless of the policy. A range filter is written
  // all the same.
  bool skip_filters = false;
  // Marks the table as written by an SstFileWriter, for ingestion.
  bool is_external_file = false;
  Statistics* statistics = nullptr;
  uint64_t bytes_per_sync = 1 << 20;  // DBOptions::bytes_per_sync
  // The memory of filters under construction counts as usage of this cache,
  // which must outlive the builder (filter_memory.h). nullptr: of none.
  BlockCache* block_cache = nullptr;
  std::string file_name;  // for messages
  // Runs jobs that write blocks concurrently with the builder's thread. If it
  // is empty, that thread writes them. The bytes are the same.
  Helpers helpers;

  // The user's collectors of properties, and where their errors go.
  CollectorFactories collector_factories;
  Logger* logger = nullptr;

  // For the properties block.
  uint32_t column_family_id = 0x7fffffff;  // this value: unknown
  std::string column_family_name;
  uint64_t creation_time = 0;  // Unix seconds, like the two below
  uint64_t oldest_key_time = 0;
  uint64_t file_creation_time = 0;
  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;
  uint64_t file_number = 0;
};

// Sets `table`, `plain` and `cuckoo` of the options to those of the factory.
void SetFormat(const TableFactory& factory, TableBuildOptions* options);

// Returns InvalidArgument, which names the option, if plain or cuckoo tables
// cannot be made with these options. A TableBuilder requires that they can.
Status CheckFormat(const TableBuildOptions& options);

// Returns InvalidArgument, which names the option, if the options conflict.
// Does not check the filter's options, nor those of plain and cuckoo tables.
Status CheckTableOptions(const TableBuildOptions& options);

class TableBuilder {
 public:
  // `file` must outlive the builder. status() reports conflicting options, the
  // filter's too.
  TableBuilder(const TableBuildOptions& options, WritableFile* file);
  ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // Adds an entry. status() becomes Corruption if the key is not greater than
  // the previous one: entries may come from tables that are out of order
  // despite valid checksums. It becomes InvalidArgument if the entry exceeds 3
  // GiB. REQUIRES: an internal key of a type that data blocks store (checked).
  void Add(const Slice& internal_key, const Slice& value);

  // Deletes keys in [begin, end) with sequence numbers below `sequence`, in
  // other tables and in this one. Range deletions may come in any order, and
  // before, between and after the entries.
  void AddRangeDeletion(const Slice& begin, const Slice& end,
                        SequenceNumber sequence);

  // Returns the first error known so far; complete after Finish. After an
  // error, Add does nothing.
  Status status() const;
  bool ok() const;  // status().ok(), cheaper
  Status Finish();
  // Stops writing. On return no thread uses the file, which the caller should
  // remove.
  void Abandon();

  // Returns whether one of the user's collectors wants the table to be
  // compacted. REQUIRES: Finish returned.
  bool need_compaction() const;

  // Returns whether each key has one entry, a value, and there are no range
  // deletions: a compaction that nothing lies below would drop none of it.
  // REQUIRES: Finish returned.
  bool has_one_value_each() const;

  // Returns the last internal key added, or an empty Slice if there is none.
  // Valid until the next Add.
  Slice last_key() const;
  // Returns the number of entries, range deletions included.
  uint64_t NumEntries() const;
  // Returns the bytes of full blocks as written, plus an estimate for the open
  // one and for those that wait for a dictionary. Waits until other full blocks
  // are written.
  uint64_t EstimatedFileSize();
  // Returns EstimatedFileSize() >= file_size, but false while blocks wait for a
  // dictionary. Waits only if the sizes are close. The answer does not depend
  // on the progress of other threads.
  bool HasReached(uint64_t file_size);
  // Returns the exact size. REQUIRES: Finish was called.
  uint64_t FileSize() const;
  // Returns the properties as written. REQUIRES: Finish was called.
  const TableProperties& properties() const;
  // Returns the table's format, for LOG, and why it is not the one asked for.
  // REQUIRES: Finish was called.
  std::string DescribeFormat() const;
  // Returns which filters the table has, for LOG. REQUIRES: Finish was called.
  std::string DescribeFilters() const;
  // Returns why it has its point filter, or none, for LOG. REQUIRES: Finish was
  // called.
  const std::string& filter_reason() const;

  struct Rep;  // the writer of one format

 private:
  std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
