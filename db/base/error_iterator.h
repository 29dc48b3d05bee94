// SPDX-License-Identifier: Apache-2.0
//
// The result of a NewIterator that failed.
#pragma once

#include <memory>

#include "tamis/iterator.h"
#include "tamis/status.h"

namespace tamis {

// Returns an iterator that is never valid. Its status() is `status`, or
// MemoryLimit if allocating the iterator failed. Throws nothing.
std::unique_ptr<Iterator> NewErrorIterator(Status status);

}  // namespace tamis
