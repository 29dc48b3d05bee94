// SPDX-License-Identifier: Apache-2.0
//
// Decodes the elements of a snappy block, which follow its length:
//
//   literal   length - 1 << 2 | 0    length <= 60, then its bytes
//             59 + k << 2 | 0        k = 1 to 4 bytes of length - 1, its bytes
//   copy      offset >> 8 << 5 | length - 4 << 2 | 1, offset & 255
//             length - 1 << 2 | 2, offset as 2 bytes
//             length - 1 << 2 | 3, offset as 4 bytes
#pragma once

#include <cstddef>

#include "util/compression/decode_cursor.h"

namespace tamis {

// Decodes elements until `target` bytes are decoded or the input ends. A target
// above cursor->size decodes all input. Returns false, and does not change
// *cursor, if one of these elements is malformed: it is truncated, copies from
// before the block, or exceeds cursor->size.
// If all input is decoded and yields cursor->size bytes, DecodeSnappy accepts
// the same inputs as snappy::RawUncompress.
bool DecodeSnappy(DecodeCursor* cursor, size_t target);

}  // namespace tamis
