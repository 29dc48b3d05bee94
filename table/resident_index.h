// SPDX-License-Identifier: Apache-2.0
//
// An index block in memory: not the block but what it says, in arrays that a
// search goes through with few cache misses, and beside each handle the slot
// through which the block it leads to is resident.
//
//   side     [ count | prefix | heads u64[count] | tops u64[] | entries[count]
//   ] entry    [ handle offset u64 | handle size u64 | slot | key end u32 ]
//   payload  [ separator 0 | separator 1 | ... ]      whole, one by one
//
// A head is the eight bytes of the separator's user key behind what all of them
// begin with, as a big-endian number; shorter ones are filled up with zeros. It
// decides most comparisons; where two heads are equal the keys decide. Only in
// bytewise order: in others all heads are 0. Every 32nd head is a top: a search
// ends among 32 heads, whose four lines it prefetches together.
//
// Made once, with every entry checked; from then on nothing in it can be wrong.
// Immutable, except the slots; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/format.h"
#include "util/base/result.h"
#include "util/cache/block_buffer.h"
#include "util/cache/block_cache.h"

namespace tamis {

// Makes index blocks into nodes.
class IndexNodeForm final : public BlockForm {
 public:
  // Both outlive *this.
  IndexNodeForm(const BlockFormat* format, const std::string* file_name)
      : format_(*format), file_name_(*file_name) {}
  Result<PinnedBytes> Transform(ByteBuffer payload, const BlockHandle& handle,
                                bool stays, BlockPool* pool) const override;

 private:
  const BlockFormat& format_;
  const std::string& file_name_;
};

// A view of a node that Make made. Copy freely; lives no longer than the node.
class ResidentIndex {
 public:
  // The node, with one reference, of an index block with such entries.
  // Corruption names file and offset; so does one whose separators do not
  // ascend.
  static Result<PinnedBytes> Make(const Slice& block, const BlockFormat& format,
                                  const BlockOrigin& origin);

  ResidentIndex() = default;
  ResidentIndex(const BlockBuffer* node, const BlockFormat& format)
      : node_(node),
        header_(reinterpret_cast<const Header*>(node->side())),
        format_(&format) {}

  uint32_t count() const { return header_->count; }
  // The first entry whose separator is at or behind the target, a key of the
  // format's kind; count(): there is none.
  uint32_t LowerBound(const Slice& target) const;

  // REQUIRES: i < count(), for all below.
  Slice separator(uint32_t i) const {
    const uint32_t begin = i == 0 ? 0 : entries()[i - 1].key_end;
    return {node_->bytes().data() + begin, entries()[i].key_end - begin};
  }
  BlockHandle handle(uint32_t i) const {
    return {.offset = entries()[i].offset, .size = entries()[i].size};
  }
  // Of the block it leads to, for the fetcher.
  BlockPlace place(uint32_t i) const { return {handle(i), slot(i), node_}; }
  // Begins to fetch what place() reads.
  void Prefetch(uint32_t i) const { __builtin_prefetch(entries() + i); }
  BlockSlot* slot(uint32_t i) const { return &mutable_entries()[i].slot; }

  // nullptr: a view of nothing.
  const BlockBuffer* node() const { return node_; }
  // Of all that it leads to, nothing is resident any more.
  // REQUIRES: nobody uses it, and that has no resident children.
  void DropResident(BlockCache* cache) const {
    for (uint32_t i = 0; i < count(); ++i) cache->Drop(slot(i));
  }

 private:
  struct Header {
    uint32_t count;
    uint32_t prefix_bytes;  // that the user keys of all separators begin with
    uint64_t unused;        // what follows is aligned to 16
  };
  struct Entry {
    uint64_t offset;
    uint64_t size;
    BlockSlot slot;
    uint32_t key_end;  // in the payload
  };

  static constexpr uint32_t kHeadsPerTop = 32;
  static uint32_t TopsOf(uint32_t count) {
    return (count + kHeadsPerTop - 1) / kHeadsPerTop;
  }

  const uint64_t* heads() const {
    return reinterpret_cast<const uint64_t*>(header_ + 1);
  }
  const uint64_t* tops() const { return heads() + header_->count; }
  const Entry* entries() const {
    return reinterpret_cast<const Entry*>(tops() + TopsOf(header_->count));
  }
  Entry* mutable_entries() const { return const_cast<Entry*>(entries()); }
  uint32_t FirstHeadAtLeast(uint64_t head) const;
  Slice UserKeyOf(const Slice& key) const {
    return format_->keys == BlockFormat::Keys::kInternal ? ExtractUserKey(key)
                                                         : key;
  }
  int Compare(const Slice& a, const Slice& b) const {
    return format_->keys == BlockFormat::Keys::kInternal
               ? format_->order->Compare(a, b)
               : format_->order->CompareUserKeys(a, b);
  }

  const BlockBuffer* node_ = nullptr;
  const Header* header_ = nullptr;
  const BlockFormat* format_ = nullptr;
};

}  // namespace tamis
