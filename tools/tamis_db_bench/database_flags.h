// SPDX-License-Identifier: Apache-2.0
//
// The flags that say how the database is opened, and the options that they
// make. Most of RocksDB's flags are options under their own names: they are
// taken as text, as in an OPTIONS file, and only if the command line has them.
#pragma once

#include <memory>

#include <gflags/gflags_declare.h>

#include "tamis/options.h"
#include "tamis/statistics.h"
#include "tamis/status.h"

// Of the work, too.
DECLARE_string(compression_type);
DECLARE_uint64(block_size);
DECLARE_string(merge_operator);

namespace tamis::bench {

// Sets *options to those of the flags. InvalidArgument names the flag.
Status DatabaseOptions(const std::shared_ptr<Statistics>& statistics,
                       Options* options);

}  // namespace tamis::bench
