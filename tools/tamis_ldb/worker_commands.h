// SPDX-License-Identifier: Apache-2.0
//
// The command that makes tamis_ldb a worker of a database's CompactionService.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int CompactJob(const Call& call);

}  // namespace tamis
