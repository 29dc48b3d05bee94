// SPDX-License-Identifier: Apache-2.0
//
// Tags speed up the search of a data block. They are derived when the block
// becomes resident, and stored in the side of its buffer. With them, a point
// read or a seek touches about three cache lines instead of scanning entries.
//
//   count u16 | prefix bytes u16 | slots at u16 | low bits u8 | parent bits u8
//   tag u8 * n | [prefix] | slot * n, aligned
//
//   tag     a byte of Hash64(user key)
//   prefix  the common prefix of all user keys of the block; if longer than 24
//           bytes it is not stored, but read from the first entry
//   slot    head | offset | parent, as one integer of 8 or 4 bytes (bit 7 of
//           low bits set), head highest. Offset and parent have the bits that
//           the block's largest ones need, together "low bits"; the head has
//           the rest
//   head    the bits of the user key after the prefix, big-endian, padded with
//           zeros: in bytewise order, slots ascend as integers
//   parent  distance, in entries, to the nearest earlier entry that shares
//           less. The bytes that an entry omits are found there, or in that
//           entry's parent, and so on up to an entry that shares nothing
//
// Tags and heads only select candidates. Before an entry counts as a match, all
// bytes of its key are compared: the prefix, the head, the entry's own bytes,
// and those in between through its parents.
//
// With 8-byte slots an entry costs 9 bytes: 8.6 % of a 4 KiB block of 36
// entries. With 4-byte slots, a block of 167 entries costs 22 %. A block gets
// short slots if long ones took more than 1/6 of it, and no tags if short ones
// took more than 1/4: tags of entries below about 20 bytes would displace other
// blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "table/block.h"
#include "table/internal_key.h"
#include "table/key_buffer.h"

namespace tamis {

// Returns the tag. It uses the upper half of the hash, since cache-local
// filters choose lines by the lower half.
inline uint8_t BlockTagOf(uint64_t hash) {
  return static_cast<uint8_t>(hash >> 32);
}

// Scans a block of internal keys with length-prefixed values. After the
// constructor, bytes() is known and Write can be called.
//
// One thread. On the stack only; about 10 KiB.
class BlockTagsBuilder {
 public:
  // A block with more entries gets no tags, since scanning them would be slow.
  static constexpr uint32_t kEntriesMax = 1024;
  static constexpr size_t kBlockBytesMax = 64 * 1024;

  // The block must outlive *this.
  explicit BlockTagsBuilder(const BlockParts& parts);
  BlockTagsBuilder(const BlockTagsBuilder&) = delete;
  BlockTagsBuilder& operator=(const BlockTagsBuilder&) = delete;

  // Returns the bytes that Write needs. Returns 0 if the block gets no tags: it
  // is empty or too large, has too many, too small or malformed entries, a
  // parent more than 255 entries away, or separate values. BlockIterator
  // reports malformed entries when it reaches them.
  size_t bytes() const { return bytes_; }
  // Writes the tags. REQUIRES: `side` has bytes() > 0 zeroed bytes, aligned to
  // 8.
  void Write(char* side) const;

 private:
  struct Entry {
    uint16_t offset;
    uint16_t rest;  // offset of the key bytes that are not shared
    uint16_t shared;
    uint16_t user_key_bytes;
    uint8_t tag;
    uint8_t parent;
  };

  bool Scan(const BlockParts& parts);
  // Finds the parent of entry i. Returns false if it is too far away.
  bool LinkParent(uint32_t i);
  // Updates the prefix after adding an entry that shares `shared` bytes.
  void NarrowPrefix(const Slice& user_key, size_t shared);
  void Plan(size_t block_bytes);

  const char* const data_;
  uint32_t count_ = 0;
  size_t prefix_bytes_ = 0;
  uint32_t parent_max_ = 0;
  size_t slots_at_ = 0;
  size_t slot_bytes_ = 0;
  size_t bytes_ = 0;
  Entry entries_[kEntriesMax];
};

// Reads tags and their block, which must outlive *this. The builder has
// validated both.
//
// A value type; const; any thread.
class BlockTags {
 public:
  struct Found {
    uint32_t index = 0;
    uint64_t tail = 0;  // sequence << 8 | type
    Slice value;
  };
  // The position of an iterator.
  struct Position {
    uint32_t offset = 0;  // of the entry
    uint32_t next = 0;    // of the next entry
    Slice key;            // internal key; in the block or in the buffer
    Slice value;
  };

