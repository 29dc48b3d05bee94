// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/create_database.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/manifest/manifest_writer.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_reader.h"
#include "table/unique_id.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr FileNumber kFirstManifest{1};
constexpr FileNumber kFirstLog{2};

}  // namespace

Status LoadIdentity(DBContext* context) {
  auto stored = ReadIdentityFile(context->fs(), context->directory);
  if (!stored.ok() && !stored.status().IsPathNotFound()) {
    return stored.status();
  }
  if (stored.ok()) context->stored_id = std::move(stored).value();
  context->db_id =
      context->stored_id.empty() ? NewDatabaseId() : context->stored_id;
  return Status::OK();
}

Status StoreIdentity(DBContext* context, bool sync) {
  if (context->stored_id == context->db_id) return Status::OK();
  TAMIS_RETURN_IF_ERROR(
      SetIdentityFile(context->fs(), context->directory, context->db_id, sync));
  context->stored_id = context->db_id;
  return Status::OK();
}

Status CreateDatabase(const DBContext& context, const Comparator& comparator,
                      DirectoryListing* listing) {
  VersionEdit edit;
  edit.db_id = context.db_id;
  edit.comparator = comparator.Name();
  edit.log_number = kFirstLog;
  edit.prev_log_number = kNoFile;
  edit.next_file_number = kFirstLog.Next();
  edit.last_sequence = 0;
  // The empty record is that of a MANIFEST that was closed.
  std::vector<std::string> records(2);
  edit.EncodeTo(&records[0]);

  FileSystem* const fs = context.fs();
  const std::string& directory = context.directory;
  auto manifest = NewManifest(fs, DescriptorFileName(directory, kFirstManifest),
                              kFirstManifest, records);
  if (!manifest.ok()) return manifest.status();
  TAMIS_RETURN_IF_ERROR((*manifest)->Close());
  TAMIS_RETURN_IF_ERROR(ReplaceCurrentFile(fs, directory, kFirstManifest));
  // The caller's sync makes all names durable if they are in one directory.
  if (!context.wal_dir.empty()) {
    TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(fs, directory));
  }
  listing->has_current = true;
  listing->manifests = {kFirstManifest};
  listing->logs.clear();
  listing->stray_logs.clear();
  listing->first_log = kFirstLog;
  listing->largest_number = std::max(listing->largest_number, kFirstLog);
  return Status::OK();
}

namespace {

// Returns whether there is no other log in the database's directory than the
// first, without a record: it gets none before the creation is durable.
bool IsUnusedFirstLog(const DBContext& context,
                      const std::vector<FileNumber>& logs) {
  if (logs.empty()) return true;
  if (logs != std::vector<FileNumber>{kFirstLog}) return false;
  uint64_t bytes = 0;
  return context.fs()
             ->GetFileSize(LogFileName(context.directory, kFirstLog), &bytes)
             .ok() &&
         bytes == 0;
}

}  // namespace

bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing) {
  // The first OPTIONS file is written when the creation is durable.
  if (listing.has_options || !listing.tables.empty() ||
      !IsUnusedFirstLog(context, listing.logs) ||
      !IsUnusedFirstLog(context, listing.stray_logs)) {
    return false;
  }
  if (listing.has_current) {
    const auto named = ReadCurrentFile(context.fs(), context.directory);
    return listing.manifests.empty() && named.ok() &&
           *named == DescriptorFileName("", kFirstManifest).substr(1);
  }
  // Only the first MANIFEST may exist. Its records must decode and list no
  // table; the last one may be torn.
  if (listing.manifests.empty()) return true;
  if (listing.manifests != std::vector<FileNumber>{kFirstManifest})
    return false;
  const auto reader = LogReader::Open(
      context.fs(), DescriptorFileName(context.directory, kFirstManifest),
      kFirstManifest, LogKind::kManifest);
  if (!reader.ok()) return false;
  std::string record;
  LogReader::Outcome outcome;
  while ((outcome = (*reader)->ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    const auto edit = VersionEdit::Decode(record);
    if (!edit.ok() || !edit->new_files.empty()) return false;
  }
  return outcome != LogReader::Outcome::kCorrupt;
}

}  // namespace tamis
