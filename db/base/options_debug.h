// SPDX-License-Identifier: Apache-2.0
//
// Formats options for logs, tests and the debugger: one line "name=value" each.
// The values are those of convenience.h; objects without a text are shown by
// name.
#pragma once

#include <string>

#include "tamis/options.h"
#include "tamis/table.h"

namespace tamis {

std::string DebugString(const DBOptions& options);
// Includes the options of its tables, in braces.
std::string DebugString(const ColumnFamilyOptions& options);
std::string DebugString(const BlockBasedTableOptions& options);

}  // namespace tamis
