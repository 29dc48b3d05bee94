// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/one_moment.h"

#include <cstdint>

#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

std::string MomentOf(FileSystem* fs, const std::string& directory) {
  std::string current;
  const Status status =
      ReadFileToString(fs, CurrentFileName(directory), &current);
  if (!status.ok() || current.empty()) return status.ToString();
  uint64_t bytes = 0;
  const Status sized = fs->GetFileSize(
      directory + "/" + current.substr(0, current.size() - 1), &bytes);
  return current + sized.ToString() + std::to_string(bytes);
}

}  // namespace tamis
