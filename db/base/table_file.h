// SPDX-License-Identifier: Apache-2.0
//
// Creates the files of tables, under the database's RateLimiter and with its
// file checksums, if it has them. Tells GetThreadList how many bytes a job has
// written.
#pragma once

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

// Creates or truncates the file. `context` and the operation must outlive it.
Status NewTableFile(const DBContext& context, const std::string& path,
                    IOPriority priority, const WriteProgress& progress,
                    std::unique_ptr<ChecksummedWrites>* file);

}  // namespace tamis
