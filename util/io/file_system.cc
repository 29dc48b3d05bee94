// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes whole files through any FileSystem.
#include "tamis/file_system.h"

#include "util/base/result.h"
#include "util/io/file_io.h"

namespace tamis {

Status ReadFileToString(FileSystem* fs, const std::string& path,
                        std::string* contents) {
  constexpr size_t kChunkBytes = 64 * 1024;
  contents->clear();
  std::unique_ptr<SequentialFile> file;
  TAMIS_RETURN_IF_ERROR(file_io::Open(fs, path, &file));
  const auto scratch = std::make_unique<char[]>(kChunkBytes);
  for (;;) {
    Slice chunk;
    TAMIS_RETURN_IF_ERROR(
        file_io::Read(file.get(), kChunkBytes, &chunk, scratch.get()));
    contents->append(chunk.data(), chunk.size());
    if (chunk.size() < kChunkBytes) return Status::OK();
  }
}

namespace {

Status WriteAndClose(WritableFile* file, const Slice& contents, bool sync) {
  TAMIS_RETURN_IF_ERROR(file_io::Append(file, contents));
  if (sync) TAMIS_RETURN_IF_ERROR(file_io::Sync(file));
  return file->Close();
}

}  // namespace

Status WriteStringToFile(FileSystem* fs, const Slice& contents,
                         const std::string& path, bool sync) {
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(
      file_io::Create(fs, path, {.expected_size = contents.size()}, &file));
  Status status = WriteAndClose(file.get(), contents, sync);
  file.reset();
  // A partial file would mislead readers. If removing it fails too, nothing
  // more can be done.
  if (!status.ok()) fs->RemoveFile(path).PermitUncheckedError();
  return status;
}

}  // namespace tamis
