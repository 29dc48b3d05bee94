// SPDX-License-Identifier: Apache-2.0
//
// The index of an open table: one resident node (resident_index.h), or the top
// level of a two-level index, whose entries lead to partitions. These are nodes
// of the same kind, and come and go through the block cache.
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
#include "util/read_context.h"
#include "util/result.h"

namespace tamis {

class IndexReader {
 public:
  // `block`: what the footer's index handle points to. `format` and `fetcher`
  // outlive the reader.
  static Result<std::unique_ptr<const IndexReader>> Open(
      const IndexFormat* format, const Slice& block, uint64_t offset,
      const BlockFetcher* fetcher);
  // Nobody uses it any more: drops what is resident through it.
  ~IndexReader();
  IndexReader(const IndexReader&) = delete;
  IndexReader& operator=(const IndexReader&) = delete;

  const IndexFormat& format() const { return format_; }
  size_t memory_usage() const { return root_.buffer()->charge(); }

 private:
  friend class IndexIterator;

  // Makes partitions into nodes.
  class PartitionForm final : public BlockForm {
   public:
    explicit PartitionForm(const IndexReader* index) : index_(*index) {}
    Result<PinnedBytes> Make(std::string payload, const BlockHandle& handle,
                             bool /*stays*/,
                             BlockPool* /*pool*/) const override {
      return ResidentIndex::Make(payload, index_.format_.leaf(),
                                 {index_.fetcher_->file_name(), handle.offset});
    }

   private:
    const IndexReader& index_;
  };

  IndexReader(const IndexFormat* format, PinnedBytes root,
              const BlockFetcher* fetcher)
      : format_(*format),
        root_(std::move(root)),
        root_index_(root_.buffer(), root_format()),
        fetcher_(fetcher) {}
  const BlockFormat& root_format() const {
    return format_.two_level() ? format_.top_level() : format_.leaf();
  }

  const IndexFormat& format_;
  const PinnedBytes root_;
  const ResidentIndex root_index_;
  const BlockFetcher* const fetcher_;
  const PartitionForm partition_form_{this};
};

// A walk over the data blocks of a table.
class IndexIterator {
 public:
  // How the partition it stands in is held: by the Guard of whoever made it,
  // who lets go of both together; or by itself.
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
  BlockPlace place() const {
    return {leaf_.handle(at_), leaf_.slot(at_), leaf_.node()};
  }
  // Begins to fetch what place() reads.
  void PrefetchPlace() const { leaf_.Prefetch(at_); }
  // A user key or an internal key, by the index format.
  Slice separator() const { return leaf_.separator(at_); }
  // Two-level: where the partition that separator() stands in is.
  BlockHandle partition() const { return index_->root_index_.handle(top_at_); }

 private:
  // Opens partition i of a two-level index, or the only one there is of the
  // other. False: there is none, or an error.
  bool OpenLeaf(uint32_t i);
  void Close() {
    at_ = 0;
    leaf_count_ = 0;
  }
  bool two_level() const { return index_->format().two_level(); }

  const IndexReader* const index_;
  const ReadContext* const context_;
  const Hold hold_;
  uint32_t at_ = 0;  // in leaf_
  uint32_t leaf_count_ = 0;
  uint32_t top_at_ = 0;
  ResidentIndex leaf_;
  PinnedBytes partition_;  // two-level: that of leaf_
  Status status_;
};

}  // namespace tamis
