// SPDX-License-Identifier: Apache-2.0
//
// Brings one block of an open table into memory: from the cache when it is
// resident there, else from the file, with its checksum compared and its codec
// undone. Everything that is read of a table's blocks comes through here, and
// is counted here.
//
// Const and any thread.
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

// What a block becomes when it is brought into memory: bytes derived from it
// stand in the side of its node (util/cache/block_buffer.h), or the node holds
// something else than the block.
class BlockForm {
 public:
  virtual ~BlockForm() = default;
  // stays: it is to become resident, in the pool if there is one; else it is
  // read once, and what does not pay may be left out. Corruption names file and
  // offset.
  virtual Result<PinnedBytes> Transform(ByteBuffer payload,
                                        const BlockHandle& handle, bool stays,
                                        BlockPool* pool) const = 0;
};

// Where a block is, and where it is kept when it is resident.
struct BlockPlace {
  BlockHandle handle;
  BlockSlot* slot = nullptr;            // nullptr: it is never resident
  const BlockBuffer* parent = nullptr;  // whose side holds the slot
};

class BlockFetcher {
 public:
  // `file` and `file_name` outlive *this.
  BlockFetcher(const RandomAccessFile* file, const std::string* file_name,
               uint64_t file_size, const Footer& footer)
      : file_(file),
        file_name_(file_name),
        file_size_(file_size),
        footer_(footer),
        // Until UseRocksDbPayloads says better: LevelDB may compress the
        // metaindex itself, RocksDB never does.
        form_(footer.format_version == 0
                  ? PayloadForm::kLevelDB
                  : PayloadFormOf(footer.format_version)) {}

  // The file is RocksDB's own: its metaindex names properties.
  void UseRocksDbPayloads() { form_ = PayloadFormOf(footer_.format_version); }
  // What a compressed block may hold at most: see
  // BlockBasedTableOptions::max_decompressed_block_bytes.
  void LimitBlocks(uint64_t bytes) { max_block_bytes_ = bytes; }
  // Data blocks were compressed against this.
  void UseDictionary(
      std::unique_ptr<const UncompressionDictionary> dictionary) {
    dictionary_ = std::move(dictionary);
  }

  // From now on blocks that have slots are kept in `cache`.
  void UseCache(std::shared_ptr<BlockCache> cache, bool cache_data_blocks);
  BlockCache* cache() const { return cache_.get(); }
  // Of the cache; nullptr: there is none.
  EpochDomain* epochs() const {
    return cache_ != nullptr ? cache_->epochs() : nullptr;
  }

  // The block, uncompressed and in the form; nullptr: as it is. What is
  // resident is lent while the caller's Guard lasts. Incomplete when it is not
  // resident and the context allows no more; Corruption names file and offset.
  // REQUIRES: within a Guard of epochs(); the same form every time.
  Result<PinnedBytes> Fetch(const BlockPlace& place, BlockKind kind,
                            const BlockForm* form,
                            const ReadContext& context) const;

  // What Fetch makes of a payload.
  static Result<PinnedBytes> MakeBlock(ByteBuffer payload,
                                       const BlockHandle& handle,
                                       const BlockForm* form, bool stays,
                                       BlockPool* pool);

  // The payload, uncompressed, from the file.
  Result<ByteBuffer> Read(const BlockHandle& handle, BlockKind kind,
                          const ReadContext& context) const;

  // The steps of Read, for a caller that has to mend bytes in between: payload
  // and trailer as they stand in the file, whether their checksum is right (it
  // always is when the table has none), and the uncompressed payload.
  // window: what a scan has read ahead; nullptr: nothing.
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
