// SPDX-License-Identifier: Apache-2.0
//
// The logs of a database by number, whether they are in its directory or in the
// archive, to which they move while others read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/types.h"

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/wal/log_reader.h"
#include "util/base/result.h"

namespace tamis {

struct ListedLog {
  FileNumber number;
  bool archived = false;
};

// Returns the logs of the directory and of its archive, by ascending number. A
// log that moves meanwhile is in the list once.
Result<std::vector<ListedLog>> ListLogs(const DBContext& context);

// Opens the log where it is now, or returns PathNotFound if it is at neither
// place.
Result<std::unique_ptr<LogReader>> OpenLog(const DBContext& context,
                                           FileNumber number);

// What a program that copies logs needs to know of one.
struct DescribedLog {
  bool archived = false;
  uint64_t bytes = 0;
  SequenceNumber start = 0;  // of the first entry; 0 if there is none
};
// Describes the log where it is now. Returns PathNotFound if it is at neither
// place.
Result<DescribedLog> DescribeLog(const DBContext& context, FileNumber number);

}  // namespace tamis
