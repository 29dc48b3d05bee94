// SPDX-License-Identifier: Apache-2.0
//
// The members of a TableReader, for the files that implement it. table_open.cc
// and table_check.cc build a Rep. table_lookup.cc, table_reader.cc,
// table_iterator.cc, table_verify.cc and table_salvage.cc read through it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/filter_placement.h"
#include "table/block_fetcher.h"
#include "table/data_block_form.h"
#include "table/filter_loader.h"
#include "table/index_format.h"
#include "table/index_reader.h"
#include "table/key_filter.h"
#include "table/range_filter_reader.h"
#include "table/table_format.h"
#include "table/table_reader.h"

namespace tamis {

// Const once opened; any thread.
struct TableReader::Rep {
  Rep(std::unique_ptr<RandomAccessFile> table_file, uint64_t size,
      const TableContext& table_context, const Footer& table_footer)
      : context(table_context),
        file(std::move(table_file)),
        file_size(size),
        footer(table_footer),
        fetcher(file.get(), &context.file_name, size, table_footer) {
    fetcher.LimitBlocks(context.max_decompressed_block_bytes);
  }
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  BlockFormat data_format() const {
    return {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
            &context.order};
  }

  // Returns false if the table holds no key >= user_key with the prefix of
  // user_key; with a full filter, no smaller one either. Returns true if
  // unknown. Counts the probe. REQUIRES: called within a Guard of
  // fetcher.epochs().
  bool PrefixMayMatch(const Slice& user_key, const ReadContext& read) const;

  // Returns the context of the reads while the table is opened.
  ReadContext open_context() const {
    ReadContext read;
    read.statistics = context.statistics;
    return read;
  }
  // Returns the properties block. Accepts a checksum computed before ingestion
  // wrote the global sequence number into the block.
  Result<ByteBuffer> ReadPropertiesBlock(const BlockHandle& handle) const;
  Result<std::vector<RangeTombstone>> ReadRangeTombstones() const;

  // The steps of opening, in order (table_open.cc, table_check.cc).
  static Result<TableFormat> ReadFormat(const RandomAccessFile& file,
                                        uint64_t file_size);
  static Result<Footer> ReadFooter(const RandomAccessFile& file,
                                   uint64_t file_size,
                                   const std::string& file_name);
  Status ReadMetaindex();
  Status ReadDictionary();
  Status ReadProperties();
  Status FindGlobalSequence();
  Status CheckReadable() const;
  Status OpenIndex();
  Status OpenFilter();
  Status OpenRangeFilter();

  const TableContext context;
  const std::unique_ptr<RandomAccessFile> file;
  const uint64_t file_size;
  Footer footer;  // its index handle may come from the metaindex
  BlockFetcher fetcher;
  std::map<std::string, BlockHandle> metaindex;
  std::shared_ptr<const TableProperties> properties;
  // The sequence number of every entry; 0 if each entry has its own.
  SequenceNumber global_sequence = 0;
  const DataBlockForm data_form{&context.order};
  std::unique_ptr<const IndexFormat> index_format;
  std::unique_ptr<const IndexReader> index;
  // The loader is nullptr if the table has no filter. `filter` reads through
  // it, and is nullptr if the filter cannot be probed; VerifyChecksums then
  // still uses the loader.
  std::unique_ptr<const FilterLoader> filter_loader;
  std::optional<FilterLocator> filter_where;  // nullopt: no filter
  BlockHandle filter_handle;                  // of its block in the metaindex
  std::unique_ptr<const FilterBlockReader> filter;
  // Whether the filter may be probed for whole keys, and the extractor of the
  // prefixes that it may be probed for; nullptr if it may not be probed for
  // prefixes.
  bool filter_has_whole_keys = false;
  std::shared_ptr<const SliceTransform> filter_prefixes;
  KeyFilter::Of filter_of_keys() const {
    return {filter.get(), filter_has_whole_keys, filter_prefixes.get()};
  }
  // nullptr if the table has none, or if keys are not in bytewise order.
  std::unique_ptr<const RangeFilterReader> range_filter;
  // The range filter that lookups of keys probe, because no point filter can
  // be; nullptr if there is none.
  const RangeFilterReader* key_range_filter() const {
    return filter == nullptr ? range_filter.get() : nullptr;
  }
  // Whether SearchStored may search the data blocks.
  bool may_search_stored = false;
  // The format of the file, and the memory of its translation, if that is what
  // `file` is (translated_table.h).
  TableFormat format = TableFormat::kBlockBased;
  size_t translation_bytes = 0;
  // Of TableReader::ApproximateMemoryUsage(), in the block cache.
  BlockCache::Reservation reservation;
};

}  // namespace tamis
