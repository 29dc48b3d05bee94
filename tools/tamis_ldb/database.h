// SPDX-License-Identifier: Apache-2.0
//
// The database that the flags name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "util/base/result.h"

namespace tamis {

// InvalidArgument: a flag has a value that means nothing.
Result<Options> OptionsFromFlags();
// The same for a family that was made with the comparator of this name; empty:
// unknown, --comparator counts.
Result<ColumnFamilyOptions> FamilyOptions(const std::string& comparator);
// Those of the families that the MANIFEST lists. An error: it does not read.
Result<std::vector<ColumnFamilyDescriptor>> ListedFamilies();

enum class Access { kRead, kWrite, kCreate };

// Opens it, all families of it, calls `use` with that of --column_family,
// closes it. Returns an ExitCode: that of `use`, or of what else failed.
int WithDatabase(Access access,
                 const std::function<int(DB*, ColumnFamilyHandle*)>& use);

}  // namespace tamis
