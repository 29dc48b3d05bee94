// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's Bloom filter is one chunk of a block-based filter. The k bits of a
// key lie anywhere in the chunk.
//
//   ┌──────────────────────────────┬───┐
//   │ bits, at least 8 bytes       │ k │   k > 30: reserved, always matches
//   └──────────────────────────────┴───┘
//
// The chunk does not record its flavor of Hash32; the filter's name in the
// metaindex implies it. Therefore there are two codecs.
//
// Adjacent duplicates take space, unlike in full filters, because LevelDB and
// RocksDB keep them in chunks. num_keys() counts them once.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

// Returns the codec of LevelDB since 1.18.
const FilterCodec* LevelDBBloomCodec();
// Returns the codec of RocksDB, Tamis, and LevelDB before 1.18.
const FilterCodec* LevelDBBloomSignedTailCodec();

}  // namespace tamis
