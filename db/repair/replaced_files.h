// SPDX-License-Identifier: Apache-2.0
//
// Moves the files that a repair replaces to lost/.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/repair/repair_files.h"
#include "util/base/result.h"

namespace tamis {

// Moves, durably, the MANIFESTs found, then the logs and the tables that are
// not in `used`, and the OPTIONS files if the newest lists other families than
// those with these names. Returns how many files it moved. MANIFESTs go first,
// so that a half-moved directory does not open.
Result<uint64_t> SetAsideReplaced(const DBContext& context,
                                  const FoundFiles& found,
                                  const std::set<FileNumber>& used,
                                  const std::set<std::string>& families);

}  // namespace tamis
