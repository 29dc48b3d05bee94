// SPDX-License-Identifier: Apache-2.0
//
// The directory that an open database makes for the outputs of a remote
// compaction, and removes when the job has ended:
//
//   <database>/compaction-<session id>-<job>/   000001.sst 000002.sst ...
//
// Other processes write there. What a process that ended has left is removed by
// the next open for writing, and by DestroyDB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tamis/file_system.h"

#include "db/base/db_context.h"

namespace tamis {

// Returns its name in the database's directory.
std::string JobDirectoryName(const DBContext& context, uint64_t job);

// Returns whether the name is that of some job's directory.
bool IsJobDirectoryName(std::string_view name);

// Removes the tables in a directory of a job, and the directory if it is then
// empty. Errors leave it to the next open. If it is a symbolic link, does
// nothing.
void RemoveJobDirectory(FileSystem* fs, const std::string& path) noexcept;

}  // namespace tamis
