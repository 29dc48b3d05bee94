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
  kMeta,  // metaindex, properties, ...; never resident
};

// Makes the in-memory form of a block that was read, a node. A node is a
// BlockBuffer (util/cache/block_buffer.h) with the block's bytes and derived
// data in its side, or with a decoded form of the block. Const; any thread.
class BlockForm {
 public:
  virtual ~BlockForm() = default;
  // Returns the node. `stays` tells that it will be kept: it then has derived
  // data, and should be allocated in `pool`, unless that is nullptr. Otherwise
  // it is read once. Corruption names file and offset.
  virtual Result<PinnedBytes> Transform(ByteBuffer payload,
                                        const BlockHandle& handle, bool stays,
                                        BlockPool* pool) const = 0;
};

// The location of a block in the file, and the slot that points to it in
// memory.
struct BlockPlace {
  BlockHandle handle;
  BlockSlot* slot = nullptr;            // nullptr if it is never resident
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
        // Before the metaindex is read, version 0 may be LevelDB's or
        // RocksDB's. LevelDB may compress even the metaindex, RocksDB never
        // does.
        form_(footer.format_version == 0
                  ? PayloadForm::kLevelDB
                  : PayloadFormOf(footer.format_version)) {}

  // Reads payloads in RocksDB's form. Call it if the metaindex names
  // properties, since only RocksDB's tables have them.
  void UseRocksDbPayloads() { form_ = PayloadFormOf(footer_.format_version); }
  // Sets BlockBasedTableOptions::max_decompressed_block_bytes.
  void LimitBlocks(uint64_t bytes) { max_block_bytes_ = bytes; }
  // Sets the dictionary that data blocks were compressed with.
  void UseDictionary(
      std::unique_ptr<const UncompressionDictionary> dictionary) {
    dictionary_ = std::move(dictionary);
  }

  // Makes blocks with slots resident in `cache` from now on; data blocks only
  // if cache_data_blocks.
  void UseCache(std::shared_ptr<BlockCache> cache, bool cache_data_blocks);
  BlockCache* cache() const { return cache_.get(); }
  // Returns the cache's domain, or nullptr if there is no cache.
  EpochDomain* epochs() const {
    return cache_ != nullptr ? cache_->epochs() : nullptr;
  }

  // Returns the node that `form` makes of the block, or the uncompressed
  // payload if `form` is nullptr. A resident block is lent, and valid until the
  // caller's Guard ends. Returns Incomplete if the block is not resident and
  // the context's tier excludes reading the file. Corruption names file and
  // offset.
  // REQUIRES: called within a Guard of epochs(); each slot always with the same
  // form.
  Result<PinnedBytes> Fetch(const BlockPlace& place, BlockKind kind,
                            const BlockForm* form,
                            const ReadContext& context) const;

  // Makes of a payload the node that Fetch returns.
  static Result<PinnedBytes> MakeBlock(ByteBuffer payload,
                                       const BlockHandle& handle,
                                       const BlockForm* form, bool stays,
                                       BlockPool* pool);

  // Reads the payload from the file and uncompresses it.
  Result<ByteBuffer> Read(const BlockHandle& handle, BlockKind kind,
                          const ReadContext& context) const;

  // The steps of Read, for a caller that changes bytes in between. ReadStored
  // returns payload and trailer as stored, through `window` if it is not
  // nullptr. CompareChecksum returns Corruption if the checksum is wrong, and
  // OK if the table has no checksums. Unpack returns the uncompressed payload.
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
