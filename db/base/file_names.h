// SPDX-License-Identifier: Apache-2.0
//
// The names of a database's files, and the two small files that are replaced
// atomically: CURRENT, which names the live MANIFEST, and IDENTITY.
//
//   CURRENT          MANIFEST-NNNNNN\n
//   MANIFEST-NNNNNN  version edits          IDENTITY        the database's id
//   NNNNNN.log       log of batches         LOCK            held while open
//   NNNNNN.sst .ldb  tables                 LOG LOG.old.*   for people
//   NNNNNN.dbtmp     temporary file         OPTIONS-NNNNNN  settings
//   archive/         logs kept for readers  lost/           see lost_files.h
//   (logs and archive/ may be elsewhere: db/recovery/wal_directory.h)
//   NNNNNN.sst.trash .log.trash .blob.trash  files that RocksDB is deleting
//
// All numbers come from one counter. They are written with at least six digits,
// read with any count, and below 2^62.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/file_system.h"

#include "db/base/numbers.h"
#include "util/base/result.h"

namespace tamis {

enum class FileKind : uint8_t {
  kLog,         // the write-ahead log
  kTable,       // .sst, or LevelDB's .ldb
  kDescriptor,  // MANIFEST
  kCurrent,
  kLock,
  kInfoLog,  // LOG, LOG.old.<microseconds>
  kTemp,     // .dbtmp
  kOptions,  // OPTIONS-N, OPTIONS-N.dbtmp
  kIdentity,
  kBlob,
  kMeta,   // METADB-N, of old releases
  kTrash,  // renamed by an SstFileManager, which deletes slowly
  kUnknown,
};

struct ParsedFileName {
  FileKind type = FileKind::kUnknown;
  FileNumber number;  // 0: the name has none
};

// Returns the type and number of a file by its name, without directory, or
// nullopt if no database has such files: leave the file alone.
std::optional<ParsedFileName> ParseFileName(std::string_view name);

// Returns `dir` without trailing slashes, but leaves "/".
std::string WithoutTrailingSlashes(std::string dir);
// Returns `other`, a directory of DBOptions, without superfluous slashes, or an
// empty string if it is empty or the database's directory by its name.
std::string SeparateDirectory(const std::string& dir, const std::string& other);
// Returns the directory that contains `dir`.
std::string ParentDirectory(const std::string& dir);

std::string LogFileName(const std::string& dir, FileNumber number);
// The directory of logs that no family needs any more.
std::string ArchiveDirectory(const std::string& dir);
std::string ArchivedLogFileName(const std::string& dir, FileNumber number);
std::string TableFileName(const std::string& dir, FileNumber number);
// A table's alias: the name (.ldb) that LevelDB gives it.
std::string LevelDBTableFileName(const std::string& dir, FileNumber number);
std::string DescriptorFileName(const std::string& dir, FileNumber number);
std::string CurrentFileName(const std::string& dir);
std::string LockFileName(const std::string& dir);
std::string IdentityFileName(const std::string& dir);
std::string TempFileName(const std::string& dir, FileNumber number);
std::string OptionsFileName(const std::string& dir, FileNumber number);

// Makes CURRENT name MANIFEST-<manifest_number>: temporary file, sync, rename.
// Until the directory is synced, a power failure may undo it. On an error,
// CURRENT may name either MANIFEST. REQUIRES: the new MANIFEST is complete and
// synced.
Status ReplaceCurrentFile(FileSystem* fs, const std::string& dir,
                          FileNumber manifest_number);
// The same, then syncs the directory. REQUIRES: the name of the new MANIFEST is
// synced, too.
Status SetCurrentFile(FileSystem* fs, const std::string& dir,
                      FileNumber manifest_number);

// Returns the MANIFEST's base name, as CURRENT spells it. Errors: PathNotFound
// if there is no CURRENT, Corruption if it does not end in a newline or does
// not name a MANIFEST.
Result<std::string> ReadCurrentFile(FileSystem* fs, const std::string& dir);

// Replaces IDENTITY by the same steps. Without `sync`, which a MANIFEST that
// has the id makes superfluous, a power failure may damage the file.
Status SetIdentityFile(FileSystem* fs, const std::string& dir,
                       const std::string& identity, bool sync);
// Returns the contents of IDENTITY, which may be empty, without the newline
// that old releases wrote.
Result<std::string> ReadIdentityFile(FileSystem* fs, const std::string& dir);

}  // namespace tamis
