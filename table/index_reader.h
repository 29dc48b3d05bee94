// SPDX-License-Identifier: Apache-2.0
//
// The index of an open table: the index block, or the top level of a two-level
// one, stays in memory; partitions come through the block fetcher.
//
// IndexReader: const and any thread. IndexIterator: one thread, on the stack
// of a point read or inside a table's iterator.
#pragma once

#include <cstddef>

#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/index_format.h"
#include "util/read_context.h"
#include "util/result.h"

namespace tamis {

class IndexReader {
 public:
  // `block`: what the footer's index handle points to. `fetcher` outlives
  // *this.
  IndexReader(const IndexFormat& format, PinnedBytes block, uint64_t offset,
              const BlockFetcher* fetcher)
      : format_(format),
        block_(std::move(block)),
        offset_(offset),
        fetcher_(fetcher) {}

  const IndexFormat& format() const { return format_; }
  size_t memory_usage() const { return block_.bytes().size(); }

 private:
  friend class IndexIterator;

  const IndexFormat format_;
  const PinnedBytes block_;
  const uint64_t offset_;
  const BlockFetcher* const fetcher_;
};

// A walk over the data blocks of a table.
class IndexIterator {
 public:
  // Both outlive *this.
  IndexIterator(const IndexReader* index, const ReadContext* context);
  IndexIterator(const IndexIterator&) = delete;
  IndexIterator& operator=(const IndexIterator&) = delete;

  bool Valid() const { return valid_; }
  const Status& status() const { return status_; }

  void SeekToFirst();
  void SeekToLast();
  // The first block whose separator is at or behind the internal key: the only
  // one the key can be in.
  void Seek(const Slice& internal_key);
  // REQUIRES: Valid(), for all below
  void Next();
  void Prev();
  const BlockHandle& handle() const { return handle_; }
  // A user key or an internal key, by the index format.
  Slice separator() const { return leaf_.key(); }
  // Two-level: where the partition that separator() stands in is.
  const BlockHandle& partition() const { return partition_; }

 private:
  // Opens the partition that top_ stands at. False: at the end, or an error.
  bool OpenPartition();
  // Reads off what leaf_ stands at.
  void Settle();
  // Moves on to the partitions behind (before) while leaf_ is at its end.
  void SkipForward();
  void SkipBackward();
  void Fail(Status status);

  const IndexReader* const index_;
  const ReadContext* const context_;
  bool valid_ = false;
  BlockHandle handle_;
  BlockHandle partition_;
  Status status_;
  BlockIterator leaf_;
  BlockIterator top_;  // two-level only
};

}  // namespace tamis
