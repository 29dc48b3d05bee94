// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <leveldb/status.h>

#include "tamis/file_system.h"
#include "tamis/status.h"

namespace tamis::facade {

// The file system under Env::Default().
const std::shared_ptr<FileSystem>& PosixFileSystem();

// The error of a lock that was not taken, in LevelDB's words.
leveldb::Status LockError(const std::string& path, const Status& status);

}  // namespace tamis::facade
