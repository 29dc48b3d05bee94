// SPDX-License-Identifier: Apache-2.0
//
// Commands that read lines of entries from stdin, as scan and dump print them,
// and those that bring tables into a database.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int Load(const Call& call);
int WriteExternSst(const Call& call);
int IngestExternSst(const Call& call);

}  // namespace tamis
