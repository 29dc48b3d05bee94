// SPDX-License-Identifier: Apache-2.0
//
// A compaction: a plan in, tables and the edit that exchanges them for the
// inputs out. It knows no mutex and no VersionSet; its caller applies the
// edit. The filters of the tables are built from the keys that survive.
#pragma once

#include <cstdint>
#include <functional>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_iterator.h"
#include "db/compaction/table_output.h"
#include "util/base/result.h"

namespace tamis {

// The snapshots are taken with the plan.
struct CompactionInputs : TableJob {
  // Asked between entries: true ends the job with ShutdownInProgress.
  std::function<bool()> cancelled;
};

struct CompactionResult {
  VersionEdit edit;
  CompactionIterator::Counts counts;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

// Any thread. On an error no file is left behind. With max_subcompactions, a
// large one runs in several parts at once.
Result<CompactionResult> RunCompaction(const Compaction& plan,
                                       const CompactionInputs& in);

}  // namespace tamis
