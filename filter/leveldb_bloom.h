// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's Bloom filter: one chunk of a block-based filter. The k bits of a
// key lie anywhere in it.
//
//   ┌──────────────────────────────┬───┐
//   │ bits, at least 8 bytes       │ k │   k > 30: reserved, always matches
//   └──────────────────────────────┴───┘
//
// The chunk does not record its flavor of Hash32; the filter's name in the
// metaindex does. Hence there are two codecs.
//
// Unlike in full filters, adjacent duplicates take space, as in RocksDB and
// LevelDB, so that the bytes are equal. num_keys() counts them once.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

// LevelDB since 1.18.
const FilterCodec* LevelDBBloomCodec();
// RocksDB, Tamis, and LevelDB before 1.18.
const FilterCodec* LevelDBBloomSignedTailCodec();

}  // namespace tamis
