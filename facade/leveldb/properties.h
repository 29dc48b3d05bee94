// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tamis/db.h"

namespace tamis::facade {

// The properties of LevelDB, by their names there:
// leveldb.num-files-at-level<N>, leveldb.stats, leveldb.sstables,
// leveldb.approximate-memory-usage. Returns false for any other.
bool GetProperty(DB* db, const Slice& property, std::string* value);

}  // namespace tamis::facade
