// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's Bloom filter, which is one chunk of a block-based filter block.
// The k bits of a key lie anywhere in it.
//
//   ┌──────────────────────────────┬───┐
//   │ bits, at least 8 bytes       │ k │   k > 30: reserved, always matches
//   └──────────────────────────────┴───┘
//
// The chunk does not say which flavour of Hash32 made it; the name under which
// the filter stands in the metaindex does, and so there are two codecs.
//
// Unlike the codecs of full filters it makes room for adjacent duplicates too,
// since RocksDB and LevelDB do: bytes stay equal to theirs. num_keys() counts
// them once, as everywhere.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

// LevelDB since 1.18.
const FilterCodec* LevelDBBloomCodec();
// RocksDB, and LevelDB before 1.18. What Tamis writes.
const FilterCodec* LevelDBBloomSignedTailCodec();

}  // namespace tamis
