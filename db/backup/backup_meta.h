// SPDX-License-Identifier: Apache-2.0
//
// The text that describes one backup, meta/N:
//
//   schema_version 2.0                            not in version 1
//   1795717440                                    time, Unix seconds
//   4711                                          the last sequence number
//   metadata 6170702064617461                     of the application, in hex
//   5                                             number of files
//   shared_checksum/000009_sD0TCHIE_994.sst crc32 877891496
//   private/1/MANIFEST-000005 crc32 4175778182    CRC-32C, decimal, not masked
//   ...
//
// Version 2 may have more fields, "name value": lines before the number of
// files and after the files, and pairs after a file's name. Of these, `size` is
// the file's length. A name that starts with "ni::" must not be ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/slice.h"
#include "tamis/utilities/backup_engine.h"

#include "db/base/file_names.h"
#include "util/base/result.h"

namespace tamis {

// A file of a backup.
struct BackupFile {
  std::string path;                // below the backup directory
  std::optional<uint32_t> crc32c;  // of all bytes
  std::optional<uint64_t> size;    // bytes, if it is known without a look
};

struct BackupMeta {
  int64_t timestamp = 0;
  uint64_t sequence_number = 0;
  std::string app_metadata;
  std::vector<BackupFile> files;
};

// A file's place in a database.
struct NameInDatabase {
  ParsedFileName file;
  std::string name;  // without directory
};

// Returns where a restore puts a file of backup `id`, or nullopt if no backup
// with this id has such a file. A path that leaves the directory is none.
std::optional<NameInDatabase> NameOfBackupFile(BackupID id,
                                               std::string_view path);

std::string EncodeBackupMeta(const BackupMeta& meta, int schema_version);

// `path`, that of the text, is for messages. Returns Corruption, or
// NotSupported if a later release wrote the text.
Result<BackupMeta> DecodeBackupMeta(BackupID id, const std::string& path,
                                    const Slice& text);

}  // namespace tamis
