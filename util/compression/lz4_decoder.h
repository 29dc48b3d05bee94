// SPDX-License-Identifier: Apache-2.0
//
// Decodes the sequences of an lz4 block:
//
//   token            number of literals << 4 | length of the match - 4
//   if the first     bytes to add to the number of literals, up to the first
//     field is 15      byte that is not 255
//   literals
//   offset           2 bytes; the last sequence ends before it
//   if the second    bytes to add to the length of the match, up to the first
//     field is 15      byte that is not 255
//
// The format requires that a block's last 5 bytes are literals, and that the
// last match begins at least 12 bytes before the end. liblz4 does not enforce
// this for some short sequences, and neither does this decoder.
#pragma once

#include <cstddef>

#include "util/compression/decode_cursor.h"

namespace tamis {

// Decodes sequences until `target` bytes are decoded or the input ends. A
// target above cursor->size decodes all input. Returns false, and does not
// change *cursor, if one of these sequences is malformed: it is truncated, its
// match begins before the block, it exceeds cursor->size, or it violates the
// rules for the end of a block.
// If all input is decoded and yields cursor->size bytes, DecodeLz4 accepts the
// same inputs as LZ4_decompress_safe.
bool DecodeLz4(DecodeCursor* cursor, size_t target);

}  // namespace tamis
