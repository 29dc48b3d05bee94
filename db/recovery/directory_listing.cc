// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/directory_listing.h"

#include <algorithm>
#include <string>

#include "db/base/file_names.h"
#include "db/compaction/job_directory.h"

namespace tamis {

namespace {

// The numbers of archived logs are not given again: after a repair, no other
// file has such high ones. Nothing else is read from there.
Status CountArchive(const DBContext& context, DirectoryListing* listing) {
  std::vector<std::string> names;
  const Status status = context.fs()->GetChildren(
      ArchiveDirectory(context.log_directory()), &names);
  // Without retention, a name that is no directory is not the database's.
  const bool kept = context.options.WAL_ttl_seconds != 0 ||
                    context.options.WAL_size_limit_MB != 0;
  if (!status.ok()) return kept ? status : Status::OK();
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kLog) continue;
    listing->largest_number = std::max(listing->largest_number, file->number);
  }
  return status;
}

// Adds the logs of a directory of their own. The numbers of their trash are not
// given again, either.
Status ListWalDirectory(const DBContext& context, DirectoryListing* listing,
                        bool* has_archive) {
  std::vector<std::string> names;
  const Status listed = context.fs()->GetChildren(context.wal_dir, &names);
  if (listed.IsPathNotFound()) {
    return Status::InvalidArgument("DBOptions::wal_dir",
                                   context.wal_dir + " does not exist");
  }
  TAMIS_RETURN_IF_ERROR(listed);
  listing->stray_logs.swap(listing->logs);
  *has_archive = false;
  for (const std::string& name : names) {
    if (name == "archive") *has_archive = true;
    const auto file = ParseFileName(name);
    if (!file ||
        (file->type != FileKind::kLog && file->type != FileKind::kTrash)) {
      continue;
    }
    if (file->type == FileKind::kLog) listing->logs.push_back(file->number);
    listing->largest_number = std::max(listing->largest_number, file->number);
  }
  return Status::OK();
}

// The numbers of the trash of tables are not given again, either.
Status ListTableDirectory(const DBContext& context, const std::string& name,
                          DirectoryListing* listing) {
  std::vector<std::string> names;
  const Status listed = context.fs()->GetChildren(name, &names);
  if (listed.IsPathNotFound()) return Status::OK();
  TAMIS_RETURN_IF_ERROR(listed);
  const auto directory = std::make_shared<const std::string>(name);
  for (const std::string& child : names) {
    const auto file = ParseFileName(child);
    if (!file ||
        (file->type != FileKind::kTable && file->type != FileKind::kTrash)) {
      continue;
    }
    listing->largest_number = std::max(listing->largest_number, file->number);
    if (file->type != FileKind::kTable) continue;
    listing->tables.push_back(file->number);
    listing->table_directories[file->number] = directory;
  }
  return Status::OK();
}

}  // namespace

Result<DirectoryListing> ListDirectory(const DBContext& context) {
  DirectoryListing listing;
  std::vector<std::string>& names = listing.names;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetChildren(context.directory, &names));
  for (const std::string& name : names) {
    if (IsJobDirectoryName(name)) listing.job_directories.push_back(name);
    const auto file = ParseFileName(name);
    if (!file) continue;
    switch (file->type) {
      case FileKind::kLog:
        listing.logs.push_back(file->number);
        break;
      case FileKind::kTable:
        listing.tables.push_back(file->number);
        break;
      case FileKind::kDescriptor:
        listing.manifests.push_back(file->number);
        break;
      case FileKind::kCurrent:
        listing.has_current = true;
        continue;
      case FileKind::kOptions:
        listing.has_options = true;
        break;
      case FileKind::kIdentity:
        listing.has_identity = true;
        continue;
      case FileKind::kInfoLog:
      case FileKind::kLock:
        continue;  // their numbers, if any, come from elsewhere
      default:
        break;
    }
    listing.largest_number = std::max(listing.largest_number, file->number);
  }
  bool has_archive =
      std::find(names.begin(), names.end(), "archive") != names.end();
  if (!context.wal_dir.empty()) {
    TAMIS_RETURN_IF_ERROR(ListWalDirectory(context, &listing, &has_archive));
  }
  for (const std::string& directory : context.table_directories) {
    TAMIS_RETURN_IF_ERROR(ListTableDirectory(context, directory, &listing));
  }
  if (has_archive) {
    TAMIS_RETURN_IF_ERROR(CountArchive(context, &listing));
  }
  std::sort(listing.logs.begin(), listing.logs.end());
  std::sort(listing.stray_logs.begin(), listing.stray_logs.end());
  std::sort(listing.tables.begin(), listing.tables.end());
  std::sort(listing.manifests.begin(), listing.manifests.end());
  return listing;
}

Result<DirectoryListing> ListForReading(const DBContext& context) {
  const auto before = ListDirectory(context);
  if (!before.ok()) return before.status();
  auto listing = ListDirectory(context);
  if (!listing.ok()) return listing.status();
  const FileNumber newest =
      before->logs.empty() ? kNoFile : before->logs.back();
  std::erase_if(listing->logs,
                [newest](FileNumber number) { return number > newest; });
  return listing;
}

}  // namespace tamis
