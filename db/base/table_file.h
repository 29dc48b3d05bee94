// SPDX-License-Identifier: Apache-2.0
//
// Creates the files of tables, under the database's RateLimiter and with its
// file checksums, if it has them. Tells its SstFileManager, if it has one,
// which files there are: every file that gets the name of a table in the
// directory, or loses it, does so here or is told here. Tells GetThreadList how
// many bytes a job has written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/rate_limiter.h"

#include "db/base/db_context.h"
#include "util/io/file_checksum_maker.h"
#include "util/jobs/tracked_operation.h"

namespace tamis {

// The property of an operation to which bytes are added as they are written.
struct WriteProgress {
  TrackedOperation* operation = nullptr;  // may be nullptr
  int property = 0;
};

// Creates or truncates the file, which will have about `expected_size` bytes; 0
// if that is not known. `context` and the operation must outlive it.
Status NewTableFile(const DBContext& context, const std::string& path,
                    uint64_t expected_size, IOPriority priority,
                    const WriteProgress& progress,
                    std::unique_ptr<ChecksummedWrites>* file);

// Counts the file, which is complete. May throw std::bad_alloc.
void CountTableFile(const DBContext& context, const std::string& path,
                    uint64_t bytes);
// Removes the file at once, and from the count.
Status RemoveTableFile(const DBContext& context, const std::string& path);
// Removes the file from the count: it has left the directory.
void ForgetTableFile(const DBContext& context,
                     const std::string& path) noexcept;
// Removes a table, or a log, that nothing refers to any more: at once, or
// slowly, as the SstFileManager says. Any other file: at once.
Status DeleteObsoleteFile(const DBContext& context, const std::string& path);

}  // namespace tamis
