// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/create_database.h"

#include <string>
#include <utility>

#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/manifest/manifest_writer.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_reader.h"
#include "table/unique_id.h"
#include "util/base/random.h"

namespace tamis {

namespace {

constexpr FileNumber kFirstManifest{1};

}  // namespace

Status LoadIdentity(DBContext* context) {
  auto stored = ReadIdentityFile(context->fs(), context->directory);
  if (!stored.ok() && !stored.status().IsPathNotFound()) {
    return stored.status();
  }
  context->db_id =
      stored.ok() && !stored->empty()
          ? std::move(stored).value()
          : MakeDatabaseId(RandomSeedFromSystem(), RandomSeedFromSystem());
  return Status::OK();
}

Status StoreIdentity(const DBContext& context) {
  const auto stored = ReadIdentityFile(context.fs(), context.directory);
  if (stored.ok() && *stored == context.db_id) return Status::OK();
  return SetIdentityFile(context.fs(), context.directory, context.db_id);
}

Status CreateDatabase(const DBContext& context, const Comparator& comparator) {
  VersionEdit edit;
  edit.comparator = comparator.Name();
  edit.log_number = kNoFile;
  edit.prev_log_number = kNoFile;
  edit.next_file_number = kFirstManifest.Next();
  edit.last_sequence = 0;
  std::string record;
  edit.EncodeTo(&record);

  TAMIS_RETURN_IF_ERROR(
      SetIdentityFile(context.fs(), context.directory, context.db_id));
  auto log = NewManifest(context.fs(),
                         DescriptorFileName(context.directory, kFirstManifest),
                         kFirstManifest, {&record, 1});
  if (!log.ok()) return log.status();
  TAMIS_RETURN_IF_ERROR((*log)->Close());
  TAMIS_RETURN_IF_ERROR(context.fs()->SyncDirectory(context.directory));
  return SetCurrentFile(context.fs(), context.directory, kFirstManifest);
}

bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing) {
  if (listing.has_current || !listing.logs.empty() || !listing.tables.empty()) {
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
