// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a Fence filter (fence_filter.h). Fences are stored without the
// prefix that all keys share.
//
//   blocks   of 8 groups, the last of fewer: varint32 bytes of the fences │ a
//            fence for each group │ the groups (fence_group.h)
//   heads    fixed64 for each block: the first 8 bytes of its first fence as a
//            big-endian integer, as if zero bytes followed
//   offsets  fixed32 for each block: where it begins
//   model    the shares of bytes (byte_model.h)
//   prefix   of all keys
//   trailer  fixed64 keys │ fixed32 blocks │ fixed32 prefix bytes │ u8 w │
//            u8 least byte of the model │ u8 greatest byte │ u8 0 │ fixed16
//            share of crowded keys in 1/65535 │ u8 0 │ u8 version 0
//
//   fence    u8 keys of the group - 1 │ varint32 bytes shared with the fence
//            before it in the block │ varint32 bytes after these │ varint32
//            loose bytes │ fixed16 low end, u8 span of the group's frame │
//            the bytes after the shared ones
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tamis/slice.h"

#include "filter/fence_group.h"
#include "util/coding/coding.h"

namespace tamis {

inline constexpr size_t kFenceTrailerBytes = 24;
inline constexpr uint32_t kFencesPerBlock = 8;
// Bits per key besides the w low ones: two for the high parts, and up to two
// for fences if few groups are cut.
inline constexpr uint32_t kFenceOverheadBits = 4;

// The contents of the trailer.
struct FenceState {
  uint64_t num_keys;
  uint32_t num_blocks;
  uint32_t prefix_bytes;
  uint32_t heads;      // where they begin
  uint16_t crowded;    // keys that share their cell, in 1/65535 of all
  uint8_t low_bits;    // w
  uint8_t first_byte;  // of the model
  uint8_t last_byte;

  uint32_t num_bytes() const { return uint32_t{last_byte} - first_byte + 1; }
  size_t offsets() const { return heads + num_blocks * sizeof(uint64_t); }
  size_t model() const { return offsets() + num_blocks * sizeof(uint32_t); }
  size_t prefix() const { return model() + ByteModel::StoredSize(num_bytes()); }
};

// Returns nullopt if the trailer is malformed.
std::optional<FenceState> ParseFenceTrailer(const Slice& filter);
void AppendFenceTrailer(const FenceState& state, std::string* filter);

// A fence and its group, as stored.
struct FenceEntry {
  uint32_t shared;  // bytes
  Slice rest;
  uint32_t loose;  // last bytes of the fence that not all keys begin with
  uint32_t num_keys;
  uint16_t frame_low;
  uint8_t frame_span;

  size_t size() const { return size_t{shared} + rest.size(); }
  // The number of bytes that all keys of the group begin with.
  size_t group_prefix() const { return size() - loose; }
  GroupFrame Frame(uint32_t low_bits) const {
    return GroupFrame(frame_low, frame_span, num_keys, low_bits);
  }
};

void AppendFence(const FenceEntry& fence, std::string* out);
// Both return the fence's end, or nullptr if the fence is malformed. ReadFence
// inlines the case in which each size takes one byte.
const char* ReadFenceSlow(const char* p, const char* limit, FenceEntry* fence);
inline const char* ReadFence(const char* p, const char* limit,
                             FenceEntry* fence) {
  constexpr size_t kBytes = 7;
  if (static_cast<size_t>(limit - p) <= kBytes) {
    return ReadFenceSlow(p, limit, fence);
  }
  const uint64_t bytes = DecodeFixed64(p);
  const size_t rest = bytes >> 16 & 0xff;
  fence->num_keys = (bytes & 0xff) + 1;
  fence->shared = bytes >> 8 & 0xff;
  fence->rest = Slice(p + kBytes, rest);
  fence->loose = bytes >> 24 & 0xff;
  fence->frame_low = static_cast<uint16_t>(bytes >> 32);
  fence->frame_span = static_cast<uint8_t>(bytes >> 48);
  if ((bytes & 0x80808000u) != 0 || fence->num_keys > kGroupKeysMax ||
      fence->loose > fence->size() ||
      rest > static_cast<size_t>(limit - p) - kBytes) {
    return ReadFenceSlow(p, limit, fence);
  }
  return p + kBytes + rest;
}

}  // namespace tamis
