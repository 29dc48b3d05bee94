// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's Standard128 Ribbon filter (Dillinger and Walzer, "Ribbon filter:
// practically smaller than Bloom and Xor", 2021). It has the false-positive
// rate of FastLocalBloom in about 70 % of the space, but takes several times
// the work to build and probe. bits_per_key is that of the Bloom filter with
// the same rate.
//
//   ┌───────────────────────┬───────────────────┬────┬──────┬───────┐
//   │ 128 slots, column 0   │ column 1 ...      │    │      │       │
//   │ 128 slots, column 0   │ column 1 ...      │ fe │ seed │ u24 B │
//   └───────────────────────┴───────────────────┴────┴──────┴───────┘
//     B blocks of 16-byte segments, one per column  -2
//
// The builder writes a FastLocalBloom filter instead if the key set is too
// large, too small to save space, or has no solution, and no bytes for an empty
// set. Open reads both formats.
#pragma once

#include "filter/filter_codec.h"
#include "filter/ribbon_probe.h"

namespace tamis {

const FilterCodec* RibbonCodec();

// The probes of its views, for tests and benchmarks.
RibbonProbes RibbonCodecProbes();

}  // namespace tamis
