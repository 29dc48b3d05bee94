// SPDX-License-Identifier: Apache-2.0
//
// The head of a key: eight bytes of it as one number, which compares as the
// bytes do. Where two heads differ they decide bytewise order; where they are
// equal the keys have to be compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "util/coding/coding.h"

namespace tamis {

// Of the bytes behind the first `skip`; what is missing counts as zeros.
inline uint64_t KeyHead(const Slice& key, size_t skip = 0) {
  constexpr size_t kBytes = sizeof(uint64_t);
  const size_t left = key.size() > skip ? key.size() - skip : 0;
  if (left >= kBytes) return DecodeBigEndian64(key.data() + skip);
  if (left == 0) return 0;
  if (key.size() >= kBytes) {
    // The last eight bytes are there; the skipped ones fall out in front.
    return DecodeBigEndian64(key.end() - kBytes) << (8 * (kBytes - left));
  }
  uint64_t head = 0;
  for (size_t i = 0; i < left; ++i) {
    head |= uint64_t{static_cast<uint8_t>(key[skip + i])} << (56 - 8 * i);
  }
  return head;
}

}  // namespace tamis
