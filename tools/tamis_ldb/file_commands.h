// SPDX-License-Identifier: Apache-2.0
//
// Commands that read a database's files without opening it, and so work on one
// that no longer opens; and the command that repairs it.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int DumpWal(const Call& call);
int ListColumnFamilies(const Call& call);
int ListLiveFilesMetadata(const Call& call);
int InternalDump(const Call& call);
int Repair(const Call& call);

}  // namespace tamis
