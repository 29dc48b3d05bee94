// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_manifest.h"

#include <string>
#include <vector>

#include "db/base/file_names.h"
#include "db/manifest/manifest_writer.h"
#include "db/manifest/version_edit.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

VersionEdit BirthOf(FamilyId id, const RepairFamily& family) {
  VersionEdit edit;
  edit.column_family = id;
  edit.comparator = family.family->options().comparator->Name();
  if (id != kDefaultFamilyId) edit.column_family_add = family.family->name();
  return edit;
}

VersionEdit ContentOf(FamilyId id, const RepairFamily& family,
                      const RepairCounters& counters) {
  VersionEdit edit;
  edit.column_family = id;
  edit.log_number = counters.log_number;
  edit.prev_log_number = kNoFile;
  edit.next_file_number = counters.next_file_number;
  edit.last_sequence = counters.last_sequence;
  edit.min_log_number_to_keep = counters.log_number;
  if (counters.max_column_family != kDefaultFamilyId) {
    edit.max_column_family = counters.max_column_family;
  }
  for (const RepairTable& table : family.tables) {
    edit.new_files.emplace_back(table.level.value(), table.meta);
  }
  return edit;
}

}  // namespace

Status WriteRepairedManifest(const DBContext& context,
                             const std::map<FamilyId, RepairFamily>& families,
                             const RepairCounters& counters,
                             bool name_database) {
  const FileNumber number = counters.manifest_number;
  std::vector<std::string> records;
  const auto add = [&records](const VersionEdit& edit) {
    edit.EncodeTo(&records.emplace_back());
  };
  for (const auto& [id, family] : families) {
    VersionEdit birth = BirthOf(id, family);
    if (id == kDefaultFamilyId && name_database) birth.db_id = context.db_id;
    add(birth);
    add(ContentOf(id, family, counters));
  }
  auto log = NewManifest(context.fs(), TempFileName(context.directory, number),
                         number, records);
  if (!log.ok()) return log.status();
  return (*log)->Close();
}

Status NameRepairedManifest(const DBContext& context, FileNumber number) {
  TAMIS_RETURN_IF_ERROR(
      context.fs()->RenameFile(TempFileName(context.directory, number),
                               DescriptorFileName(context.directory, number)));
  return file_io::SyncDirectory(context.fs(), context.directory);
}

}  // namespace tamis
