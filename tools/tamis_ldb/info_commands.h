// SPDX-License-Identifier: Apache-2.0
//
// Commands that print keys and figures of an open database, and a shell of
// commands on stdin.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int MultiGet(const Call& call);
int GetProperty(const Call& call);
int ApproxSize(const Call& call);
// Reads get, put and delete from stdin, a line each.
int Query(const Call& call);
// Files, bytes and filters by level, and a warning where level 0 piles up.
int Stats(const Call& call);

}  // namespace tamis
