// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <leveldb/cache.h>

#include "tamis/cache.h"

namespace tamis::facade {

// Whether the object is of a program's own class, and not NewLRUCache's.
bool IsOfOwnClass(leveldb::Cache* cache);

// The cache of blocks of a database with this option. NewLRUCache's has one of
// its capacity, which all databases that are given the object share. Without a
// cache, it is LevelDB's default: 8 MiB for this database alone. nullptr for an
// object of a program's own class: see user_cache.h.
std::shared_ptr<Cache> BlockCacheOf(leveldb::Cache* cache);

}  // namespace tamis::facade
