// SPDX-License-Identifier: Apache-2.0
//
// Commands that make, list, check and restore backups.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int Backup(const Call& call);
int Restore(const Call& call);
int ListBackups(const Call& call);
int VerifyBackups(const Call& call);
int PurgeBackups(const Call& call);

}  // namespace tamis
