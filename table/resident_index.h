// SPDX-License-Identifier: Apache-2.0
//
// A ResidentIndex is an index block in memory, decoded into arrays that a
// search reads with few cache misses. The slot beside each handle points to the
// block that the handle locates, while that block is resident.
//
//   side     [ count | prefix bytes | head * count | top * n | entry * count ]
//   entry    [ handle offset u64 | handle size u64 | slot | key end u32 ]
//   payload  [ separator 0 | separator 1 | ... ]    each one complete
//
// A head is the key head (util/coding/key_head.h) of a separator's user key
// after the prefix that all separators share. Heads decide most comparisons;
// equal heads require a full one. Only bytewise order has heads: in others all
// are 0. The tops are copies of every 32nd head. A search of them determines
// the 32 heads to search, which are prefetched together.
//
// Make decodes and checks every entry, so that later reads need no checks.
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

// Makes ResidentIndex nodes, on the heap, of index blocks. Const; any thread.
class IndexNodeForm final : public BlockForm {
 public:
  // Both must outlive *this.
  IndexNodeForm(const BlockFormat* format, const std::string* file_name)
      : format_(*format), file_name_(*file_name) {}
  Result<PinnedBytes> Transform(const Slice& payload, const BlockHandle& handle,
                                BlockPool* pool) const override;

 private:
  const BlockFormat& format_;
  const std::string& file_name_;
};

// A view of a node that Make returned, and that must outlive the view. A value
// type.
class ResidentIndex {
 public:
  // Returns a node for the index block `block`, with one reference. Corruption
  // names file and offset. Does not check the order of the separators.
  static Result<PinnedBytes> Make(const Slice& block, const BlockFormat& format,
                                  const BlockOrigin& origin);

  ResidentIndex() = default;
  ResidentIndex(const BlockBuffer* node, const BlockFormat& format)
      : node_(node),
        header_(reinterpret_cast<const Header*>(node->side())),
        format_(&format) {}

  uint32_t count() const { return header_->count; }
  // Returns the first entry whose separator is >= target; count() if there is
  // none. `target` is an internal key or a user key, as BlockFormat::keys says.
  uint32_t LowerBound(const Slice& target) const;

  // REQUIRES: i < count(), for all below.
  Slice separator(uint32_t i) const {
    const uint32_t begin = i == 0 ? 0 : entries()[i - 1].key_end;
    return {node_->bytes().data() + begin, entries()[i].key_end - begin};
  }
  BlockHandle handle(uint32_t i) const {
    return {.offset = entries()[i].offset, .size = entries()[i].size};
  }
  // Returns the location and slot of entry i's block, for the fetcher.
  BlockPlace place(uint32_t i) const { return {handle(i), slot(i), node_}; }
  // Prefetches the memory that place() reads.
  void Prefetch(uint32_t i) const { __builtin_prefetch(entries() + i); }
  BlockSlot* slot(uint32_t i) const { return &mutable_entries()[i].slot; }

  // Returns nullptr if *this was default-constructed.
  const BlockBuffer* node() const { return node_; }
  // Evicts every block resident through the slots.
  // REQUIRES: no concurrent use; those blocks have no resident children.
  void DropResident(BlockCache* cache) const {
    for (uint32_t i = 0; i < count(); ++i) cache->Drop(slot(i));
  }

 private:
  struct Header {
    uint32_t count;
    uint32_t prefix_bytes;  // shared by the user keys of all separators
    uint64_t unused;        // aligns the heads to 16
  };
  struct Entry {
    uint64_t offset;
    uint64_t size;
    BlockSlot slot;
    uint32_t key_end;  // end of the separator in the payload
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
