// SPDX-License-Identifier: Apache-2.0
//
// Formats options for logs, tests and the debugger: one line "name=value" each.
// Objects are shown by name, enumerations by number.
#pragma once

#include <string>

#include "tamis/options.h"
#include "tamis/table.h"

namespace tamis {

std::string DebugString(const DBOptions& options);
// Includes the options of its tables.
std::string DebugString(const ColumnFamilyOptions& options);
std::string DebugString(const BlockBasedTableOptions& options);

}  // namespace tamis
