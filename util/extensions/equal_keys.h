// SPDX-License-Identifier: Apache-2.0
//
// What a comparator says of keys that are equal but differ in bytes. A hash of
// such keys differs, so filters and hash indexes depend on it.
#pragma once

#include <cstdint>

#include "tamis/comparator.h"

namespace tamis {

enum class EqualKeys : uint8_t {
  kHaveEqualBytes,  // overrides the function: false
  kMayDiffer,       // overrides the function: true
  kNotDeclared,     // does not override it
};

// Calls CanKeysWithDifferentByteContentsBeEqual. Any thread.
EqualKeys EqualKeysOf(const Comparator& comparator);

}  // namespace tamis
