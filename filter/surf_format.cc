// SPDX-License-Identifier: Apache-2.0
#include "filter/surf_format.h"

#include "util/coding/coding.h"

namespace tamis {

std::optional<SurfState> ParseSurfTrailer(const Slice& filter) {
  if (filter.size() < kSurfTrailerBytes || filter.size() > UINT32_MAX) {
    return std::nullopt;
  }
  const char* const trailer = filter.end() - kSurfTrailerBytes;
  const SurfState state{.num_keys = DecodeFixed32(trailer),
                        .shape = {.dense_nodes = DecodeFixed32(trailer + 4),
                                  .branches = DecodeFixed32(trailer + 8)},
                        .num_suffixes = DecodeFixed32(trailer + 12),
                        .prefix_bytes = DecodeFixed32(trailer + 16),
                        .depth = DecodeFixed16(trailer + 20),
                        .lost = DecodeFixed16(trailer + 22),
                        .hash_bits = static_cast<uint8_t>(trailer[24]),
                        .real_bits = static_cast<uint8_t>(trailer[25]),
                        .first_byte = static_cast<uint8_t>(trailer[26]),
                        .last_byte = static_cast<uint8_t>(trailer[27])};
  if (state.num_keys == 0 || state.depth == 0 ||
      state.suffix_bits() > kSurfSuffixBitsMax ||
      state.first_byte > state.last_byte || DecodeFixed32(trailer + 28) != 0 ||
      state.prefix() + state.prefix_bytes + kSurfTrailerBytes !=
          filter.size()) {
    return std::nullopt;
  }
  return state;
}

void AppendSurfTrailer(const SurfState& state, std::string* filter) {
  PutFixed32(filter, state.num_keys);
  PutFixed32(filter, state.shape.dense_nodes);
  PutFixed32(filter, state.shape.branches);
  PutFixed32(filter, state.num_suffixes);
  PutFixed32(filter, state.prefix_bytes);
  PutFixed16(filter, state.depth);
  PutFixed16(filter, state.lost);
  filter->push_back(static_cast<char>(state.hash_bits));
  filter->push_back(static_cast<char>(state.real_bits));
  filter->push_back(static_cast<char>(state.first_byte));
  filter->push_back(static_cast<char>(state.last_byte));
  PutFixed32(filter, 0);
}

}  // namespace tamis
