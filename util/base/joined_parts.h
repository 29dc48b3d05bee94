// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/base/exceptions.h"

namespace tamis {

// Returns add(key, value), called with the concatenations.
template <typename Add>
Status Joined(const SliceParts& key, const SliceParts& value, const Add& add) {
  return CatchExceptions([&] {
    std::string key_bytes;
    std::string value_bytes;
    return add(Slice(key, &key_bytes), Slice(value, &value_bytes));
  });
}

}  // namespace tamis
