// SPDX-License-Identifier: Apache-2.0
//
// Mutates a table as a tree: footer, metaindex and index, and the blocks these
// lead to. What changes is a part of the tree; then the file is laid out anew,
// every handle says where its block came to stand, and every checksum is right.
//
//   footer ─┬▶ metaindex ─┬▶ properties, range deletions, filter, dictionary
//           │             └▶ index of filter partitions ──▶ partition
//           └▶ index ─┬▶ data block
//                     └▶ partition ──▶ data block
#pragma once

#include <string>

#include "tests/fuzz/mutator.h"

namespace tamis {

// A file whose footer, metaindex or index cannot be read is changed as bytes.
std::string MutateTable(const std::string& table, Mutator* mutator);

// Taken apart and laid out again, unchanged: what MutateTable begins with.
// Empty: it cannot be taken apart.
std::string RebuildTable(const std::string& table);

}  // namespace tamis
