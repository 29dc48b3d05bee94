// SPDX-License-Identifier: Apache-2.0
//
// A BlockFetcher returns blocks of one open table. If a block is not resident
// in the cache, the fetcher reads it from the file, verifies its checksum and
// uncompresses it. Every read of a table's blocks goes through here and is
// counted here.
//
//   index, filter   become resident
//   data            become resident if the cache admits them; otherwise the
//                   reader gets the stored bytes, in memory of its own, and
//                   uncompresses as much of them as it needs
//   meta            never become resident
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
#include "util/coding/hash.h"
#include "util/compression/compression.h"
#include "util/compression/step_decoder.h"
#include "util/io/read_context.h"
#include "util/io/readahead_window.h"

namespace tamis {

enum class BlockKind : uint8_t {
  kData,
  kIndex,
  kFilter,
  kMeta,  // metaindex, properties, ...; never resident
};

// Returns what the cache counts a block as.
inline CacheRole RoleOf(BlockKind kind) {
  switch (kind) {
    case BlockKind::kData:
      return CacheRole::kDataBlock;
    case BlockKind::kIndex:
      return CacheRole::kIndexBlock;
    case BlockKind::kFilter:
      return CacheRole::kFilterBlock;
    case BlockKind::kMeta:
      break;
  }
  return CacheRole::kOtherBlock;
}

// Makes the in-memory form of a block that was read, a node. A node is a
// BlockBuffer (util/cache/block_buffer.h) with the block's bytes and derived
// data in its side, or with a decoded form of the block. Const; any thread.
class BlockForm {
 public:
  virtual ~BlockForm() = default;
  // Returns the node, allocated in `pool` if the form suits it and `pool` is
  // not nullptr. `memory` is nullptr, or holds the payload and nothing else;
  // the form may move from it instead of copying. Keeps no other reference to
  // `payload`. Corruption names file and offset.
  virtual Result<PinnedBytes> Transform(const Slice& payload,
                                        ByteBuffer* memory,
                                        const BlockHandle& handle,
                                        BlockPool* pool) const = 0;
};

// The location of a block in the file, and the slot that points to it in
// memory.
struct BlockPlace {
  BlockHandle handle;
  BlockSlot* slot = nullptr;            // nullptr if it is never resident
  const BlockBuffer* parent = nullptr;  // the node whose side holds the slot
};

// A block as the file stores it, without its trailer.
struct StoredPayload {
  Slice bytes;
  CompressionType codec = kNoCompression;
};

// The memory of a reader for stored and uncompressed blocks, which it reuses.
// Each read overwrites the block that the previous one returned. One thread.
struct BlockScratch {
  ByteBuffer stored;
  ByteBuffer uncompressed;
};

// The read of a data block that StartData began.
struct StartedBlock {
  FSReadRequest request;
  ByteBuffer memory;
};

class BlockFetcher {
 public:
  // The result of ReadData: `block` if the cache admits the block, otherwise
  // `stored`, and `block` has no buffer. If the cache has no place for a block
  // that it admits, `block` is the caller's alone and not resident.
  struct DataBlock {
    PinnedBytes block;
    StoredPayload stored;

    bool has_block() const { return block.buffer() != nullptr; }
  };

  // `file` and `file_name` must outlive *this.
  BlockFetcher(const RandomAccessFile* file, const std::string* file_name,
               uint64_t file_size, const Footer& footer)
      : file_(file),
        file_name_(file_name),
        file_size_(file_size),
        recency_key_(Hash64(*file_name)),
        footer_(footer),
        // Before the metaindex is read, version 0 may be LevelDB's or
        // RocksDB's. LevelDB may compress even the metaindex, RocksDB never
        // does.
        form_(footer.format_version == 0
                  ? PayloadForm::kLevelDB
                  : PayloadFormOf(footer.format_version)) {}

