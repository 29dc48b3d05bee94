// SPDX-License-Identifier: Apache-2.0
#include "table/block_tags.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "table/block_tags_match.h"
#include "table/internal_key.h"
#include "util/base/check.h"
#include "util/coding/coding.h"
#include "util/coding/count_below.h"
#include "util/coding/hash.h"
#include "util/coding/key_head.h"

namespace tamis {

namespace {

// Fixed, since reading it from the header could cost another cache miss.
constexpr size_t kTagsAt = 8;
constexpr size_t kPrefixBytesInside = 24;
constexpr uint32_t kShortSlots = 0x80;
constexpr uint32_t kParentMax = 0xff;

inline size_t PrefixBytesInside(size_t prefix_bytes) {
  return prefix_bytes <= kPrefixBytesInside ? prefix_bytes : 0;
}

// The first `n` bytes of a big-endian word, followed by zeros.
inline uint64_t KeepBytes(uint64_t word, size_t n) {
  if (n >= sizeof(word)) return word;
  return word & ~(~uint64_t{0} >> (8 * n));
}

}  // namespace

BlockTags::BlockTags(const char* side, const Slice& block)
    : side_(side),
      block_(block),
      count_(DecodeFixed16(side)),
      prefix_bytes_(DecodeFixed16(side + 2)),
      slot_bits_((static_cast<uint8_t>(side[6]) & kShortSlots) != 0 ? 32 : 64),
      low_bits_(static_cast<uint8_t>(side[6]) & ~kShortSlots),
      parent_bits_(static_cast<uint8_t>(side[7])),
      slots_(side + DecodeFixed16(side + 4)) {}

void BlockTags::Prefetch(const char* side) {
  // Enough for 36 entries.
  for (size_t line = 0; line < 6; ++line) __builtin_prefetch(side + 64 * line);
}

// The first entry with the tag; usually the only one.
inline uint32_t BlockTags::FirstMatch(uint64_t hash) const {
  for (uint32_t base = 0; base < count_; base += kTagsAtOnce) {
    const uint32_t matches =
        MatchTags(side_ + kTagsAt + base, BlockTagOf(hash));
    if (matches == 0) continue;
    return base + static_cast<uint32_t>(std::countr_zero(matches));
  }
  return count_;
}

void BlockTags::PrefetchSlot(uint64_t hash) const {
  const uint32_t i = FirstMatch(hash);
  if (i < count_) __builtin_prefetch(slots_ + i * (slot_bits_ / 8));
}

void BlockTags::PrefetchEntry(uint64_t hash) const {
  const uint32_t i = FirstMatch(hash);
  if (i >= count_) return;
  const char* const entry = block_.data() + OffsetIn(SlotAt(i));
  __builtin_prefetch(entry);
  __builtin_prefetch(entry + 64);  // the value
  __builtin_prefetch(entry + 120);
}

inline BlockTags::Entry BlockTags::ReadEntry(uint64_t slot) const {
  const char* p = block_.data() + OffsetIn(slot);
  // At least 4 bytes are readable: a restart follows the shortest entry.
  const uint32_t first = DecodeFixed32(p);
  if ((first & 0x808080) == 0) [[likely]] {
    return {first & 0xff, (first >> 8) & 0xff, (first >> 16) & 0xff, p + 3};
  }
  Entry entry;
  p = GetVarint32Ptr(p, block_.end(), &entry.shared);
  p = GetVarint32Ptr(p, block_.end(), &entry.non_shared);
  entry.rest = GetVarint32Ptr(p, block_.end(), &entry.value_bytes);
  return entry;
}

inline const char* BlockTags::prefix() const {
  return prefix_bytes_ <= kPrefixBytesInside ? side_ + kTagsAt + count_
                                             : ReadEntry(SlotAt(0)).rest;
}

inline uint64_t BlockTags::HeadOf(const Slice& user_key) const {
  return KeyHead(user_key, prefix_bytes_) >> (64 - slot_bits_ + low_bits_);
}

int BlockTags::CompareUserKey(uint32_t i, const Entry& entry,
                              const Slice& user_key) const {
  const size_t known = known_bytes();
  const size_t size = entry.user_key_bytes();
  // The first difference decides, so it is compared last.
  int order = size < user_key.size() ? -1 : (size > user_key.size() ? 1 : 0);
  size_t limit = std::min(size, user_key.size());
  Entry part = entry;
  for (;;) {
    const size_t begin = std::max<size_t>(part.shared, known);
    if (begin < limit) {
      const int here = std::memcmp(part.rest + (begin - part.shared),
                                   user_key.data() + begin, limit - begin);
      if (here != 0) order = here;
      limit = begin;
    }
    if (limit <= known) return order;
    i = ParentOf(i, SlotAt(i));
    part = ReadEntry(SlotAt(i));
  }
}

void BlockTags::CopyKeyBytes(uint32_t i, size_t begin, size_t end,
                             char* out) const {
  while (begin < end) {
    const uint64_t slot = SlotAt(i);
    const Entry part = ReadEntry(slot);
    if (part.shared < end) {
      const size_t from = std::max<size_t>(part.shared, begin);
      std::memcpy(out + (from - begin), part.rest + (from - part.shared),
                  end - from);
      end = from;
    }
    i = ParentOf(i, slot);
  }
}

inline uint64_t BlockTags::TailOf(uint32_t i, const Entry& entry) const {
  if (entry.non_shared >= kInternalKeyTailBytes) [[likely]] {
    return DecodeFixed64(entry.rest + entry.non_shared - kInternalKeyTailBytes);
  }
  // The tail begins in the shared part: versions of a key differ little.
  char tail[kInternalKeyTailBytes];
  const size_t begin = entry.user_key_bytes();
  CopyKeyBytes(i, begin, begin + sizeof(tail), tail);
  return DecodeFixed64(tail);
}

bool BlockTags::Find(const Slice& user_key, uint64_t hash, uint64_t tail,
                     Found* found) const {
  if (user_key.size() < prefix_bytes_) return false;
  const uint64_t head = HeadOf(user_key);
  bool has_prefix = false;
  for (uint32_t base = 0; base < count_; base += kTagsAtOnce) {
    uint32_t matches = MatchTags(side_ + kTagsAt + base, BlockTagOf(hash));
    if (count_ - base < kTagsAtOnce) matches &= (1U << (count_ - base)) - 1;
    for (; matches != 0; matches &= matches - 1) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(matches));
      const uint32_t i = base + bit;
      const uint64_t slot = SlotAt(i);
      if (slot >> low_bits_ != head) continue;
      if (!has_prefix) {
        if (std::memcmp(prefix(), user_key.data(), prefix_bytes_) != 0) {
          return false;
        }
        has_prefix = true;
      }
      const Entry entry = ReadEntry(slot);
      if (entry.user_key_bytes() != user_key.size() ||
          CompareUserKey(i, entry, user_key) != 0) {
        continue;
      }
      const uint64_t entry_tail = TailOf(i, entry);
      if (entry_tail > tail) continue;
      *found = {.index = i, .tail = entry_tail, .value = entry.value()};
      return true;
    }
  }
  return false;
}

