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
//   key             ●     ● ●     ●                one slot in each of four
//   another               ●   ●  ●   ●             neighbouring segments
//
// Keys at both ends have their slots to themselves. Peeling (peeling.h)
// therefore advances from the ends to the middle, and needs few more slots than
// keys: 7 % at a million, 11 % at 100 000. It stays in the cache, because the
// builder sorts the hashes by segment first.
//
// retrieval_codec.h has the trailer, and when a Bloom filter replaces this one.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* BinaryFuseCodec();

}  // namespace tamis
