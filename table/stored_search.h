// SPDX-License-Identifier: Apache-2.0
//
// SearchStored searches a data block for one key while the block is decoded,
// and stops at the key. It is for a block that is read once: only the bytes
// before the key are decoded, and nothing is built.
//
//   stored    [ ######## | not looked at        ]
//                      │
//   decoded   [ e | e | e | ...
//                       ▲ compares each entry with the key
//
// An entry stores the bytes of its key after those that it shares with the
// previous one. The search knows how many bytes of the key the previous entry
// had: an entry that shares more is still before the key, and is passed by its
// lengths alone.
#pragma once

#include <cstdint>

#include "tamis/slice.h"

#include "util/compression/step_decoder.h"

namespace tamis {

enum class StoredAnswer : uint8_t {
  kFound,
  kPassed,  // the block has a greater key, and none that was sought
  kEnded,   // the block ended first
  kMalformed,
};

struct StoredMatch {
  uint64_t tail = 0;  // sequence << 8 | type
  Slice value;        // decoded
};

// Finds the newest visible version of the user key in the block that was passed
// to decoder->Start: its first entry with an internal-key tail <= `tail`.
// Decodes no further than that entry. Sets *match if it is found.
// REQUIRES: keys are internal, in bytewise order; values are in their entries,
// not separate.
StoredAnswer SearchStored(StepDecoder* decoder, const Slice& user_key,
                          uint64_t tail, StoredMatch* match);

}  // namespace tamis
