// SPDX-License-Identifier: Apache-2.0
//
// A key head is 8 bytes of a key as an integer that orders as the bytes do.
// Heads that differ decide the bytewise order of two keys; equal heads require
// a full comparison.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "util/coding/coding.h"

namespace tamis {

// Returns the head of the bytes after the first `skip`, padded with zeros.
inline uint64_t KeyHead(const Slice& key, size_t skip = 0) {
  constexpr size_t kBytes = sizeof(uint64_t);
  const size_t left = key.size() > skip ? key.size() - skip : 0;
  if (left >= kBytes) return DecodeBigEndian64(key.data() + skip);
  if (left == 0) return 0;
  if (key.size() >= kBytes) {
    // Loads the key's last eight bytes and shifts out the skipped ones.
    return DecodeBigEndian64(key.end() - kBytes) << (8 * (kBytes - left));
  }
  uint64_t head = 0;
  for (size_t i = 0; i < left; ++i) {
    head |= uint64_t{static_cast<uint8_t>(key[skip + i])} << (56 - 8 * i);
  }
  return head;
}

}  // namespace tamis
