// SPDX-License-Identifier: Apache-2.0
//
// Commands that read and change the contents of a database.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int Get(const Call& call);
int Put(const Call& call);
int Delete(const Call& call);
int SingleDelete(const Call& call);
int DeleteRange(const Call& call);
int Merge(const Call& call);
int BatchPut(const Call& call);
int Scan(const Call& call);
int Dump(const Call& call);
int CreateColumnFamily(const Call& call);
int DropColumnFamily(const Call& call);
int MakeCheckpoint(const Call& call);
int CheckConsistency(const Call& call);

}  // namespace tamis
