// SPDX-License-Identifier: Apache-2.0
//
// The command that shows what the files LOG of a database tell. It does not
// open the database.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int DrawTimeline(const Call& call);

}  // namespace tamis
