// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tamis::peers {

// Returns the bytes of all files in the folder and below.
uint64_t FolderBytes(const std::string& folder);

}  // namespace tamis::peers
