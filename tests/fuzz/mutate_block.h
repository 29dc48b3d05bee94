// SPDX-License-Identifier: Apache-2.0
//
// Mutates the entries of a block (table/block.h): keys, values, what stands
// behind a user key, their order, where restarts are. The entries are encoded
// anew, so that one change does not make the rest unreadable.
#pragma once

#include <string>

#include "tests/fuzz/mutator.h"

namespace tamis {

// A block whose values have a length in front. One that cannot be taken apart
// is changed as bytes.
std::string MutateBlock(const std::string& block, Mutator* mutator);

// The block with the entry in its place, by its bytes, in place of one of the
// same key. As it is when it cannot be taken apart.
std::string WithEntry(const std::string& block, const std::string& key,
                      const std::string& value);

}  // namespace tamis
