// SPDX-License-Identifier: Apache-2.0
//
// A TableReader reads one open table of any format (table_format.h); those that
// are not block-based as if they were (translated_table.h). Const and any
// thread. Must outlive its iterators.
//
// A point read (table_lookup.cc) takes these steps; either filter may end it:
//   filter: full or partition → index → filter: block-based → data block
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/file_system.h"
#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/table_properties.h"

#include "table/filter_counts.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/metadata_pins.h"
#include "table/point_read.h"
#include "table/range_tombstone.h"
#include "table/table_format.h"
#include "table/table_layout.h"
#include "util/base/result.h"
#include "util/cache/block_cache.h"
#include "util/io/read_context.h"

namespace tamis {

// The parameters of a TableReader besides the file.
struct TableContext {
  explicit TableContext(const KeyOrder& key_order) : order(key_order) {}

  KeyOrder order;
  std::string file_name;                    // for messages
  std::shared_ptr<BlockCache> block_cache;  // nullptr if no block is resident
  Statistics* statistics = nullptr;
  // Whether data blocks become resident in block_cache.
  bool cache_data_blocks = true;
  MetadataPins metadata_pins;
  // See BlockBasedTableOptions.
  uint64_t max_decompressed_block_bytes = kMaxUncompressedBytes;
  // The unique id (unique_id.h) that the MANIFEST records. Open compares it
  // with the properties', unless it is empty.
  std::string expected_unique_id;
  // Reads filters in a user's format. May be nullptr or a built-in policy:
  // built-in filters are read without a policy.
  std::shared_ptr<const FilterPolicy> filter_policy;
  // Leaves filters unread, so that none is probed and a damaged one is not an
  // error, except of VerifyChecksums.
  bool skip_filters = false;
  // Prefix filters are probed only if they were made with this extractor. If it
  // is nullptr, none is probed.
  std::shared_ptr<const SliceTransform> prefix_extractor;
  // The largest sequence number, from the MANIFEST. An ingested table that does
  // not record its sequence number gets this one. 0 if unknown.
  SequenceNumber largest_seqno = 0;
  // Counts what filters do for sampled seeks; nullptr: not counted.
  std::shared_ptr<FilterCounts> filter_counts;
};

class TableReader;

// A filter of a table: its point filter, or its range filter.
struct FilterDescription {
  std::string_view codec = "none";  // "unknown" if not built in
  uint64_t entries = 0;             // keys and prefixes of a point filter
  uint64_t bytes = 0;               // of all partitions, without their index
  double predicted_fpr = 1;         // see TableReader
};

// A table that may hold the key of a point read.
struct TableProbe {
  const TableReader* table;
  PointRead* read;
};

class TableReader {
 public:
  // Reads footer, metaindex, properties, index and filter; of a partitioned
  // index or filter, the top level and what is pinned. Returns Corruption if
  // one of them is malformed, NotSupported if the table needs a feature that
  // this build lacks, InvalidArgument if it was written with another
  // comparator. Errors name the file.
  static Result<std::unique_ptr<TableReader>> Open(
      std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
      const TableContext& context);
  ~TableReader();

  // The maximum number of probes of one MultiGet: enough to overlap their cache
  // misses.
  static constexpr size_t kProbesMax = 32;
  // Passes to each read the visible versions of its key that its table holds,
  // newest first, until no older one is needed. An unreadable table fails the
  // read. REQUIRES: at most kProbesMax probes, of distinct reads; CoverBy was
  // called for range tombstones over their keys, also those of these tables;
  // called within a Guard of the tables' epochs.
  static void MultiGet(std::span<const TableProbe> probes,
                       const ReadContext& context);
  // Does the same as MultiGet for one key; the caller needs no Guard.
  void Get(PointRead* read, const ReadContext& context) const;

  // Prefetches the bytes of the filter that a lookup of the key will probe, if
  // the filter holds whole keys and stays in memory with the table.
  void PrefetchFilter(const FilterKey& filter_key) const;

  std::unique_ptr<InternalIterator> NewIterator(
      const ReadContext& context) const;

  // Returns whether Get would search a data block for the key, for tools.
  // Returns true on an error.
  bool KeyMayMatch(const Slice& user_key, const ReadContext& context) const;

  // Returns the range tombstones in the order stored. RocksDB stores them in
  // call order, not sorted by `begin`. The caller applies them: iterators and
  // Get do not.
  Result<std::vector<RangeTombstone>> ReadRangeTombstones() const;

  // Reads every block from the file, not the cache, and verifies its checksum.
  Status VerifyChecksums() const;

  // Returns the expected false-positive rate of the point filter
  // (filter/filter_rate.h), and of the range filter, for ranges of one possible
  // key. Each is 1 if the table has no such filter, or if its format is
  // unknown. They read the whole filter from the file.
  Result<double> PredictedFpr() const;
  Result<double> PredictedRangeFpr() const;

  // Describe the filters. They read all of the filter, as the two above.
  Result<FilterDescription> DescribePointFilter() const;
  Result<FilterDescription> DescribeRangeFilter() const;

  // Returns the approximate file offset at which the key would be.
  uint64_t ApproximateOffsetOf(const Slice& internal_key) const;

  const std::shared_ptr<const TableProperties>& properties() const;
  // Returns the memory of the reader, and of its index and filter if these are
  // not blocks of the cache. The reader reserves it in the cache.
  size_t ApproximateMemoryUsage() const;

  // Returns the position of each part, for tools. Reads the whole index.
  Result<TableLayout> ReadLayout() const;

  // Returns the format of the file.
  TableFormat format() const;

 private:
  friend class TableCopy;
  friend class TableIterator;
  friend class TableLookup;
  friend class TableSalvage;
  struct Rep;
  explicit TableReader(std::unique_ptr<Rep> rep);
  // Opens a table whose format is not block-based.
  static Result<std::unique_ptr<TableReader>> OpenTranslated(
      std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
      TableFormat format, const TableContext& context);
  // Does the same as MultiGet for one probe.
  static void GetOne(const TableProbe& probe, const ReadContext& context);
  std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
