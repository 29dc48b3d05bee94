// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tamis/file_system.h"

namespace tamis {

// Copies the first `bytes` bytes of the file, and syncs the copy. Returns
// Corruption if the file is shorter. If it fails, `to` may exist.
Status CopyFile(FileSystem* fs, const std::string& from, const std::string& to,
                uint64_t bytes);

}  // namespace tamis
