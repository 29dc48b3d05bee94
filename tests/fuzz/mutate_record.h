// SPDX-License-Identifier: Apache-2.0
//
// Mutates the records of logs and MANIFESTs as lists of items: a tag and its
// parts. Parts change; items are added, removed and swapped. The result is well
// formed up to the first byte that was not before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "tests/fuzz/mutator.h"

namespace tamis {

// A record of a MANIFEST (db/manifest/version_edit.h).
std::string MutateEdit(const std::string& record, Mutator* mutator);
// A WriteBatch. Its count is usually corrected.
std::string MutateBatch(const std::string& record, Mutator* mutator);

// The edit with these sizes for the tables that it adds, by file number, and
// without their unique ids, after the tables were changed.
std::string WithTableSizes(const std::string& record,
                           const std::map<uint64_t, uint64_t>& sizes);

}  // namespace tamis
