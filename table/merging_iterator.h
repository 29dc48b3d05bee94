// SPDX-License-Identifier: Apache-2.0
//
// Merges sorted iterators into one. Children of one database never have equal
// internal keys.
#pragma once

#include <memory>
#include <vector>

#include "table/internal_iterator.h"
#include "table/internal_key.h"

namespace tamis {

// If a child fails, the merging iterator becomes invalid with its Status: the
// unreadable entries might hide those of the other children.
std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children);

}  // namespace tamis
