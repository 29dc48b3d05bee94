// SPDX-License-Identifier: Apache-2.0
//
// A compaction job carries out a plan: it writes tables, and returns the edit
// that replaces the inputs by them. It uses neither the mutex nor the
// VersionSet; its caller applies the edit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_iterator.h"
#include "db/compaction/table_output.h"
#include "db/family/job_stats.h"
#include "util/base/result.h"

namespace tamis {

// REQUIRES: the snapshots were taken under the same lock as the plan.
struct CompactionInputs : TableJob {
  // Called between entries, by any thread of the job. If it returns true, the
  // job ends with ShutdownInProgress.
  std::function<bool()> cancelled;
  // The most parts. 0: DBOptions::max_subcompactions.
  uint32_t parts_max = 0;
};

struct CompactionResult {
  VersionEdit edit;
  CompactionIterator::Counts counts;
  JobStats stats;  // without its times
  // What the CompactionService calls the job, if that carried out the plan.
  std::optional<std::string> scheduled_job_id;
};

// What the threads or processes that carried out a plan have to show.
struct CompactionWork {
  CompactionIterator::Counts counts;
  uint64_t entries_written = 0;
  std::vector<FileMetaData> tables;  // the outputs
};

// Returns the result, and counts it in the database's statistics.
CompactionResult ResultOf(const Compaction& plan, const CompactionInputs& in,
                          CompactionWork work);

// Adds the bytes of the plan's inputs.
void AddInputs(const Compaction& plan, JobStats* stats);

// Writes the output tables and returns the edit. With max_subcompactions, a
// large compaction runs in several parts in parallel. On an error, removes the
// files that it wrote; an exception may leave them to the next open. Any
// thread, without the mutex. REQUIRES: !plan.trivial_move
Result<CompactionResult> RunCompaction(const Compaction& plan,
                                       const CompactionInputs& in);

}  // namespace tamis
