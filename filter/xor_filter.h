// SPDX-License-Identifier: Apache-2.0
//
// A 3-wise xor filter (Graf and Lemire, "Xor Filters: Faster and Smaller Than
// Bloom and Cuckoo Filters", JEA 2020). Slots are whole bytes: r is 8 or 16.
// The xor of a key's three slots, one in each third, is the key's fingerprint.
//
//           first third        second third       last third
//         ├──────────────────┼──────────────────┼──────────────────┤
//   key         ●                         ●        ●
//
// There are 23 % more slots than keys, and 32 more. Peeling (peeling.h) then
// succeeds nearly always, at any number of keys. BinaryFuse (binary_fuse.h)
// takes less space and offers every rate.
//
// retrieval_codec.h has the trailer, and when a Bloom filter replaces this one.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* XorCodec();

}  // namespace tamis
