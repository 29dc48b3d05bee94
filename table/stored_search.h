// SPDX-License-Identifier: Apache-2.0
//
// SearchStored searches a data block for one key while the block is
// decompressed, and stops at the key. It suits a block that is read once,
// because it decodes little more than the entries up to the key, and builds no
// tags or other data for later searches.
//
//   stored    [ ######## | not read             ]
//                      │
//   decoded   [ e | e | e | ...
//                       ▲ compares each entry with the key
//
// Keys are delta-encoded: an entry stores how many bytes its key shares with
// the previous entry's key, and the bytes after these. The search tracks how
// many bytes of the sought key the previous entry has. An entry that shares
// more bytes than that with the previous entry is still before the sought key.
// The search skips it without looking at its bytes.
#pragma once

#include <cstdint>

#include "tamis/slice.h"

#include "table/key_buffer.h"
#include "util/compression/step_decoder.h"

namespace tamis {

enum class StoredAnswer : uint8_t {
  kFound,
  kPassed,  // no visible version: a greater key follows
  kEnded,   // no visible version and no greater key in the block
  kMalformed,
};

struct StoredMatch {
  uint64_t tail = 0;  // sequence << 8 | type
  Slice value;        // in the decoder's output
};

// Finds the newest visible version of the user key in the block that was passed
// to decoder->Start. That is the key's first entry with an internal-key tail <=
// `tail`. Decodes in steps of 512 bytes, so a little after that entry is
// decoded, too. Sets *match if the answer is kFound. Returns kMalformed if the
// part of the block that was read cannot be decoded or parsed.
// REQUIRES: keys are internal keys in bytewise order, and values are stored in
// their entries.
StoredAnswer SearchStored(StepDecoder* decoder, const Slice& user_key,
                          uint64_t tail, StoredMatch* match);

// An entry of the block.
struct StoredEntry {
  uint32_t offset = 0;
  uint32_t end = 0;  // the offset of the next entry
  Slice key;         // an internal key
  Slice value;       // in the decoder's output
};

// Finds the first entry whose internal key is >= `target`, under the same
// conditions. Returns kFound, and sets *found, whose key is then in *buffer;
// kEnded if there is none; or kMalformed.
StoredAnswer SeekStored(StepDecoder* decoder, const Slice& target,
                        KeyBuffer* buffer, StoredEntry* found);

}  // namespace tamis
