// SPDX-License-Identifier: Apache-2.0
//
// Decodes the sequences of an lz4 block:
//
//   token            literal bytes << 4 | match bytes - 4
//   if 15 literals   bytes to add, up to the first that is not 255
//   literals
//   offset           2 bytes; the last sequence ends before it
//   if 15 + 4        bytes to add, up to the first that is not 255
//
// The format wants a block's last 5 bytes to be literals, and the last match to
// start 12 bytes before the end. liblz4 does not enforce this for some short
// sequences, and neither does this decoder.
#pragma once

#include <cstddef>

#include "util/compression/decode_cursor.h"

namespace tamis {

// Decodes sequences until `target` bytes are decoded or the input ends. Returns
// false, and leaves *cursor as it was, if a sequence on the way is malformed:
// truncated, with a match from before the block, longer than the block, or
// against the rules of its end. A target above cursor->size decodes all input.
// Accepts what LZ4_decompress_safe accepts if it decodes all input and the
// result is cursor->size bytes.
bool DecodeLz4(DecodeCursor* cursor, size_t target);

}  // namespace tamis
