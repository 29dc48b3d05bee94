// SPDX-License-Identifier: Apache-2.0
//
// The files of a database directory, by kind and number.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/db_context.h"
#include "util/base/result.h"

namespace tamis {

// The file names of a directory, sorted out.
struct DirectoryListing {
  std::vector<uint64_t> logs;       // ascending
  std::vector<uint64_t> tables;     // ascending
  std::vector<uint64_t> manifests;  // ascending
  uint64_t largest_number = 0;      // of files of every kind
  bool has_current = false;
};
Result<DirectoryListing> ListDirectory(const DBContext& context);
// Beside a writer: of two logs that are begun while the directory is listed,
// the list may lack the first. Here it lacks none before the newest in it.
Result<DirectoryListing> ListForReading(const DBContext& context);

}  // namespace tamis
