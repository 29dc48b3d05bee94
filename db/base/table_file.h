// SPDX-License-Identifier: Apache-2.0
//
// Creates the files of tables, under the database's RateLimiter and with its
// file checksums, if it has them.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/rate_limiter.h"

#include "db/base/db_context.h"
#include "util/io/file_checksum_maker.h"

namespace tamis {

// Creates or truncates the file. `context` must outlive it.
Status NewTableFile(const DBContext& context, const std::string& path,
                    IOPriority priority,
                    std::unique_ptr<ChecksummedWrites>* file);

}  // namespace tamis