  // Reads from another file with the same bytes from now on. It must outlive
  // *this, or the next call.
  void ReadFrom(const RandomAccessFile* file) { file_ = file; }
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
  // Returns its bytes, empty if there is none.
  size_t dictionary_memory_usage() const {
    return dictionary_ == nullptr ? 0 : dictionary_->memory_usage();
  }
  Slice dictionary() const {
    return dictionary_ == nullptr ? Slice() : dictionary_->raw();
  }

  // Makes blocks with slots resident in `cache` from now on; data blocks only
  // if cache_data_blocks. Others get the priority.
  void UseCache(std::shared_ptr<BlockCache> cache, bool cache_data_blocks,
                CachePriority metadata_priority);
  BlockCache* cache() const { return cache_.get(); }
  // Returns the cache's domain, or nullptr if there is no cache.
  EpochDomain* epochs() const {
    return cache_ != nullptr ? cache_->epochs() : nullptr;
  }

  // Returns the node that `form` makes of an index or filter block, or the
  // uncompressed payload if `form` is nullptr. A resident block is lent, and
  // valid until the caller's Guard ends. Returns Incomplete if the block is not
  // resident and the context's tier excludes reading the file. Corruption names
  // file and offset.
  // REQUIRES: called within a Guard of epochs(); each slot always with the same
  // form.
  Result<PinnedBytes> Fetch(const BlockPlace& place, BlockKind kind,
                            const BlockForm* form,
                            const ReadContext& context) const;

  // FindData and ReadData return a data block in two steps, with the errors and
  // requirements of Fetch.
  //
  // FindData returns the block, lent, if it is resident. Otherwise returns a
  // PinnedBytes without a buffer, and the caller calls ReadData.
  PinnedBytes FindData(const BlockPlace& place,
                       const ReadContext& context) const;
  // Reads the block from the file and verifies its checksum, unless
  // context.verify_checksums is false. If the cache admits the block, returns
  // the node that `form` makes of it. Otherwise returns the stored payload,
  // valid until `scratch` or the context's window is used again.
  // If `started` is not nullptr, it has the block's bytes already.
  Result<DataBlock> ReadData(const BlockPlace& place, const BlockForm& form,
                             const ReadContext& context, BlockScratch* scratch,
                             const StartedBlock* started = nullptr) const;
  // Begins to read a data block for ReadData, so that several are read at the
  // same time. Reads at once what the file returns at once.
  enum class Started : uint8_t {
    kAlone,    // nothing was begun: ReadData reads it, or reports why not
    kDone,     // ReadData may be called with *started
    kUnderWay  // the same, after reads->Finish(&started->request); until then
               // *started stays as it is
  };
  Started StartData(const BlockPlace& place, const ReadContext& context,
                    StartedBlock* started, AsyncReads* reads) const;
  // Begins to decode a data block that ReadData returned as stored, into
  // *memory. Returns false if it cannot be decoded in steps because it is not
  // compressed, has a codec other than snappy and lz4, was compressed with a
  // dictionary, or has a malformed length.
  bool StartSteps(const StoredPayload& stored, StepDecoder* decoder,
                  ByteBuffer* memory) const;

  // Makes a node resident, and returns a pin on it, as BlockCache::Insert does.
  // REQUIRES: there is a cache.
  PinnedBytes Insert(const BlockPlace& place, BlockKind kind,
                     PinnedBytes block) const;

  // Returns the node that Fetch returns for this payload.
  static Result<PinnedBytes> MakeBlock(ByteBuffer payload,
                                       const BlockHandle& handle,
                                       const BlockForm* form, BlockPool* pool);

  // Reads the payload from the file, verifies its checksum unless
  // context.verify_checksums is false, and uncompresses it.
  Result<ByteBuffer> Read(const BlockHandle& handle, BlockKind kind,
                          const ReadContext& context) const;

