// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/folder_bytes.h"

#include <filesystem>

namespace tamis::peers {

uint64_t FolderBytes(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    std::error_code gone;  // by a compaction that has ended meanwhile
    const uintmax_t size =
        entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace tamis::peers
