// SPDX-License-Identifier: Apache-2.0
//
// What an open table consists of. Shared by the files that implement
// TableReader: table_open.cc and table_check.cc make it, table_reader.cc reads
// through it, table_verify.cc reads all of it.
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

  // The one place that finds the data block of an index entry; lent.
  // REQUIRES: within a Guard of fetcher.epochs().
  Result<PinnedBytes> FindDataBlock(const IndexIterator& entry,
                                    const ReadContext& read) const {
    return fetcher.Fetch(entry.place(), BlockKind::kData, &data_form, read);
  }
  BlockFormat data_format() const {
    return {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
            &context.order};
  }

  // Whether the table may hold a key with the prefix of this one, at or behind
  // this one's place. Of keys before it, only an unsplit filter knows. True
  // when nothing can be said. Counts the probes.
  // REQUIRES: within a Guard of fetcher.epochs().
  bool PrefixMayMatch(const Slice& user_key, const ReadContext& read) const;

  // How opening itself reads.
  ReadContext open_context() const {
    ReadContext read;
    read.statistics = context.statistics;
    return read;
  }
  // The properties block, whether or not its global sequence was put in place
  // since its checksum was.
  Result<ByteBuffer> ReadPropertiesBlock(const BlockHandle& handle) const;
  Result<std::vector<RangeTombstone>> ReadRangeTombstones() const;

  // The steps of opening, in order (table_open.cc, table_check.cc).
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

  const TableContext context;
  const std::unique_ptr<RandomAccessFile> file;
  const uint64_t file_size;
  Footer footer;  // with the index handle, wherever that stood
  BlockFetcher fetcher;
  std::map<std::string, BlockHandle> metaindex;
  std::shared_ptr<const TableProperties> properties;
  // Every entry is read as if of this sequence; 0: of its own.
  SequenceNumber global_sequence = 0;
  const DataBlockForm data_form{&context.order};
  std::unique_ptr<const IndexFormat> index_format;
  std::unique_ptr<const IndexReader> index;
  // Both or neither. The loader may be there alone, for VerifyChecksums.
  std::unique_ptr<const FilterLoader> filter_loader;
  std::unique_ptr<const FilterBlockReader> filter;
  // What the filter may be probed for: whole keys; prefixes, by the extractor
  // they were made with (part of `context`; nullptr: no prefixes).
  bool filter_has_whole_keys = false;
  const SliceTransform* filter_prefixes = nullptr;
};

}  // namespace tamis
