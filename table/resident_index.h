// SPDX-License-Identifier: Apache-2.0
//
// A ResidentIndex is an index block in memory, decoded into arrays that a
// search reads with few cache misses. The slot beside each handle points to the
// block that the handle locates, while that block is resident.
//
//   side     [ header | heads | tops | entries | wides | rest ends ]
//   entry    [ slot | place: offset 37, size 23, head bytes 4 bits ]
//   wide     [ handle offset u64 | handle size u64 ]
//   payload  [ prefix | rest 0 | rest 1 | ... ]
//
// The user keys of all separators begin with the prefix. A head is the key head
// (util/coding/key_head.h) of what follows it, and the rest is what the head
// has no room for:
//
//   separator   prefix | head bytes, up to 8 | rest
//
// The tail of an internal key belongs to its rest.
// Most separators have no rest, and if all rests are equally long, there are no
// ends of rests. Heads decide most comparisons; equal heads require a full one.
// Only bytewise order has heads: in others all are 0, with 0 head bytes, and
// there is no prefix. The tops are copies of every 32nd head. A search of them
// determines the 32 heads to search, which are prefetched together.
//
// A handle that does not fit into a place is among the wide ones, and the
// place's offset is its number there.
//
// Make decodes and checks every entry, so that later reads need no checks.
// Immutable, except the slots; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/format.h"
#include "table/key_buffer.h"
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
  Result<PinnedBytes> Transform(const Slice& payload, ByteBuffer* memory,
                                const BlockHandle& handle,
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
  //
  // Returns the separator, assembled in *buffer.
  Slice separator(uint32_t i, KeyBuffer* buffer) const;
  BlockHandle handle(uint32_t i) const {
    const uint64_t place = entries()[i].place;
    const uint64_t size = place >> kSizeShift & kSizeMax;
    const uint64_t offset = place & kOffsetMax;
    if (size == kSizeMax) [[unlikely]]
      return wides()[offset];
    return {.offset = offset, .size = size};
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
  class Builder;
  struct Header {
    uint32_t count;
    uint32_t prefix_bytes;
    uint32_t rest_bytes;  // of each rest; kVaries if they differ
    uint32_t num_wide;
  };
  struct Entry {
    BlockSlot slot;
    uint64_t place;
  };

  static constexpr uint32_t kVaries = UINT32_MAX;
  static constexpr int kSizeShift = 37;
  static constexpr int kHeadBytesShift = 60;
  static constexpr uint64_t kOffsetMax = (uint64_t{1} << kSizeShift) - 1;
  static constexpr uint64_t kSizeMax =  // as a size: the handle is wide
      (uint64_t{1} << (kHeadBytesShift - kSizeShift)) - 1;
  static bool IsWide(const BlockHandle& handle) {
    return handle.offset > kOffsetMax || handle.size >= kSizeMax;
  }

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
  const BlockHandle* wides() const {
    return reinterpret_cast<const BlockHandle*>(entries() + header_->count);
  }
  const uint32_t* rest_ends() const {
    return reinterpret_cast<const uint32_t*>(wides() + header_->num_wide);
  }
  // Returns the rest of separator i, in the payload.
  Slice Rest(uint32_t i) const;
  uint32_t head_bytes(uint32_t i) const {
    return static_cast<uint32_t>(entries()[i].place >> kHeadBytesShift);
  }
  uint32_t FirstHeadAtLeast(uint64_t head) const;
  static Slice UserKeyOf(const BlockFormat& format, const Slice& key) {
    return format.keys == BlockFormat::Keys::kInternal ? ExtractUserKey(key)
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
