// SPDX-License-Identifier: Apache-2.0
//
// A compaction job carries out a plan: it writes tables, and returns the edit
// that replaces the inputs by them. It uses neither the mutex nor the
// VersionSet; its caller applies the edit.
#pragma once

#include <cstdint>
#include <functional>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_iterator.h"
#include "db/compaction/table_output.h"
#include "util/base/result.h"

namespace tamis {

// REQUIRES: the snapshots were taken together with the plan.
struct CompactionInputs : TableJob {
  // Called between entries; true ends the job with ShutdownInProgress.
  std::function<bool()> cancelled;
};

struct CompactionResult {
  VersionEdit edit;
  CompactionIterator::Counts counts;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

// Any thread. On an error it leaves no file. With max_subcompactions, a large
// compaction runs in several parts in parallel.
Result<CompactionResult> RunCompaction(const Compaction& plan,
                                       const CompactionInputs& in);

}  // namespace tamis
