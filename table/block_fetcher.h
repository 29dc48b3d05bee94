// SPDX-License-Identifier: Apache-2.0
//
// A BlockFetcher returns blocks of one open table. If a block is not resident
// in the cache, the fetcher reads it from the file, verifies its checksum and
// uncompresses it. Every read of a table's blocks goes through here and is
// counted here.
//
// Const and any thread, once the table is open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tamis/file_system.h"

#include "table/format.h"
#include "util/base/byte_buffer.h"
#include "util/base/result.h"
#include "util/cache/block_buffer.h"
#include "util/cache/block_cache.h"
#include "util/compression/compression.h"
#include "util/io/read_context.h"
#include "util/io/readahead_window.h"

namespace tamis {

enum class BlockKind : uint8_t {
  kData,
  kIndex,
  kFilter,
  kMeta,  // metaindex, properties: never resident
};

// Turns a block that was read into a node (util/cache/block_buffer.h): the
// block with derived data in the side, or a decoded form instead of the block.
class BlockForm {
 public:
  virtual ~BlockForm() = default;
  // stays: the node will be kept, and should be allocated in `pool` unless that
  // is nullptr. Otherwise it is read once, so derived data may be omitted.
  // Corruption names file and offset.
  virtual Result<PinnedBytes> Transform(ByteBuffer payload,
                                        const BlockHandle& handle, bool stays,
                                        BlockPool* pool) const = 0;
};

// The location of a block in the file, and the slot for it in memory.
struct BlockPlace {
  BlockHandle handle;
  BlockSlot* slot = nullptr;            // nullptr: the block is never resident
  const BlockBuffer* parent = nullptr;  // the node whose side holds the slot
};

class BlockFetcher {
 public:
  // `file` and `file_name` must outlive *this.
  BlockFetcher(const RandomAccessFile* file, const std::string* file_name,
               uint64_t file_size, const Footer& footer)
      : file_(file),
        file_name_(file_name),
        file_size_(file_size),
        footer_(footer),
        // Until UseRocksDbPayloads is called: LevelDB may compress even the
        // metaindex, RocksDB never does.
        form_(footer.format_version == 0
                  ? PayloadForm::kLevelDB
                  : PayloadFormOf(footer.format_version)) {}

  // For files of RocksDB: those whose metaindex names properties.
  void UseRocksDbPayloads() { form_ = PayloadFormOf(footer_.format_version); }
  // Sets BlockBasedTableOptions::max_decompressed_block_bytes.
  void LimitBlocks(uint64_t bytes) { max_block_bytes_ = bytes; }
  // The dictionary that data blocks were compressed with.
  void UseDictionary(
      std::unique_ptr<const UncompressionDictionary> dictionary) {
    dictionary_ = std::move(dictionary);
  }

  // From now on, blocks with slots become resident in `cache`.
  void UseCache(std::shared_ptr<BlockCache> cache, bool cache_data_blocks);
  BlockCache* cache() const { return cache_.get(); }
  // The cache's domain; nullptr: no cache.
  EpochDomain* epochs() const {
    return cache_ != nullptr ? cache_->epochs() : nullptr;
  }

  // Returns the block as `form` makes it; nullptr: the uncompressed payload. A
  // resident block is lent, valid until the caller's Guard ends. Incomplete: it
  // is not resident, and the context's tier excludes reading the file.
  // Corruption names file and offset.
  // REQUIRES: called within a Guard of epochs(); each slot always with the same
  // form.
  Result<PinnedBytes> Fetch(const BlockPlace& place, BlockKind kind,
                            const BlockForm* form,
                            const ReadContext& context) const;

  // Turns a payload into the block that Fetch returns.
  static Result<PinnedBytes> MakeBlock(ByteBuffer payload,
                                       const BlockHandle& handle,
                                       const BlockForm* form, bool stays,
                                       BlockPool* pool);

  // Reads the payload from the file and uncompresses it.
  Result<ByteBuffer> Read(const BlockHandle& handle, BlockKind kind,
                          const ReadContext& context) const;

  // The steps of Read, for a caller that changes bytes in between. ReadStored
  // returns payload and trailer as stored; CompareChecksum is OK if the table
  // has no checksums. window: what a scan prefetched; nullptr: nothing.
  Result<ByteBuffer> ReadStored(const BlockHandle& handle, BlockKind kind,
                                ReadaheadWindow* window = nullptr) const;
  Status CompareChecksum(const BlockHandle& handle, const Slice& stored) const;
  Result<ByteBuffer> Unpack(const BlockHandle& handle, BlockKind kind,
                            ByteBuffer stored,
                            const ReadContext& context) const;

  const std::string* file_name() const { return file_name_; }

 private:
  std::string Where(const BlockHandle& handle) const;

  const RandomAccessFile* const file_;
  const std::string* const file_name_;
  const uint64_t file_size_;
  const Footer footer_;
  PayloadForm form_;
  uint64_t max_block_bytes_ = kMaxUncompressedBytes;
  std::unique_ptr<const UncompressionDictionary> dictionary_;
  std::shared_ptr<BlockCache> cache_;
  bool cache_data_blocks_ = false;
};

}  // namespace tamis
