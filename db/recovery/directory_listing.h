// SPDX-License-Identifier: Apache-2.0
//
// Lists the files of a database directory by type and number.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "util/base/result.h"

namespace tamis {

// The files of a directory by type.
struct DirectoryListing {
  std::vector<FileNumber> logs;       // ascending
  std::vector<FileNumber> tables;     // ascending
  std::vector<FileNumber> manifests;  // ascending
  FileNumber largest_number;          // of all file types
  bool has_current = false;
};
Result<DirectoryListing> ListDirectory(const DBContext& context);
// For a read-only open while another process writes. A listing taken while two
// logs are created may lack the first. This one lacks no log older than its
// newest.
Result<DirectoryListing> ListForReading(const DBContext& context);

}  // namespace tamis
