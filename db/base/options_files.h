// SPDX-License-Identifier: Apache-2.0
//
// The OPTIONS files of an open database: its options as text, for people and
// tools. An open reads the newest one's names of families, and no option.
//
//   OPTIONS-000012         older, kept
//   OPTIONS-000017         the newest
//   OPTIONS-000017.dbtmp   being written: written, synced, then renamed
//
// A file is written only if the text differs from the newest one, so that an
// open with equal options costs a read and no sync. Its number is above that of
// every other OPTIONS file, and not below the next file number of the MANIFEST:
// a later one of RocksDB's then has a higher number.
#pragma once

#include <string>
#include <vector>

#include "tamis/status.h"

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "util/base/result.h"

namespace tamis {

// Returns the text of a file, or its error, which says what to do: the file may
// be the only record of where the logs are.
Result<std::string> ReadStoredOptions(FileSystem* fs, const std::string& path);

// One thread at a time.
class OptionsFiles {
 public:
  explicit OptionsFiles(const DBContext& context) : context_(context) {}

  // Reads the newest file of these names of the directory, which is then not
  // listed. The calls below return the error.
  void Found(const std::vector<std::string>& names);

  // Stores the text, if it is not that of the newest file. Afterwards the two
  // newest files are left. After a power failure, the newest file is the old or
  // the new one; with sync_directory, the new one. The directory is also synced
  // before an older file is removed. On an error, the old files remain.
  Status Store(const std::string& text, FileNumber at_least,
               bool sync_directory);

  // Returns the text of the newest file, NotFound if there is no file, or the
  // error of ReadStoredOptions.
  Result<std::string> Newest();

  // Must be called when others have moved or removed a file.
  void Forget() { listed_ = false; }

 private:
  Status Find();
  Status Write(const std::string& text, FileNumber number);
  void RemoveOld();

  const DBContext& context_;
  bool listed_ = false;
  std::vector<FileNumber> numbers_;  // in order
  std::string newest_text_;          // of the last number
  Status newest_status_;             // of reading it
};

}  // namespace tamis
