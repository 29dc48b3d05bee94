// SPDX-License-Identifier: Apache-2.0
#include "util/io/copy_file.h"

#include <algorithm>
#include <memory>

#include "util/base/result.h"

namespace tamis {

namespace {

constexpr size_t kCopyBytes = 256 * 1024;

}  // namespace

Status CopyFile(FileSystem* fs, const std::string& from, const std::string& to,
                uint64_t bytes) {
  std::unique_ptr<SequentialFile> in;
  TAMIS_RETURN_IF_ERROR(fs->NewSequentialFile(from, &in));
  std::unique_ptr<WritableFile> out;
  TAMIS_RETURN_IF_ERROR(fs->NewWritableFile(to, &out));
  const auto scratch = std::make_unique<char[]>(kCopyBytes);
  while (bytes > 0) {
    Slice chunk;
    const size_t wanted =
        static_cast<size_t>(std::min<uint64_t>(bytes, kCopyBytes));
    TAMIS_RETURN_IF_ERROR(in->Read(wanted, &chunk, scratch.get()));
    if (chunk.empty()) {
      return Status::Corruption(
          from, "short read: " + std::to_string(bytes) + " bytes are missing");
    }
    TAMIS_RETURN_IF_ERROR(out->Append(chunk));
    bytes -= chunk.size();
  }
  TAMIS_RETURN_IF_ERROR(out->Sync());
  return out->Close();
}

}  // namespace tamis
