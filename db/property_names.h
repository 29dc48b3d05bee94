// SPDX-License-Identifier: Apache-2.0
//
// Names of properties that end in a number, as "rocksdb.num-files-at-level3".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/base/numbers.h"

namespace tamis {

// Returns the number in "<prefix><number>", or nullopt if `name` is no such.
std::optional<uint8_t> NumberIn(const std::string& name,
                                const std::string& prefix);
// Returns the level in "<prefix><level>", or nullopt.
std::optional<Level> LevelIn(const std::string& name,
                             const std::string& prefix);

}  // namespace tamis
