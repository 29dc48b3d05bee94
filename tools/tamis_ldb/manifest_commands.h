// SPDX-License-Identifier: Apache-2.0
//
// Commands that read or change a MANIFEST without opening the database.
#pragma once

#include "tools/command_table.h"

namespace tamis {

int ManifestDump(const Call& call);
int FileChecksumDump(const Call& call);
int ListFileRangeDeletes(const Call& call);
int UnsafeRemoveSstFile(const Call& call);

}  // namespace tamis
