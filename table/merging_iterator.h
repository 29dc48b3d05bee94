// SPDX-License-Identifier: Apache-2.0
//
// Merges sorted iterators, the children, into one sorted iterator.
#pragma once

#include <memory>
#include <vector>

#include "table/internal_iterator.h"
#include "table/internal_key.h"

namespace tamis {

// Returns the merging iterator. If a child fails, it becomes invalid with the
// child's Status, since the unreadable entries might hide those of other
// children. Equal keys of two children are both shown, in any order; the
// sources of one database never have any.
std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children);

}  // namespace tamis
