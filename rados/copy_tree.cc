// SPDX-License-Identifier: Apache-2.0
#include "rados/copy_tree.h"

#include <memory>
#include <vector>

namespace tamis::rados {

namespace {

constexpr size_t kBytesAtOnce = 1 << 20;

class TreeCopier {
 public:
  TreeCopier(FileSystem* from_fs, FileSystem* to_fs, CopyCounts* counts,
             const std::function<void(const CopyCounts&)>& progress)
      : from_fs_(from_fs),
        to_fs_(to_fs),
        counts_(counts),
        progress_(progress),
        scratch_(kBytesAtOnce, '\0') {}

  Status Copy(const std::string& from, const std::string& to);

 private:
  Status CopyFile(const std::string& from, const std::string& to);

  FileSystem* const from_fs_;
  FileSystem* const to_fs_;
  CopyCounts* const counts_;
  const std::function<void(const CopyCounts&)>& progress_;
  std::string scratch_;
};

FileRole RoleOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".sst") || name.ends_with(".ldb")) return FileRole::kTable;
  if (name.ends_with(".log")) return FileRole::kLog;
  if (name.starts_with("MANIFEST")) return FileRole::kManifest;
  return FileRole::kOther;
}

Status TreeCopier::Copy(const std::string& from, const std::string& to) {
  std::vector<std::string> names;
  Status status = from_fs_->GetChildren(from, &names);
  if (status.ok()) status = to_fs_->CreateDirIfMissing(to);
  for (const std::string& name : names) {
    if (!status.ok()) return status;
    if (name == "LOCK") continue;
    const std::string child = from + "/" + name;
    std::vector<std::string> below;
    const bool is_directory = from_fs_->GetChildren(child, &below).ok();
    status = is_directory ? Copy(child, to + "/" + name)
                          : CopyFile(child, to + "/" + name);
  }
  return status.ok() ? to_fs_->SyncDirectory(to) : status;
}

Status TreeCopier::CopyFile(const std::string& from, const std::string& to) {
  std::unique_ptr<SequentialFile> source;
  Status status = from_fs_->NewSequentialFile(from, &source);
  if (!status.ok()) return status;
  FileOptions options;
  options.role = RoleOf(to);
  std::unique_ptr<WritableFile> target;
  status = to_fs_->OpenWritableFile(to, options, &target);
  while (status.ok()) {
    Slice piece;
    status = source->Read(scratch_.size(), &piece, scratch_.data());
    if (!status.ok() || piece.empty()) break;
    status = target->Append(piece);
    counts_->bytes += piece.size();
    if (progress_ != nullptr) progress_(*counts_);
  }
  if (status.ok()) status = target->Sync();
  if (status.ok()) status = target->Close();
  if (status.ok()) ++counts_->files;
  return status;
}

}  // namespace

Status CopyTree(FileSystem* from_fs, const std::string& from, FileSystem* to_fs,
                const std::string& to, CopyCounts* counts,
                const std::function<void(const CopyCounts&)>& progress) {
  *counts = CopyCounts();
  const Status exists = to_fs->FileExists(to);
  if (exists.ok()) {
    return Status::InvalidArgument(
        to, "it exists already; a copy creates its directory");
  }
  if (!exists.IsPathNotFound()) return exists;
  return TreeCopier(from_fs, to_fs, counts, progress).Copy(from, to);
}

}  // namespace tamis::rados
