// SPDX-License-Identifier: Apache-2.0
//
// FastLocalBloom is RocksDB's full filter since format_version 5, and Tamis's
// default. All k bits of a key lie in one 64-byte line, so a probe costs at
// most one cache miss (two if the bytes are not aligned to lines).
//
//   ┌────────┬─────┬────────┬────┬────┬───┬────┬────┐
//   │ line 0 │ ... │ line   │ ff │ 00 │ k │ 00 │ 00 │   k: 1 to 30
//   └────────┴─────┴────────┴────┴────┴───┴────┴────┘
//     64 bytes                -1   sub  the three top bits: log2 of the line
//                                       size over 64, only 0 is in use
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* FastLocalBloomCodec();

// Builds a filter from hashes (Hash64), including the trailer.
std::string BuildFastLocalBloom(std::span<const uint64_t> hashes,
                                uint32_t millibits);

}  // namespace tamis
