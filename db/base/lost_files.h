// SPDX-License-Identifier: Apache-2.0
//
// Files that may hold data but are no longer used are not deleted: they are
// moved to the subdirectory lost/ of the directory that they are in.
#pragma once

#include <string>

#include "tamis/status.h"

#include "db/base/db_context.h"

namespace tamis {

// Moves the file `name` (a base name) of the directory, the database's or that
// of its logs, to lost/, which is created if missing. Adds a number to the name
// if lost/ has a file of that name already.
Status MoveToLost(const DBContext& context, const std::string& directory,
                  const std::string& name);

}  // namespace tamis
