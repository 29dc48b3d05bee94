// SPDX-License-Identifier: Apache-2.0
//
// The index of an open table: one node (resident_index.h), or the top level of
// a two-level index, whose entries lead to partitions. These are nodes of the
// same kind, and come and go through the block cache; so may the first one
// (root_block.h).
//
// IndexReader: const and any thread. IndexIterator: one thread, on the stack
// of a point read or inside a table's iterator.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "table/block_fetcher.h"
#include "table/index_format.h"
#include "table/resident_index.h"
#include "table/root_block.h"
#include "util/base/result.h"
#include "util/io/read_context.h"

namespace tamis {

class IndexReader {
 public:
  // `block`: what the footer's index handle points to. `format` and `fetcher`
  // outlive the reader.
  static Result<std::unique_ptr<const IndexReader>> Open(
      const IndexFormat* format, ByteBuffer block, const BlockHandle& handle,
      const BlockFetcher* fetcher, bool leave_to_cache);
  // Nobody uses it any more: drops what is resident through it.
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
};

// Iterates over the data blocks of a table.
class IndexIterator {
 public:
  // What keeps the current index nodes valid: the caller's Guard, which must
  // outlive the iterator, or references of the iterator's own.
  enum class Hold : uint8_t { kByGuard, kByCount };

  // Both outlive *this.
  IndexIterator(const IndexReader* index, const ReadContext* context,
                Hold hold = Hold::kByCount);
  IndexIterator(const IndexIterator&) = delete;
  IndexIterator& operator=(const IndexIterator&) = delete;

  bool Valid() const { return at_ < leaf_count_; }
  const Status& status() const { return status_; }

  void SeekToFirst();
  void SeekToLast();
  // The first block whose separator is at or behind the internal key: the only
  // one the key can be in.
  void Seek(const Slice& internal_key);
  // REQUIRES: Valid(), for all below
  void Next();
  void Prev();
  BlockHandle handle() const { return leaf_.handle(at_); }
  // Of the data block, for the fetcher.
  BlockPlace place() const { return leaf_.place(at_); }
  // Begins to fetch what place() reads.
  void PrefetchPlace() const { leaf_.Prefetch(at_); }
  // A user key or an internal key, by the index format.
  Slice separator() const { return leaf_.separator(at_); }
  // Two-level: the partition that contains separator().
  BlockHandle partition() const { return top_.handle(top_at_); }

 private:
  // Brings the root in. False: an error.
  bool OpenRoot();
  // Opens partition i of a two-level index, or the only one there is of the
  // other. False: there is none, or an error. REQUIRES: OpenRoot()
  bool OpenLeaf(uint32_t i);
  void Close() {
    at_ = 0;
    leaf_count_ = 0;
  }
  bool two_level() const { return index_->format().two_level(); }
  // Of the domain to enter while a node is fetched.
  EpochDomain* epochs() const {
    return hold_ == Hold::kByCount ? index_->fetcher_.epochs() : nullptr;
  }

  const IndexReader* const index_;
  const ReadContext* const context_;
  const Hold hold_;
  uint32_t at_ = 0;  // in leaf_
  uint32_t leaf_count_ = 0;
  uint32_t top_at_ = 0;
  ResidentIndex top_;  // two-level: of the root
  ResidentIndex leaf_;
  PinnedBytes root_;       // that of the root, where it is not kept
  PinnedBytes partition_;  // two-level: that of leaf_
  Status status_;
};

}  // namespace tamis
