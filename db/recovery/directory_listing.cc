// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/directory_listing.h"

#include <algorithm>
#include <string>

#include "db/base/file_names.h"

namespace tamis {

namespace {

// The numbers of archived logs are not given again: after a repair, no other
// file has such high ones. Nothing else is read from there.
Status CountArchive(const DBContext& context, DirectoryListing* listing) {
  std::vector<std::string> names;
  const Status status =
      context.fs()->GetChildren(ArchiveDirectory(context.directory), &names);
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

}  // namespace

Result<DirectoryListing> ListDirectory(const DBContext& context) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetChildren(context.directory, &names));
  DirectoryListing listing;
  for (const std::string& name : names) {
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
      case FileKind::kInfoLog:
      case FileKind::kIdentity:
      case FileKind::kLock:
        continue;  // their numbers, if any, come from elsewhere
      default:
        break;
    }
    listing.largest_number = std::max(listing.largest_number, file->number);
  }
  if (std::find(names.begin(), names.end(), "archive") != names.end()) {
    TAMIS_RETURN_IF_ERROR(CountArchive(context, &listing));
  }
  std::sort(listing.logs.begin(), listing.logs.end());
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