inline uint32_t BlockTags::FirstSlotFrom(uint32_t begin, uint64_t bound) const {
  if (begin == count_) return count_;
  const char* const slots = slots_ + begin * (slot_bits_ / 8);
  return begin + (is_long()
                      ? CountBelow<uint64_t>(slots, count_ - begin, bound)
                      : CountBelow<uint32_t>(slots, count_ - begin, bound));
}

uint32_t BlockTags::LowerBound(const Slice& internal_key) const {
  Prefetch(side_);
  const Slice user_key = ExtractUserKey(internal_key);
  const int order =
      std::memcmp(user_key.data(), prefix(),
                  std::min<size_t>(user_key.size(), prefix_bytes_));
  if (order != 0) return order < 0 ? 0 : count_;
  if (user_key.size() < prefix_bytes_) return 0;
  const uint64_t head = HeadOf(user_key);
  uint32_t first = FirstSlotFrom(0, head << low_bits_);
  if (first == count_ || SlotAt(first) >> low_bits_ != head) return first;
  // Entries with the same head; usually one.
  uint32_t end = first + 1;
  if (end < count_ && SlotAt(end) >> low_bits_ == head) {
    const uint64_t last = ~uint64_t{0} >> (64 - slot_bits_ + low_bits_);
    end = head == last ? count_ : FirstSlotFrom(end, (head + 1) << low_bits_);
  }
  const uint64_t tail = ExtractTail(internal_key);
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    const Entry entry = ReadEntry(SlotAt(middle));
    const int order_here = CompareUserKey(middle, entry, user_key);
    const bool before =
        order_here != 0 ? order_here < 0 : TailOf(middle, entry) > tail;
    if (before) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

BlockTags::Position BlockTags::At(uint32_t index, KeyBuffer* buffer) const {
  const uint64_t slot = SlotAt(index);
  const Entry entry = ReadEntry(slot);
  Position at;
  at.offset = OffsetIn(slot);
  at.value = entry.value();
  at.next = static_cast<uint32_t>(at.value.end() - block_.data());
  if (entry.shared == 0) {
    at.key = Slice(entry.rest, entry.non_shared);
    return at;
  }
  const size_t size = size_t{entry.shared} + entry.non_shared;
  char* const key = buffer->Room(size);
  std::memcpy(key + entry.shared, entry.rest, entry.non_shared);
  at.key = Slice(key, size);
  if (entry.shared > known_bytes() || entry.shared > entry.user_key_bytes()) {
    CopyKeyBytes(ParentOf(index, slot), 0, entry.shared, key);
    return at;
  }
  // Prefix and head suffice; no other entry need be read.
  const size_t before_head = std::min(entry.shared, prefix_bytes_);
  std::memcpy(key, prefix(), before_head);
  const uint64_t head = __builtin_bswap64(slot << (64 - slot_bits_));
  std::memcpy(key + before_head, &head, entry.shared - before_head);
  return at;
}

BlockTagsBuilder::BlockTagsBuilder(const BlockParts& parts)
    : data_(parts.data) {
  const size_t block_bytes =
      parts.restarts + (size_t{parts.num_restarts} + 1) * sizeof(uint32_t);
  if (parts.values_begin == 0 && parts.entries_end > 0 &&
      block_bytes <= kBlockBytesMax && Scan(parts)) {
    Plan(block_bytes);
  }
}

// Accepts exactly what BlockIterator accepts from every starting position.
bool BlockTagsBuilder::Scan(const BlockParts& parts) {
  const char* const limit = data_ + parts.entries_end;
  const char* p = data_;
  KeyBuffer buffer;
  Slice key;
  uint32_t restart = 0;
  while (p < limit) {
    if (count_ == kEntriesMax) return false;
    const auto offset = static_cast<uint32_t>(p - data_);
    const auto [shared, non_shared, value_bytes, rest_at] =
        GetThreeVarint32(p, limit);
    p = rest_at;
    if (p == nullptr || shared > key.size() ||
        uint64_t{non_shared} + value_bytes > static_cast<size_t>(limit - p) ||
        uint64_t{shared} + non_shared < kInternalKeyTailBytes) {
      return false;
    }
    if (restart < parts.num_restarts &&
        parts.RestartOffset(restart) <= offset) {
      if (parts.RestartOffset(restart) < offset || shared != 0) return false;
      ++restart;
    } else if (restart == 0) {
      return false;  // entries before the first restart are unreachable
    }
    const Slice rest(p, non_shared);
    key = shared == 0 ? rest : buffer.Assemble(key, shared, rest);
    const Slice user_key = ExtractUserKey(key);
    const uint32_t i = count_++;
    entries_[i] = {.offset = static_cast<uint16_t>(offset),
                   .rest = static_cast<uint16_t>(p - data_),
                   .shared = static_cast<uint16_t>(shared),
                   .user_key_bytes = static_cast<uint16_t>(user_key.size()),
                   .tag = BlockTagOf(Hash64(user_key)),
                   .parent = 0};
    if (!LinkParent(i)) return false;
    NarrowPrefix(user_key, shared);
    p += size_t{non_shared} + value_bytes;
  }
  return restart == parts.num_restarts;
}

inline bool BlockTagsBuilder::LinkParent(uint32_t i) {
  if (entries_[i].shared == 0) return true;
  // An entry that shares at least as much is not the parent, nor are those
  // between it and its own parent.
  uint32_t parent = i - 1;
  while (entries_[parent].shared >= entries_[i].shared) {
    parent -= entries_[parent].parent;
  }
  if (i - parent > kParentMax) return false;
  parent_max_ = std::max(parent_max_, i - parent);
  entries_[i].parent = static_cast<uint8_t>(i - parent);
  return true;
}

inline void BlockTagsBuilder::NarrowPrefix(const Slice& user_key,
                                           size_t shared) {
  const char* const first = data_ + entries_[0].rest;
  if (count_ == 1) prefix_bytes_ = user_key.size();
  // It shares at least the prefix with the entry before.
  if (shared >= prefix_bytes_ && user_key.size() >= prefix_bytes_) return;
  const size_t n = std::min(user_key.size(), prefix_bytes_);
  prefix_bytes_ = static_cast<size_t>(
      std::mismatch(first, first + n, user_key.data()).first - first);
}

void BlockTagsBuilder::Plan(size_t block_bytes) {
  const size_t prefix_end = kTagsAt + count_ + PrefixBytesInside(prefix_bytes_);
  slots_at_ = (prefix_end + 7) / 8 * 8;
  // Tags are read 16 at a time.
  const size_t tags_end =
      kTagsAt + (count_ + kTagsAtOnce - 1) / kTagsAtOnce * kTagsAtOnce;
  const auto plan = [&](size_t slot_bytes) {
    slot_bytes_ = slot_bytes;
    const size_t end = std::max(tags_end, slots_at_ + count_ * slot_bytes);
    return (end + 15) / 16 * 16;
  };
  bytes_ = plan(sizeof(uint64_t));
  if (bytes_ > block_bytes / 6) bytes_ = plan(sizeof(uint32_t));
  if (bytes_ > block_bytes / 4) bytes_ = 0;
}

void BlockTagsBuilder::Write(char* side) const {
  TAMIS_CHECK(bytes_ > 0);
  EncodeFixed16(side, static_cast<uint16_t>(count_));
  EncodeFixed16(side + 2, static_cast<uint16_t>(prefix_bytes_));
  EncodeFixed16(side + 4, static_cast<uint16_t>(slots_at_));
  const auto parent_bits = static_cast<uint32_t>(std::bit_width(parent_max_));
  const uint32_t low_bits =
      parent_bits + static_cast<uint32_t>(
                        std::bit_width(uint32_t{entries_[count_ - 1].offset}));
  const bool is_short = slot_bytes_ == sizeof(uint32_t);
  side[6] = static_cast<char>(low_bits | (is_short ? kShortSlots : 0));
  side[7] = static_cast<char>(parent_bits);
  std::memcpy(side + kTagsAt + count_, data_ + entries_[0].rest,
              PrefixBytesInside(prefix_bytes_));
  // Eight bytes of the internal key after the prefix. There are always as many,
  // and those that an entry omits are the previous entry's.
  uint64_t word = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    const Entry& entry = entries_[i];
    const char* const rest = data_ + entry.rest;
    if (entry.shared <= prefix_bytes_) {
      word = DecodeBigEndian64(rest + (prefix_bytes_ - entry.shared));
    } else if (const size_t kept = entry.shared - prefix_bytes_;
               kept < sizeof(word)) {
      // At least 8 bytes are readable after the shortest rest.
      word = KeepBytes(word, kept) | DecodeBigEndian64(rest) >> (8 * kept);
    }
    const uint64_t heads =
        KeepBytes(word, entry.user_key_bytes - prefix_bytes_);
    const uint64_t head = heads >> (64 - 8 * slot_bytes_ + low_bits);
    const uint64_t slot =
        head << low_bits | uint64_t{entry.offset} << parent_bits | entry.parent;
    side[kTagsAt + i] = static_cast<char>(entry.tag);
    std::memcpy(side + slots_at_ + i * slot_bytes_, &slot, slot_bytes_);
  }
}

}  // namespace tamis
