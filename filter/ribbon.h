// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's Standard128 Ribbon filter (Dillinger and Walzer 2021): as few
// false positives as FastLocalBloom in about 70 % of its space, for some six
// times the work to build. Bits per key are those of the Bloom filter that it
// takes the place of.
//
//   ┌───────────────────────┬───────────────────┬────┬──────┬───────┐
//   │ 128 slots, column 0   │ column 1 ...      │    │      │       │
//   │ 128 slots, column 0   │ column 1 ...      │ fe │ seed │ u24 B │
//   └───────────────────────┴───────────────────┴────┴──────┴───────┘
//     B blocks of 16-byte segments, one a column  -2
//
// A set that is too large for it, too small to gain by it, or has no solution
// gets a FastLocalBloom filter; no keys, no bytes. So Open reads both.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* RibbonCodec();

}  // namespace tamis
