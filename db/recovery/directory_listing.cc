// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/directory_listing.h"

#include <algorithm>
#include <string>

#include "db/base/file_names.h"

namespace tamis {

Result<DirectoryListing> ListDirectory(const DBContext& context) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetChildren(context.directory, &names));
  DirectoryListing listing;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    switch (file->type) {
      case FileType::kLog:
        listing.logs.push_back(file->number);
        break;
      case FileType::kTable:
        listing.tables.push_back(file->number);
        break;
      case FileType::kDescriptor:
        listing.manifests.push_back(file->number);
        break;
      case FileType::kCurrent:
        listing.has_current = true;
        continue;
      case FileType::kInfoLog:
      case FileType::kIdentity:
      case FileType::kLock:
        continue;  // their numbers, if any, come from elsewhere
      default:
        break;
    }
    listing.largest_number = std::max(listing.largest_number, file->number);
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
