// SPDX-License-Identifier: Apache-2.0
//
// A directory for tables. See DBOptions::db_paths.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tamis/export.h"

namespace tamis {

struct TAMIS_EXPORT DbPath {
  DbPath() = default;
  // Sets both members.
  DbPath(std::string directory, uint64_t bytes)
      : path(std::move(directory)), target_size(bytes) {}

  // Should be absolute. Open creates it if missing, but not its parent.
  std::string path;
  // About how many bytes of tables the directory is to have.
  uint64_t target_size = 0;
};

}  // namespace tamis
