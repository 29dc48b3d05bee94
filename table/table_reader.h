// SPDX-License-Identifier: Apache-2.0
//
// One open table. Const and any thread; outlives its iterators.
//
// A point read goes: filter (whole table or partition) → index → filter of the
// block (block-based only) → data block (table_lookup.cc). The filter always
// comes before the data block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tamis/file_system.h"
#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/table_properties.h"

#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/point_read.h"
#include "table/range_tombstone.h"
#include "table/table_layout.h"
#include "util/base/result.h"
#include "util/cache/block_cache.h"
#include "util/io/read_context.h"

namespace tamis {

// What a table needs to know of its surroundings.
struct TableContext {
  explicit TableContext(const KeyOrder& key_order) : order(key_order) {}

  KeyOrder order;
  std::string file_name;                    // for messages
  std::shared_ptr<BlockCache> block_cache;  // nullptr: blocks stay nowhere
  Statistics* statistics = nullptr;
  // Whether data blocks go into block_cache too.
  bool cache_data_blocks = true;
  // Whether the cache decides over the whole index and filter, too; else they
  // stay in memory with the table.
  bool cache_index_and_filter_blocks = false;
  // See BlockBasedTableOptions.
  uint64_t max_decompressed_block_bytes = kMaxUncompressedBytes;
  // From the MANIFEST, when the table is part of a database: compared with
  // what the properties say. Empty: not compared.
  std::string expected_unique_id;
  // Reads the filters that the user's own policy made. nullptr: there is none,
  // or it is one of ours, which reading does not need.
  std::shared_ptr<const FilterPolicy> filter_policy;
  // Prefix filters made with this extractor may be probed. nullptr: none is.
  std::shared_ptr<const SliceTransform> prefix_extractor;
  // From the MANIFEST: the sequence that a table was ingested at, when that is
  // not in the table itself. 0: unknown, or the table was not ingested.
  SequenceNumber largest_seqno = 0;
};

class TableReader;

// A key to be looked up in a table that may hold it.
struct TableProbe {
  const TableReader* table;
  PointRead* read;
};

class TableReader {
 public:
  // Reads footer, metaindex, properties, index and (full or block-based)
  // filter. Corruption and NotSupported name the file and the offset.
  static Result<std::unique_ptr<TableReader>> Open(
      std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
      const TableContext& context);
  ~TableReader();

  // The most that one MultiGet takes: enough to overlap their waits for memory.
  static constexpr size_t kProbesMax = 32;
  // Passes to each read the visible versions of its key that its table holds,
  // newest first, until no older one is needed. A table that cannot be read
  // fails the read. REQUIRES: the reads are distinct and know of the range
  // tombstones over their keys, those of these tables too; within a Guard of
  // the tables' epochs.
  static void MultiGet(std::span<const TableProbe> probes,
                       const ReadContext& context);
  // The same for one key, within a Guard of its own.
  void Get(PointRead* read, const ReadContext& context) const;

  // Begins to fetch what a lookup of the key probes in the filter, where that
  // lies in memory with the table.
  void PrefetchFilter(const FilterKey& filter_key) const;

  std::unique_ptr<InternalIterator> NewIterator(
      const ReadContext& context) const;

  // Whether Get would look into a data block for the key. For tools.
  bool KeyMayMatch(const Slice& user_key, const ReadContext& context) const;

  // As they stand in the table, which need not be by begin: RocksDB writes them
  // in the order of the calls. Whoever shows entries of the table to a user
  // applies them; iterators and Get do not.
  Result<std::vector<RangeTombstone>> ReadRangeTombstones() const;

  // Reads every block of the file, from the file, and compares its checksum.
  Status VerifyChecksums() const;

  // About how far into the file the key would stand.
  uint64_t ApproximateOffsetOf(const Slice& internal_key) const;

  const std::shared_ptr<const TableProperties>& properties() const;
  // Memory of index and filter that are not accounted in the cache.
  size_t ApproximateMemoryUsage() const;

  // For tools: the position of each part. Reads the metaindex and the index.
  Result<TableLayout> ReadLayout() const;

 private:
  friend class TableIterator;
  friend class TableLookup;
  friend class TableSalvage;
  struct Rep;
  explicit TableReader(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
