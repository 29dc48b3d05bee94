// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/one_moment.h"

#include <cstdint>

#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

DirectoryMoment MomentOf(FileSystem* fs, const std::string& directory) {
  DirectoryMoment moment;
  moment.sized =
      ReadFileToString(fs, CurrentFileName(directory), &moment.current);
  if (moment.sized.ok() && moment.current.empty()) {
    moment.sized =
        Status::Corruption(CurrentFileName(directory), "it is empty");
  }
  if (moment.sized.ok()) {
    moment.sized = fs->GetFileSize(directory + "/" + moment.manifest(),
                                   &moment.manifest_bytes);
  }
  return moment;
}

bool IsOfHistory(FileSystem* fs, const std::string& directory,
                 const UnloggedHistory& history) {
  const auto manifest = ReadManifest(fs, directory);
  return manifest.ok() && HistoryOf(*manifest) == history;
}

}  // namespace tamis
