// SPDX-License-Identifier: Apache-2.0
//
// Checks the options that a user passes to Open, and fills in defaults for
// those that are not set.
#pragma once

#include <vector>

#include "tamis/db.h"
#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

// Returns OK if the options are complete and consistent. Otherwise returns
// InvalidArgument or NotSupported, which names the option and what to change.
Status CheckOptions(const DBOptions& options,
                    const std::vector<ColumnFamilyDescriptor>& families);
// Check the options of the database without its families, and of one family.
Status CheckDBOptions(const DBOptions& options);
Status CheckFamilyOptions(const ColumnFamilyOptions& options);

// Return the options with defaults filled in.
ColumnFamilyOptions CompleteOptions(ColumnFamilyOptions options);
DBOptions CompleteOptions(DBOptions options);

}  // namespace tamis
