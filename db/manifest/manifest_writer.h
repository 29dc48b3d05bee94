// SPDX-License-Identifier: Apache-2.0
//
// Creates MANIFEST files: a log (db/wal/log_writer.h) of encoded version edits.
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

// Creates the file `path` as MANIFEST `number` and syncs these records to it.
// The name is not durable yet: the caller syncs the directory.
Result<std::unique_ptr<LogWriter>> NewManifest(
    FileSystem* fs, const std::string& path, FileNumber number,
    std::span<const std::string> records);

// Creates MANIFEST-<number> with these records, durably, and points CURRENT to
// it. After an error CURRENT may name the new or the old one.
Result<std::unique_ptr<LogWriter>> StartManifest(
    FileSystem* fs, const std::string& directory, FileNumber number,
    std::span<const std::string> records);

}  // namespace tamis
