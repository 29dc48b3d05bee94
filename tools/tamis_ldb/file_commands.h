// SPDX-License-Identifier: Apache-2.0
//
// Commands that read the files of a database without opening it, so that they
// tell of one that does not open any more, and the one that mends it.
#pragma once

#include "tools/tamis_ldb/words.h"

namespace tamis {

int ManifestDump(const Call& call);
int DumpWal(const Call& call);
int ListColumnFamilies(const Call& call);
int ListLiveFilesMetadata(const Call& call);
int InternalDump(const Call& call);
int Repair(const Call& call);

}  // namespace tamis
