// SPDX-License-Identifier: Apache-2.0
//
// Copies a directory from one file system to another, byte for byte, with all
// that is below it. The files must not change meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tamis/file_system.h"
#include "tamis/status.h"

namespace tamis::rados {

struct CopyCounts {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// Creates the directory `to`, whose parent must exist. Returns InvalidArgument
// if something has its name already. Leaves out files that are named LOCK. What
// was copied is synced. Calls `progress` after each piece; nullptr: no call.
// After an error, a part of the copy may be there.
Status CopyTree(FileSystem* from_fs, const std::string& from, FileSystem* to_fs,
                const std::string& to, CopyCounts* counts,
                const std::function<void(const CopyCounts&)>& progress);

}  // namespace tamis::rados
