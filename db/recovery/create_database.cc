// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/create_database.h"

#include <memory>
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
  context->db_id = stored.ok() && !stored->empty() ? std::move(stored).value()
                                                   : NewDatabaseId();
  return Status::OK();
}

Status StoreIdentity(const DBContext& context, bool sync) {
  const auto stored = ReadIdentityFile(context.fs(), context.directory);
  if (stored.ok() && *stored == context.db_id) return Status::OK();
  return SetIdentityFile(context.fs(), context.directory, context.db_id, sync);
}

Status CreateDatabase(const DBContext& context, const Comparator& comparator) {
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

  TAMIS_RETURN_IF_ERROR(SetIdentityFile(context.fs(), context.directory,
                                        context.db_id, /*sync=*/false));
  auto manifest =
      StartManifest(context.fs(), context.directory, kFirstManifest, records);
  if (!manifest.ok()) return manifest.status();
  TAMIS_RETURN_IF_ERROR((*manifest)->Close());
  // RocksDB rejects a directory with a log and without CURRENT.
  std::unique_ptr<WritableFile> log;
  TAMIS_RETURN_IF_ERROR(file_io::Create(
      context.fs(), LogFileName(context.log_directory(), kFirstLog),
      {.role = FileRole::kLog}, &log));
  return log->Close();
}

bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing) {
  if (listing.has_current || !listing.logs.empty() ||
      !listing.stray_logs.empty() || !listing.tables.empty()) {
    return false;
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
