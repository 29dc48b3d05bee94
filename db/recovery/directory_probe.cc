// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/directory_probe.h"

#include "util/io/file_io.h"

namespace tamis {

void DirectoryProbe::Begin(const DirectoryMoment& begin) {
  is_set_ = false;
  if (!begin.sized.ok() ||
      !fs_->GetDirectoryVersion(directory_, &version_).ok()) {
    return;
  }
  if (begin.manifest() != manifest_name_) {
    manifest_name_.clear();
    if (!file_io::Open(fs_, directory_ + "/" + begin.manifest(), &manifest_)
             .ok()) {
      return;
    }
    manifest_name_ = begin.manifest();
  }
  manifest_bytes_ = begin.manifest_bytes;
  is_set_ = true;
}

bool DirectoryProbe::IsUnchanged() const {
  std::string version;
  char byte = 0;
  Slice more;
  return fs_->GetDirectoryVersion(directory_, &version).ok() &&
         version == version_ &&
         file_io::Read(*manifest_, manifest_bytes_, 1, &more, &byte).ok() &&
         more.empty();
}

}  // namespace tamis
