// SPDX-License-Identifier: Apache-2.0
//
// A compaction: a plan in, tables and the edit that exchanges them for the
// inputs out. It knows no mutex and no VersionSet; its caller applies the
// edit. The filters of the tables are built from the keys that survive.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_iterator.h"
#include "db/family/column_family.h"
#include "db/manifest/version_edit.h"
#include "util/base/result.h"
#include "util/jobs/parallel_for.h"

namespace tamis {

struct CompactionInputs {
  const DBContext* context = nullptr;
  const ColumnFamily* family = nullptr;
  std::vector<SequenceNumber> snapshots;  // ascending, taken with the plan
  std::function<uint64_t()> new_file_number;
  // For parts that run beside the job, and for those who write their blocks.
  // What it is given may run when the compaction is long over.
  ScheduleJob schedule;
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
