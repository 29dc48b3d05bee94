// SPDX-License-Identifier: Apache-2.0
#include "filter/fence_format.h"

namespace tamis {

std::optional<FenceState> ParseFenceTrailer(const Slice& filter) {
  if (filter.size() < kFenceTrailerBytes || filter.size() > UINT32_MAX) {
    return std::nullopt;
  }
  const char* const trailer = filter.end() - kFenceTrailerBytes;
  FenceState state{.num_keys = DecodeFixed64(trailer),
                   .num_blocks = DecodeFixed32(trailer + 8),
                   .prefix_bytes = DecodeFixed32(trailer + 12),
                   .heads = 0,
                   .crowded = DecodeFixed16(trailer + 20),
                   .low_bits = static_cast<uint8_t>(trailer[16]),
                   .first_byte = static_cast<uint8_t>(trailer[17]),
                   .last_byte = static_cast<uint8_t>(trailer[18])};
  if (state.num_keys == 0 || state.num_blocks == 0 || state.low_bits == 0 ||
      state.low_bits > kGroupLowBitsMax || state.first_byte > state.last_byte ||
      trailer[19] != '\0' || trailer[22] != '\0' || trailer[23] != '\0') {
    return std::nullopt;
  }
  const uint64_t after_blocks =
      state.prefix() + uint64_t{state.prefix_bytes} + kFenceTrailerBytes;
  if (after_blocks > filter.size()) return std::nullopt;
  state.heads = static_cast<uint32_t>(filter.size() - after_blocks);
  return state;
}

void AppendFenceTrailer(const FenceState& state, std::string* filter) {
  PutFixed64(filter, state.num_keys);
  PutFixed32(filter, state.num_blocks);
  PutFixed32(filter, state.prefix_bytes);
  filter->push_back(static_cast<char>(state.low_bits));
  filter->push_back(static_cast<char>(state.first_byte));
  filter->push_back(static_cast<char>(state.last_byte));
  filter->push_back('\0');
  PutFixed16(filter, state.crowded);
  filter->append(2, '\0');
}

void AppendFence(const FenceEntry& fence, std::string* out) {
  out->push_back(static_cast<char>(fence.num_keys - 1));
  PutVarint32(out, fence.shared);
  PutVarint32(out, static_cast<uint32_t>(fence.rest.size()));
  PutVarint32(out, fence.loose);
  PutFixed16(out, fence.frame_low);
  out->push_back(static_cast<char>(fence.frame_span));
  out->append(fence.rest.data(), fence.rest.size());
}

const char* ReadFenceSlow(const char* p, const char* limit, FenceEntry* fence) {
  if (p == limit) return nullptr;
  fence->num_keys = static_cast<uint8_t>(*p++) + 1u;
  uint32_t rest;
  p = GetVarint32Ptr(p, limit, &fence->shared);
  if (p == nullptr) return nullptr;
  p = GetVarint32Ptr(p, limit, &rest);
  if (p == nullptr) return nullptr;
  p = GetVarint32Ptr(p, limit, &fence->loose);
  if (p == nullptr || static_cast<size_t>(limit - p) < 3 + size_t{rest}) {
    return nullptr;
  }
  fence->frame_low = DecodeFixed16(p);
  fence->frame_span = static_cast<uint8_t>(p[2]);
  fence->rest = Slice(p + 3, rest);
  if (fence->num_keys > kGroupKeysMax || fence->loose > fence->size()) {
    return nullptr;
  }
  return p + 3 + rest;
}

}  // namespace tamis
