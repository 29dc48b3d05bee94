// SPDX-License-Identifier: Apache-2.0
//
// Finds a built-in prefix extractor by its id. A table stores the id of the one
// that its filter was built with.
#pragma once

#include <memory>
#include <string_view>

#include "tamis/slice_transform.h"

namespace tamis {

// Returns the one whose GetId() is `id`, such as "rocksdb.FixedPrefix.8", or
// nullptr if there is none. May throw std::bad_alloc.
std::shared_ptr<const SliceTransform> BuiltinPrefixExtractor(
    std::string_view id);

}  // namespace tamis
