// SPDX-License-Identifier: Apache-2.0
//
// Mutates the entries of a block (table/block.h): keys, values, tails, their
// order, restart points. The entries are encoded again, so that a change does
// not make the rest unreadable.
#pragma once

#include <string>

#include "tests/fuzz/mutator.h"

namespace tamis {

// REQUIRES: values have a length before them. A block that cannot be parsed is
// changed as bytes.
std::string MutateBlock(const std::string& block, Mutator* mutator);

// The block with the entry inserted in bytewise order, or replacing one with
// the same key. Unchanged if it cannot be parsed.
std::string WithEntry(const std::string& block, const std::string& key,
                      const std::string& value);

}  // namespace tamis
