// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/log_ending.h"

#include <algorithm>
#include <memory>

#include "tamis/file_system.h"

#include "db/base/file_names.h"
#include "db/wal/log_format.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

// Whether the file can be a log without a complete record, which a crash cut
// or which reuses an older one: the type at its beginning is known, and a plain
// record ends behind the file or the block.
bool BeginsAsLog(const std::string& path) {
  const std::shared_ptr<FileSystem> fs = ToolFileSystem();
  uint64_t size = 0;
  std::unique_ptr<SequentialFile> file;
  char room[log::kHeaderBytes];
  if (!fs->GetFileSize(path, &size).ok() || size < sizeof(room) ||
      !fs->NewSequentialFile(path, &file).ok()) {
    return true;
  }
  Slice header;
  if (!file->Read(sizeof(room), &header, room).ok() ||
      header.size() < sizeof(room)) {
    return true;
  }
  const auto type = static_cast<uint8_t>(header[6]);
  if (type > log::kLast) return type <= log::kRecyclableTimestampSizes;
  const uint64_t end = sizeof(room) + DecodeFixed16(header.data() + 4);
  return type == log::kZero || end > size ||
         end + sizeof(room) > log::kBlockBytes;
}

}  // namespace

Result<std::unique_ptr<LogReader>> OpenLogFile(const std::string& path,
                                               LogKind kind) {
  const size_t slash = path.rfind('/');
  const auto name =
      ParseFileName(slash == std::string::npos ? path : path.substr(slash + 1));
  return LogReader::Open(ToolFileSystem().get(), path,
                         name ? name->number : kNoFile, kind);
}

int LogEnding(const LogReader& reader, const std::string& path,
              uint64_t records, LogReader::Outcome outcome, LogKind kind) {
  const bool manifest = kind == LogKind::kManifest;
  const bool torn = outcome == LogReader::Outcome::kTornTail;
  if (records == 0 && (manifest ? torn || outcome == LogReader::Outcome::kEnd
                                : torn && !BeginsAsLog(path))) {
    return Failed(Status::Corruption(
        path, std::string("no record begins at offset 0, as in a ") +
                  (manifest ? "MANIFEST" : "write-ahead log")));
  }
  if (outcome == LogReader::Outcome::kEnd) return kExitRight;
  if (!torn) return Failed(reader.status());
  Print("torn tail at offset " + std::to_string(reader.record_offset()) + ": " +
        std::to_string(reader.bytes_dropped()) + " bytes\n");
  return kExitRight;
}

}  // namespace tamis
