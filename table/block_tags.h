// SPDX-License-Identifier: Apache-2.0
//
// The tags of a data block: what is derived from it once, when it becomes
// resident, and stands beside it, so that a point read or a seek touches three
// cache lines instead of walking over entries.
//
//   count u16 | prefix bytes u16 | slots at u16 | low bits u8 | parent bits u8
//   tag u8 * n | [prefix] | slot * n, aligned
//
//   tag     a byte of Hash64(user key)
//   prefix  the bytes that all user keys of the block begin with; where they
//           are more than 24, the first entry's are meant instead
//   slot    head | offset | parent, as one integer of 8 or 4 bytes (bit 7 of
//           low bits set), head highest; offset and parent have as many bits
//           as the block's largest ones need, together the low bits, and the
//           head has the others
//   head    the bits of the user key behind the prefix, big-endian, with zeros
//           behind its end: slots of bytewise order ascend as integers
//   parent  how many entries back the nearest one stands that shares less; the
//           bytes of a key that its entry leaves out stand there, and in that
//           one's parent, and so on until one shares nothing
//
// A tag or a head proves nothing. An entry is taken for a key's only after all
// bytes of the key were compared: the prefix, the head, the entry's own, and
// what is between through its parents.
//
// With slots of 8 bytes an entry costs 9: 8.6 % of a block of 4 KiB and 36
// entries; in one of 167, 22 % with slots of 4. Slots are short where long ones
// were more than a sixth of the block. Where also these are more than a quarter
// it has no tags: entries under some 20 bytes would take the memory of others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "table/block.h"
#include "table/internal_key.h"
#include "table/key_buffer.h"

namespace tamis {

// The filters' cache lines are chosen by the other half of the hash.
inline uint8_t BlockTagOf(uint64_t hash) {
  return static_cast<uint8_t>(hash >> 32);
}

// One walk over a block of internal keys with length-prefixed values; then
// bytes() is known and the tags can be written.
//
// One thread; stack only: it takes some 10 KiB.
class BlockTagsBuilder {
 public:
  // Beyond, the tags of a block are themselves many to look through.
  static constexpr uint32_t kEntriesMax = 1024;
  static constexpr size_t kBlockBytesMax = 64 * 1024;

  // The block outlives *this.
  explicit BlockTagsBuilder(const BlockParts& parts);
  BlockTagsBuilder(const BlockTagsBuilder&) = delete;
  BlockTagsBuilder& operator=(const BlockTagsBuilder&) = delete;

  // What Write takes. 0: the block gets no tags. It is empty or too large, its
  // entries too many or too small, its values stand apart; or it is malformed,
  // which a BlockIterator reports when it comes there.
  size_t bytes() const { return bytes_; }
  // REQUIRES: bytes() > 0 bytes at `side`, aligned to 8 and zeroed
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

  bool Walk(const BlockParts& parts);
  // Finds the parent of entry i. False: it is too far away.
  bool LinkParent(uint32_t i);
  // After an entry was added whose key shares so much with the one before.
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

// Reads tags. Borrows them and their block; both were looked at when they were
// written and are not checked again.
//
// A value type; const and any thread.
class BlockTags {
 public:
  struct Found {
    uint32_t index = 0;
    uint64_t tail = 0;  // sequence << 8 | type
    Slice value;
  };
  // What an iterator needs to stand somewhere.
  struct Position {
    uint32_t offset = 0;  // of the entry
    uint32_t next = 0;    // of the one behind it
    Slice key;            // internal; in the block, or in the buffer
    Slice value;
  };

  // `side`: as BlockTagsBuilder wrote it for `block`.
  BlockTags(const char* side, const Slice& block);

  // Asks for the memory that Find and LowerBound will read first.
  static void Prefetch(const char* side);
  // The same in steps, for who has other keys to look after meanwhile: each
  // reads what the one before asked for. Tags; slot; entry.
  static void PrefetchTags(const char* side) { __builtin_prefetch(side); }
  void PrefetchSlot(uint64_t hash) const;
  // Asks for the entry that Find will read, if there is one of this tag. Reads
  // what Prefetch asks for.
  void PrefetchEntry(uint64_t hash) const;

  uint32_t count() const { return count_; }

  // The newest version of the user key that is visible: its first entry whose
  // tail is at most `tail`. False: the block has none.
  // REQUIRES: hash == Hash64(user_key); an order where equal keys have equal
  // bytes
  bool Find(const Slice& user_key, uint64_t hash, uint64_t tail,
            Found* found) const;

  // The index of the first entry at or behind an internal key; count() if there
  // is none. REQUIRES: bytewise order
  uint32_t LowerBound(const Slice& internal_key) const;

  // REQUIRES: index < count(). Slices live as long as the block, the key until
  // the buffer is used again.
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
  // The bytes of a user key that prefix and head tell.
  uint32_t known_bytes() const {
    return prefix_bytes_ + (slot_bits_ - low_bits_) / 8;
  }
  // The head that a user key has here. REQUIRES: it has the prefix's length
  uint64_t HeadOf(const Slice& user_key) const;
  // The sign of entry i's user key minus this one.
  // REQUIRES: both have the prefix and the same head
  int CompareUserKey(uint32_t i, const Entry& entry,
                     const Slice& user_key) const;
  uint64_t TailOf(uint32_t i, const Entry& entry) const;
  // Bytes [begin, end) of entry i's internal key. REQUIRES: they exist
  void CopyKeyBytes(uint32_t i, size_t begin, size_t end, char* out) const;
  // The first slot from `begin` on that is not below `bound`.
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
