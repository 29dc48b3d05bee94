// SPDX-License-Identifier: Apache-2.0
//
// The head of a key: eight bytes of it as one number, which compares as the
// bytes do. Where two heads differ they decide bytewise order; where they are
// equal the keys have to be compared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tamis/slice.h"

namespace tamis {

// Of the bytes behind the first `skip`; what is missing counts as zeros.
inline uint64_t KeyHead(const Slice& key, size_t skip = 0) {
  uint64_t head = 0;
  if (key.size() >= skip + sizeof(head)) {
    std::memcpy(&head, key.data() + skip, sizeof(head));
  } else if (key.size() > skip) {
    std::memcpy(&head, key.data() + skip, key.size() - skip);
  }
  if constexpr (std::endian::native == std::endian::little) {
    head = __builtin_bswap64(head);
  }
  return head;
}

// How many bytes both begin with.
inline size_t CommonPrefix(const Slice& a, const Slice& b) {
  const size_t end = a.size() < b.size() ? a.size() : b.size();
  size_t n = 0;
  while (n < end && a.data()[n] == b.data()[n]) ++n;
  return n;
}

}  // namespace tamis
