// SPDX-License-Identifier: Apache-2.0
//
// What NewIterator returns when it fails.
#pragma once

#include <memory>

#include "tamis/iterator.h"
#include "tamis/status.h"

namespace tamis {

// An iterator that is never valid; status() returns `status`. Without memory
// for one, status() is MemoryLimit. Throws nothing.
std::unique_ptr<Iterator> NewErrorIterator(Status status);

}  // namespace tamis
