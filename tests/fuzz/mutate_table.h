// SPDX-License-Identifier: Apache-2.0
//
// Mutates a table as a tree: footer, metaindex and index, and the blocks that
// they refer to. A part of the tree changes; then the file is written again,
// with right handles and checksums.
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

// The table parsed and written again without a change, as in MutateTable.
// Empty: it cannot be parsed.
std::string RebuildTable(const std::string& table);

}  // namespace tamis
