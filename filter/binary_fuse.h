// SPDX-License-Identifier: Apache-2.0
//
// A 4-wise binary fuse filter (Graf and Lemire, "Binary Fuse Filters: Fast and
// Smaller Than Xor Filters", JEA 2022). It takes three quarters of the space of
// FastLocalBloom, and its probe loads four words without a branch between them.
// The slots have r bits each, 4 to 16, and the xor of a key's four slots is the
// key's fingerprint.
//
//   segment   0     1     2     3     4     5   ...         s - 1
//           ├─────┼─────┼─────┼─────┼─────┼─────┼─────┼─────┼─────┤
//   key             ●      ●   ●        ●        one slot in each of four
//   another                 ●  ●       ●    ●    neighbouring segments
//
// The slots near both ends have fewer keys. Peeling (peeling.h) therefore
// advances from the ends to the middle, and needs few more slots than keys: 6 %
// at a million keys, 9 % at 100,000, 14 % at 1,000. Where it stalls, it defers
// keys, at most 64; without that, the filter would need 7, 11 and 35 %. Peeling
// stays in the cache because the builder sorts the hashes by segment first.
//
// retrieval_codec.h describes the trailer, and tells when a Bloom filter is
// written instead.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* BinaryFuseCodec();

}  // namespace tamis
