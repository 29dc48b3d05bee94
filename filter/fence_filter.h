// SPDX-License-Identifier: Apache-2.0
//
// A range filter for strings of any length, wherever they differ.
//
//   fences  strings between keys, one about every 50 keys, where neighbours
//           share least:  fence 0 <= keys < fence 1 <= keys < fence 2 ...
//   groups  the keys between two fences: 2^w cells a key, and which of them
//           hold keys, in w + 2 bits a key (fence_group.h)
//
// A fence costs about 9 bytes. The cells divide what follows the bytes that the
// keys of a group share, by a model of how frequent each byte is
// (byte_model.h). The order of keys is preserved: a range is between two fences
// or includes one, and is from one cell to another.
//
// A short range that is anywhere between keys that the model describes matches
// with probability of about 1 / 2^w if no key is in it. A range that begins
// right after a key is in that key's cell, and matches. If most keys share
// their cell with others, Finish writes no filter.
#pragma once

#include "filter/range_filter.h"

namespace tamis {

const RangeFilterCodec* FenceCodec();

}  // namespace tamis
