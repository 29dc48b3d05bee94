// SPDX-License-Identifier: Apache-2.0
#include "db/manifest/manifest_writer.h"

#include <utility>

#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

Result<std::unique_ptr<LogWriter>> NewManifest(
    FileSystem* fs, const std::string& path, FileNumber number,
    std::span<const std::string> records) {
  TAMIS_CHECK(number <= kFileNumberMax);
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(
      file_io::Create(fs, path, {.role = FileRole::kManifest}, &file));
  auto log = std::make_unique<LogWriter>(std::move(file), number);
  for (const std::string& record : records) {
    TAMIS_RETURN_IF_ERROR(log->AddRecord(record));
  }
  TAMIS_RETURN_IF_ERROR(log->Sync());
  return log;
}

Result<std::unique_ptr<LogWriter>> StartManifest(
    FileSystem* fs, const std::string& directory, FileNumber number,
    std::span<const std::string> records) {
  auto log =
      NewManifest(fs, DescriptorFileName(directory, number), number, records);
  if (!log.ok()) return log;
  TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(fs, directory));
  TAMIS_RETURN_IF_ERROR(SetCurrentFile(fs, directory, number));
  return log;
}

}  // namespace tamis
