// SPDX-License-Identifier: Apache-2.0
//
// Commands of tamis_rados that copy directories, byte for byte.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int CopyOut(const Call& call);
int CopyIn(const Call& call);

}  // namespace tamis
