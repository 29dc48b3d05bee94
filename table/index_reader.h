// SPDX-License-Identifier: Apache-2.0
//
// An IndexReader holds the index of an open table; an IndexIterator searches
// it. The root is the whole index, or the top level of a two-level index, whose
// entries locate partitions. Root and partitions are in memory as
// ResidentIndexes (resident_index.h). Partitions are read on demand into the
// block cache, which may evict them unless they are pinned. The root stays in
// memory or is left to the cache too (root_block.h, metadata_pins.h).
//
// Threads: any for an IndexReader, which is const; one for an IndexIterator,
// which is on the stack of a point read or inside a table's iterator.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "table/block_fetcher.h"
#include "table/index_format.h"
#include "table/metadata_pins.h"
#include "table/resident_index.h"
#include "table/root_block.h"
#include "util/base/result.h"
#include "util/io/read_context.h"

namespace tamis {

class IndexReader {
 public:
  // Decodes `block`, the payload at the footer's index handle. Returns
  // Corruption if it is malformed. `context` is for reading pinned partitions.
  // `format` and `fetcher` must outlive the reader.
  static Result<std::unique_ptr<const IndexReader>> Open(
      const IndexFormat* format, ByteBuffer block, const BlockHandle& handle,
      const BlockFetcher* fetcher, const MetadataPins& pins,
      const ReadContext& context);
  // Evicts the blocks resident through the index. REQUIRES: no concurrent use.
  ~IndexReader();
  IndexReader(const IndexReader&) = delete;
  IndexReader& operator=(const IndexReader&) = delete;

  const IndexFormat& format() const { return format_; }
  size_t memory_usage() const { return root_.memory_usage(); }

 private:
  friend class IndexIterator;

  IndexReader(const IndexFormat* format, const BlockHandle& handle,
              const BlockFetcher* fetcher);
  const BlockFormat& root_format() const {
    return format_.two_level() ? format_.top_level() : format_.leaf();
  }

  const IndexFormat& format_;
  const BlockFetcher& fetcher_;
  const IndexNodeForm root_form_;
  const IndexNodeForm partition_form_;
  RootBlock root_;
  std::vector<PinnedBytes> pinned_;  // partitions
};

// Iterates over the data blocks of a table.
class IndexIterator {
 public:
  // How the iterator keeps its blocks valid: by the caller's Guard, which must
  // outlive the iterator, or by counted references.
  enum class Hold : uint8_t { kByGuard, kByCount };

  // Both must outlive *this.
  IndexIterator(const IndexReader* index, const ReadContext* context,
                Hold hold = Hold::kByCount);
  IndexIterator(const IndexIterator&) = delete;
  IndexIterator& operator=(const IndexIterator&) = delete;

  bool Valid() const { return at_ < leaf_count_; }
  const Status& status() const { return status_; }

  void SeekToFirst();
  void SeekToLast();
  // Moves to the first block whose separator is >= internal_key: the only one
  // that can contain that key.
  void Seek(const Slice& internal_key);
  // REQUIRES: Valid(), for all below.
  void Next();
  void Prev();
  BlockHandle handle() const { return leaf_.handle(at_); }
  // Returns the location and slot of the data block, for the fetcher.
  BlockPlace place() const { return leaf_.place(at_); }
  // Prefetches the memory that place() reads.
  void PrefetchPlace() const { leaf_.Prefetch(at_); }
  // Returns a user key or an internal key, as IndexFormat::user_keys() says,
  // assembled in *buffer.
  Slice separator(KeyBuffer* buffer) const {
    return leaf_.separator(at_, buffer);
  }
  // Returns the handle of the current partition. REQUIRES: a two-level index.
  BlockHandle partition() const { return top_.handle(top_at_); }

 private:
  // Loads the root. Returns false on an error.
  bool OpenRoot();
  // Opens partition i of a two-level index, or else the root itself. Returns
  // false if there is none, or on an error. REQUIRES: OpenRoot() returned true.
  bool OpenLeaf(uint32_t i);
  void Close() {
    at_ = 0;
    leaf_count_ = 0;
  }
  bool two_level() const { return index_->format().two_level(); }
  // Returns the domain to enter while a block is loaded; nullptr if there is
  // none.
  EpochDomain* epochs() const {
    return hold_ == Hold::kByCount ? index_->fetcher_.epochs() : nullptr;
  }

  const IndexReader* const index_;
  const ReadContext* const context_;
  const Hold hold_;
  uint32_t at_ = 0;  // in leaf_
  uint32_t leaf_count_ = 0;
  uint32_t top_at_ = 0;
  ResidentIndex top_;  // two-level: the root
  ResidentIndex leaf_;
  PinnedBytes root_;       // the root, if RootBlock does not keep it
  PinnedBytes partition_;  // two-level: the reference to leaf_
  Status status_;
};

}  // namespace tamis
