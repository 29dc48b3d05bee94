// SPDX-License-Identifier: Apache-2.0
//
// Holds the first data blocks of a table until they are enough to make the
// compression dictionary from:
//
//   blocks ──Add──▶ | 1 | 2 | 3 | ... | IsFull(), or the end of the table
//                     │       │
//                     samples, evenly spread ──▶ MakeDictionary
//
// The dictionary depends on the blocks and the options alone.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "table/table_builder.h"
#include "util/base/byte_buffer.h"
#include "util/cache/block_cache.h"
#include "util/compression/dictionary.h"

namespace tamis {

// A full data block.
struct RawDataBlock {
  ByteBuffer bytes;     // uncompressed
  ByteBuffer last_key;  // of its entries
  ByteBuffer next_key;  // of the next entry; empty at the end
};

class DictionaryBuffer {
 public:
  // Returns whether tables with these options have a dictionary.
  static bool IsNeeded(const TableBuildOptions& options);

  // `options` must outlive *this. Charges the memory of the blocks to the block
  // cache of the options.
  explicit DictionaryBuffer(const TableBuildOptions& options);

  // Copies the block.
  void Add(const RawDataBlock& block);
  // Returns whether the table's further blocks need not wait.
  bool IsFull() const { return bytes_ >= bytes_max_; }
  // Returns the bytes of the blocks that wait.
  uint64_t bytes() const { return bytes_; }

  // Returns the dictionary, or nullptr if there is none that could be of use.
  // REQUIRES: no block was taken.
  std::unique_ptr<CompressionDictionary> MakeDictionary() const;
  // Removes the first block and stores it to *block. Returns false if there is
  // none.
  bool Take(RawDataBlock* block);

 private:
  void Charge();
  DictionarySamples Sample(uint64_t bytes_max) const;

  const TableBuildOptions& options_;
  const uint64_t bytes_max_;
  std::deque<RawDataBlock> blocks_;
  uint64_t bytes_ = 0;
  BlockCache::Reservation reservation_;
};

}  // namespace tamis
