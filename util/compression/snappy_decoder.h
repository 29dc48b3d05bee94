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

// Decodes elements until `target` bytes are decoded or the input ends. Returns
// false, and leaves *cursor as it was, if an element on the way is malformed:
// truncated, with a copy from before the block, or longer than the block. A
// target above cursor->size decodes all input.
// Accepts what snappy::RawUncompress accepts if it decodes all input and the
// result is cursor->size bytes.
bool DecodeSnappy(DecodeCursor* cursor, size_t target);

}  // namespace tamis