  // ReadStored, CompareChecksum and Unpack are the steps of Read, for a caller
  // that changes bytes in between or reuses the memory.
  //
  // ReadStored returns payload and trailer as stored. They are read through
  // `window` if it is not nullptr. The result is in *memory, in the window
  // (valid until the window is used again) or in memory of the file.
  Result<Slice> ReadStored(const BlockHandle& handle, BlockKind kind,
                           ReadaheadWindow* window, ByteBuffer* memory,
                           Statistics* statistics = nullptr) const;
  // Returns Corruption if the checksum is wrong, and OK if the table has no
  // checksums.
  Status CompareChecksum(const BlockHandle& handle, const Slice& stored) const;
  // Returns the uncompressed payload: stored.bytes if it is not compressed,
  // otherwise bytes in *memory. REQUIRES: stored.bytes is not in *memory
  Result<Slice> Unpack(const BlockHandle& handle, BlockKind kind,
                       const StoredPayload& stored, const ReadContext& context,
                       ByteBuffer* memory) const;
  // Replaces *out by the uncompressed payload, and so copies one that is not
  // compressed. REQUIRES: stored.bytes is not in *out
  Status UnpackOwned(const BlockHandle& handle, BlockKind kind,
                     const StoredPayload& stored, const ReadContext& context,
                     ByteBuffer* out) const;
  // Splits the result of ReadStored into payload and codec. REQUIRES: `stored`
  // has a trailer.
  static StoredPayload PayloadOf(const Slice& stored);

  const std::string* file_name() const { return file_name_; }

 private:
  std::string Where(const BlockHandle& handle) const;
  bool KeepsData(const BlockPlace& place) const {
    return place.slot != nullptr && cache_ != nullptr && cache_data_blocks_;
  }
  // Returns the block, lent, if it is resident, otherwise a PinnedBytes without
  // a buffer. Counts a hit or a miss. REQUIRES: slot and cache are not nullptr
  PinnedBytes FindResident(const BlockPlace& place, BlockKind kind,
                           const ReadContext& context) const;
  // Returns the stored payload, after verifying its checksum unless
  // context.verify_checksums is false. Reads it if `started` is nullptr.
  Result<StoredPayload> ReadPayload(
      const BlockHandle& handle, BlockKind kind, const ReadContext& context,
      ByteBuffer* memory, const StartedBlock* started = nullptr) const;
  // Counts a read and returns Corruption if it is too short.
  Status CheckRead(const BlockHandle& handle, BlockKind kind,
                   const Slice& got) const;
  // Returns the payload and trailer that were read.
  Result<Slice> BytesOf(const BlockHandle& handle,
                        const StartedBlock& started) const;
  // Returns Incomplete if read_tier allows no reads of files, and TimedOut
  // after the deadline.
  Status CheckMayRead(const BlockHandle& handle,
                      const ReadContext& context) const;
  // Returns when context.limits' rate_limiter, if any, has granted the block's
  // bytes, then what CheckMayRead returns.
  Status AwaitRate(const BlockHandle& handle, const ReadContext& context) const;
  // Returns TimedOut if a read that began at `start` took longer than
  // io_timeout.
  Status CheckReadTime(const BlockHandle& handle, const ReadLimits& limits,
                       uint64_t start) const;
  // Returns whether a data block that was read should become resident.
  bool Admits(const BlockPlace& place, const ReadContext& context) const;
  // Does the same as Insert, and counts the block.
  PinnedBytes MakeResident(const BlockPlace& place, BlockKind kind,
                           PinnedBytes block, const ReadContext& context) const;

  const RandomAccessFile* file_;
  const std::string* const file_name_;
  const uint64_t file_size_;
  // Names the file to BlockCache::RecordRead. The hash of the name and not an
  // address, so that equal histories have equal reads, and a file that is
  // opened again is the same file.
  const uint64_t recency_key_;
  const Footer footer_;
  PayloadForm form_;
  uint64_t max_block_bytes_ = kMaxUncompressedBytes;
  std::unique_ptr<const UncompressionDictionary> dictionary_;
  std::shared_ptr<BlockCache> cache_;
  bool cache_data_blocks_ = false;
  CachePriority metadata_priority_ = CachePriority::kLow;
};

}  // namespace tamis