  // REQUIRES: BlockTagsBuilder wrote `side` for `block`.
  BlockTags(const char* side, const Slice& block);

  // Prefetches what Find and LowerBound read first.
  static void Prefetch(const char* side);
  // Prefetch in steps, for lookups of several keys at once. Each step reads
  // what the previous one prefetched: the tags, then the slot, then the entry
  // that Find will read. The last two do nothing if no entry has the tag.
  static void PrefetchTags(const char* side) { __builtin_prefetch(side); }
  void PrefetchSlot(uint64_t hash) const;
  void PrefetchEntry(uint64_t hash) const;

  uint32_t count() const { return count_; }

  // Finds the newest visible version of the user key: its first entry with an
  // internal-key tail <= `tail`. Returns false if the block has none.
  // REQUIRES: hash == Hash64(user_key); order.equal_keys_have_equal_bytes()
  bool Find(const Slice& user_key, uint64_t hash, uint64_t tail,
            Found* found) const;

  // Returns the index of the first entry >= internal_key, or count() if there
  // is none. REQUIRES: bytewise order.
  uint32_t LowerBound(const Slice& internal_key) const;

  // Returns the position of an entry. Its Slices are valid as long as the
  // block; the key only until the buffer is reused. REQUIRES: index < count()
  Position At(uint32_t index, KeyBuffer* buffer) const;

 private:
  struct Entry {
    uint32_t shared;
    uint32_t non_shared;
    uint32_t value_bytes;
    const char* rest;

    uint32_t user_key_bytes() const {
      return shared + non_shared - static_cast<uint32_t>(kInternalKeyTailBytes);
    }
    Slice value() const { return {rest + non_shared, value_bytes}; }
  };

  bool is_long() const { return slot_bits_ == 64; }
  uint64_t SlotAt(uint32_t i) const {
    return is_long() ? DecodeFixed64(slots_ + i * sizeof(uint64_t))
                     : DecodeFixed32(slots_ + i * sizeof(uint32_t));
  }
  uint32_t OffsetIn(uint64_t slot) const {
    const uint64_t low = slot & ((uint64_t{1} << low_bits_) - 1);
    return static_cast<uint32_t>(low >> parent_bits_);
  }
  uint32_t ParentOf(uint32_t i, uint64_t slot) const {
    const uint64_t parent = slot & ((uint64_t{1} << parent_bits_) - 1);
    return i - static_cast<uint32_t>(parent);
  }
  uint32_t FirstMatch(uint64_t hash) const;
  Entry ReadEntry(uint64_t slot) const;
  const char* prefix() const;
  // Returns the number of bytes of a user key that prefix and head determine.
  uint32_t known_bytes() const {
    return prefix_bytes_ + (slot_bits_ - low_bits_) / 8;
  }
  // Returns the head of a user key. REQUIRES: user_key.size() >= prefix_bytes_.
  uint64_t HeadOf(const Slice& user_key) const;
  // Returns < 0, 0 or > 0 as entry i's user key is before, equal to or after
  // user_key.
  // REQUIRES: both have the prefix and equal heads.
  int CompareUserKey(uint32_t i, const Entry& entry,
                     const Slice& user_key) const;
  uint64_t TailOf(uint32_t i, const Entry& entry) const;
  // Copies bytes [begin, end) of entry i's internal key. REQUIRES: they exist.
  void CopyKeyBytes(uint32_t i, size_t begin, size_t end, char* out) const;
  // Returns the index of the first slot from `begin` on that is >= `bound`.
  uint32_t FirstSlotFrom(uint32_t begin, uint64_t bound) const;

  const char* const side_;
  const Slice block_;
  const uint32_t count_;
  const uint32_t prefix_bytes_;
  const uint32_t slot_bits_;
  const uint32_t low_bits_;
  const uint32_t parent_bits_;
  const char* const slots_;
};

}  // namespace tamis
