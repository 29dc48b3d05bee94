// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tamis/file_system.h"

namespace tamis {

// Copies the first `bytes` bytes of the file, as a file of the role, and syncs
// the copy. Returns
// Corruption if the file is shorter. If it fails, `to` may exist.
Status CopyFile(FileSystem* fs, const std::string& from, const std::string& to,
                uint64_t bytes, FileRole role);

}  // namespace tamis
