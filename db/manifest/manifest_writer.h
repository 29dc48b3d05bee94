// SPDX-License-Identifier: Apache-2.0
//
// These functions create MANIFESTs. A MANIFEST is a log (db/wal/log_writer.h)
// whose records are encoded version edits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tamis/file_system.h"

#include "db/base/numbers.h"
#include "db/wal/log_writer.h"
#include "util/base/result.h"

namespace tamis {

// Creates the file `path` as MANIFEST `number`, writes the records and syncs
// the file. Returns the log, to which edits can be appended. The name is not
// durable until the caller syncs the directory.
Result<std::unique_ptr<LogWriter>> NewManifest(
    FileSystem* fs, const std::string& path, FileNumber number,
    std::span<const std::string> records);

// Creates MANIFEST-<number> with these records, durably, and points CURRENT to
// it. Returns the log. After an error, CURRENT may name the new MANIFEST or the
// old one.
Result<std::unique_ptr<LogWriter>> StartManifest(
    FileSystem* fs, const std::string& directory, FileNumber number,
    std::span<const std::string> records);

}  // namespace tamis
