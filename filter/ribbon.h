// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's Standard128 Ribbon filter (Dillinger and Walzer, "Ribbon filter:
// practically smaller than Bloom and Xor", 2021): the false-positive rate of
// FastLocalBloom in about 70 % of its space, but several times the work to
// build and probe. bits_per_key refers to the Bloom filter that it replaces.
//
//   ┌───────────────────────┬───────────────────┬────┬──────┬───────┐
//   │ 128 slots, column 0   │ column 1 ...      │    │      │       │
//   │ 128 slots, column 0   │ column 1 ...      │ fe │ seed │ u24 B │
//   └───────────────────────┴───────────────────┴────┴──────┴───────┘
//     B blocks of 16-byte segments, one per column  -2
//
// A key set that is too large, too small to save space, or without a solution
// gets a FastLocalBloom filter; an empty set gets no bytes. Open reads both
// formats.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* RibbonCodec();

}  // namespace tamis
