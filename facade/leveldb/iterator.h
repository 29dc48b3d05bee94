// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <leveldb/iterator.h>

#include "tamis/iterator.h"

namespace tamis::facade {

// An iterator of Tamis's as one of LevelDB's. `fills_cache`: what its reads do
// with a program's own cache (user_cache.h).
std::unique_ptr<leveldb::Iterator> ForLevelDB(
    std::unique_ptr<Iterator> iterator, bool fills_cache);

}  // namespace tamis::facade
