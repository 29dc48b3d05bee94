// SPDX-License-Identifier: Apache-2.0
//
// Reads the parts of a table file outside any database, for tools, even if the
// engine would reject the table. Facts such as the comparator come from the
// file.
//
// One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tamis/file_system.h"
#include "tamis/table_properties.h"

#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/format.h"
#include "table/index_format.h"
#include "table/internal_key.h"
#include "table/table_format.h"
#include "util/base/result.h"

namespace tamis {

class RawTable {
 public:
  struct MetaBlock {
    std::string name;
    BlockHandle handle;
  };

  // What follows a block's payload.
  struct Trailer {
    uint8_t codec = 0;
    uint32_t checksum = 0;  // as stored
  };

  // Reads footer, metaindex and properties only.
  static Result<std::unique_ptr<RawTable>> Open(const std::string& path);
  RawTable(const RawTable&) = delete;
  RawTable& operator=(const RawTable&) = delete;

  const std::string& path() const { return path_; }
  // Of a table in another format, offsets and sizes are those of its
  // translation (table/translated_table.h), as is all that follows.
  TableFormat format() const { return format_; }
  uint64_t size_bytes() const { return size_; }
  const Footer& footer() const { return footer_; }
  const std::vector<MetaBlock>& metaindex() const { return metaindex_; }
  const TableProperties& properties() const { return properties_; }
  // The properties as stored, by name; of LevelDB's tables none.
  const std::map<std::string, std::string>& stored_properties() const {
    return stored_properties_;
  }
  const IndexFormat& index_format() const { return *index_format_; }

  Result<PinnedBytes> ReadBlock(const BlockHandle& handle,
                                BlockKind kind) const;
  // Compares no checksum.
  Result<Trailer> ReadTrailer(const BlockHandle& handle) const;
  // Reads `bytes` at `offset` as they are stored.
  Result<std::string> ReadBytes(uint64_t offset, size_t bytes) const;
  // Calls take(entry) for each entry of the block in order.
  using EntryVisitor = std::function<Status(const BlockIterator& entry)>;
  Status ForEachEntry(const BlockHandle& handle, BlockKind kind,
                      const BlockFormat& format,
                      const EntryVisitor& take) const;
  // Calls take(user key of the separator, handle) for each data block in order.
  using IndexVisitor =
      std::function<Status(const Slice& user_key, const BlockHandle& handle)>;
  Status ForEachDataBlock(const IndexVisitor& take) const;

  // Calls take(internal key, value) for each entry of the data blocks, starting
  // at user key `from` (empty: the first), until it returns false. Corruption:
  // keys do not ascend.
  using RowVisitor =
      std::function<bool(const Slice& internal_key, const Slice& value)>;
  Status ForEachRow(const Slice& from, const RowVisitor& take) const;

  // Reads every block and verifies its checksum; checks the order of entries.
  // Sets *entries to the number of entries in data blocks.
  Status Verify(uint64_t* entries) const;

  // NotSupported: the file's comparator is not built in.
  Status OrderIsKnown() const;
  const KeyOrder& order() const { return order_; }

 private:
  explicit RawTable(std::string path);
  Status ReadTail();
  Status Translate();
  Status ReadMetaindex();
  Status UseMetaindex();
  Status ReadProperties();
  // *more becomes false if `take` returned false.
  Status ForEachRowOf(const BlockHandle& block, const Slice& from,
                      const RowVisitor& take, std::string* previous,
                      bool* more) const;

  const std::string path_;
  std::shared_ptr<FileSystem> fs_;
  TableFormat format_ = TableFormat::kBlockBased;
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t size_ = 0;
  Footer footer_;
  std::unique_ptr<BlockFetcher> fetcher_;
  std::vector<MetaBlock> metaindex_;
  TableProperties properties_;
  std::map<std::string, std::string> stored_properties_;
  KeyOrder order_;
  std::unique_ptr<IndexFormat> index_format_;
};

}  // namespace tamis
