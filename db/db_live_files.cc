// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl for programs that copy the files of
// an open database: they list them, and keep them from being deleted. db_wal.cc
// has those for logs.
#include "db/base/file_names.h"
#include "db/db_impl.h"

namespace tamis {

Status DBImpl::DisableFileDeletions() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    obsolete_.Disable();
  }
  wal_archive_.Disable();
  return Status::OK();
}

Status DBImpl::EnableFileDeletions() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    if (!obsolete_.Enable()) {
      return Status::InvalidArgument("EnableFileDeletions",
                                     "file deletions are not disabled");
    }
    scheduler_.PurgeObsoleteFiles();
  }
  wal_archive_.Enable();
  return Status::OK();
}

Status DBImpl::GetLiveFiles(std::vector<std::string>* files,
                            uint64_t* manifest_bytes, bool flush_memtable) {
  files->clear();
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (flush_memtable) {
    TAMIS_RETURN_IF_ERROR(write_path_.Flush(*versions_.families().view(),
                                            /*wait=*/true,
                                            FlushReason::kGetLiveFiles));
  }
  *manifest_bytes = versions_.ManifestBytes();
  const std::string manifest =
      DescriptorFileName("", versions_.manifest_number());
  if (*manifest_bytes == 0) {
    TAMIS_RETURN_IF_ERROR(context_.fs()->GetFileSize(
        context_.directory + manifest, manifest_bytes));
  }
  for (const FileNumber number :
       ColumnFamilySet::TableNumbers(*versions_.families().view())) {
    files->push_back(TableFileName("", number));
  }
  files->push_back(CurrentFileName(""));
  files->push_back(manifest);
  return Status::OK();
}

}  // namespace tamis
