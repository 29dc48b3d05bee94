// SPDX-License-Identifier: Apache-2.0
//
// Commands of tamis_rados that show volumes, and fence them.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int List(const Call& call);
int ShowOwner(const Call& call);
int ShowFiles(const Call& call);
int ShowPins(const Call& call);
int Fence(const Call& call);
int Orphans(const Call& call);

}  // namespace tamis
