// SPDX-License-Identifier: Apache-2.0
//
// The head of a key: eight bytes of it as one number, which compares as the
// bytes do. Where two heads differ they decide bytewise order; where they are
// equal the keys have to be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tamis/slice.h"

#include "util/coding.h"

namespace tamis {

// Of the bytes behind the first `skip`; what is missing counts as zeros.
inline uint64_t KeyHead(const Slice& key, size_t skip = 0) {
  if (key.size() >= skip + sizeof(uint64_t)) {
    return DecodeBigEndian64(key.data() + skip);
  }
  char bytes[sizeof(uint64_t)] = {};
  if (key.size() > skip) {
    std::memcpy(bytes, key.data() + skip, key.size() - skip);
  }
  return DecodeBigEndian64(bytes);
}

}  // namespace tamis
