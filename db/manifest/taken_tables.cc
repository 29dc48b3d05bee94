// SPDX-License-Identifier: Apache-2.0
#include "db/manifest/taken_tables.h"

#include "db/base/table_file.h"
#include "db/manifest/table_path.h"
#include "util/base/exceptions.h"
#include "util/io/copy_file.h"
#include "util/io/file_io.h"

namespace tamis {

TakenTables::~TakenTables() {
  for (const std::string& path : created_) {
    IgnoreExceptions(
        [&] { RemoveTableFile(context_, path).PermitUncheckedError(); });
  }
}

Status TakenTables::Link(const std::string& source, const std::string& to) {
  TAMIS_RETURN_IF_ERROR(context_.fs()->LinkFile(source, to));
  // The file may be someone else's, who did not sync it.
  const Status synced = file_io::SyncFile(context_.fs(), to);
  if (synced.IsNotSupported()) {
    TAMIS_RETURN_IF_ERROR(context_.fs()->RemoveFile(to));
  }
  return synced;
}

Status TakenTables::LinkOrCopy(const std::string& source,
                               const FileMetaData& table, bool link,
                               bool may_copy, bool* linked) {
  created_.push_back(TablePath(context_, table));
  const std::string& to = created_.back();
  Status status = Status::NotSupported();
  if (link) status = Link(source, to);
  *linked = status.ok();
  if (status.IsNotSupported() && (!link || may_copy)) {
    status = CopyFile(context_.fs(), source, to, table.size, FileRole::kTable);
  }
  if (status.ok()) CountTableFile(context_, to, table.size);
  return status;
}

}  // namespace tamis
