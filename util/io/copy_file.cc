// SPDX-License-Identifier: Apache-2.0
#include "util/io/copy_file.h"

#include <algorithm>
#include <memory>

#include "util/base/result.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr size_t kCopyBytes = 256 * 1024;

}  // namespace

Status CopyFile(FileSystem* fs, const std::string& from, const std::string& to,
                uint64_t bytes, FileRole role) {
  std::unique_ptr<SequentialFile> in;
  TAMIS_RETURN_IF_ERROR(file_io::Open(fs, from, &in));
  std::unique_ptr<WritableFile> out;
  TAMIS_RETURN_IF_ERROR(
      file_io::Create(fs, to, {.role = role, .expected_size = bytes}, &out));
  const auto scratch = std::make_unique<char[]>(kCopyBytes);
  while (bytes > 0) {
    Slice chunk;
    const size_t wanted =
        static_cast<size_t>(std::min<uint64_t>(bytes, kCopyBytes));
    TAMIS_RETURN_IF_ERROR(
        file_io::Read(in.get(), wanted, &chunk, scratch.get()));
    if (chunk.empty()) {
      return Status::Corruption(
          from, "short read: " + std::to_string(bytes) + " bytes are missing");
    }
    TAMIS_RETURN_IF_ERROR(file_io::Append(out.get(), chunk));
    bytes -= chunk.size();
  }
  TAMIS_RETURN_IF_ERROR(file_io::Sync(out.get()));
  return out->Close();
}

}  // namespace tamis
