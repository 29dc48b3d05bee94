// SPDX-License-Identifier: Apache-2.0
//
// Checks the options of a family's tables before a database is opened.
#pragma once

#include "tamis/options.h"

namespace tamis {

// Returns InvalidArgument or NotSupported, which names the option.
Status CheckTableFactory(const ColumnFamilyOptions& options);

}  // namespace tamis
