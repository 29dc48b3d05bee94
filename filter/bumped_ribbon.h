// SPDX-License-Identifier: Apache-2.0
//
// BumpedRibbon is BuRR (P. C. Dillinger, L. Huebschle-Schneider, P. Sanders, S.
// Walzer, "Fast Succinct Retrieval and Approximate Membership Using Ribbon",
// SEA 2022): a ribbon with fewer rows than keys. Keys that find no place are
// bumped to the next, much smaller ribbon, so that hardly a row stays empty:
// filters of 100,000 keys take less than 1 % more than the optimum.
//
//   body         │ layer 0 │ layer 1 │ ... │ last layer │
//   layer        │ words in blocks (ribbon64.h) │ thresholds │
//   thresholds   4 bits for each bucket of 256 starts, the low half of a byte
//                first; the last layer has none, and places all of its keys
//
// Keys of a bucket whose start in it, divided by 16, is less than the threshold
// are in a later layer, under another hash.
#pragma once

#include "filter/filter_codec.h"
#include "filter/ribbon_probe.h"

namespace tamis {

const FilterCodec* BumpedRibbonCodec();

// The probes of its views, for tests and benchmarks.
RibbonProbes BumpedRibbonProbes();

}  // namespace tamis
