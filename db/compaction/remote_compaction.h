// SPDX-License-Identifier: Apache-2.0
//
// The owner's side of a remote compaction: a plan goes to the database's
// CompactionService, and the tables that a worker made become the outputs.
//
//   plan ─▶ CompactionRequest ─▶ Schedule, Wait ─▶ CompactionReply
//        ─▶ compare, link under new numbers ─▶ CompactionResult
#pragma once

#include "db/compaction/compaction_job.h"

namespace tamis {

// Has the service carry out the plan. Returns what RunCompaction would return,
// or why it is to be carried out here; the files of the worker are removed
// then. Sets *declined to whether the service wants that (kUseLocal), which is
// no failure. Any thread, without the mutex. REQUIRES: there is a
// compaction_service; as for RunCompaction
Result<CompactionResult> RunRemoteCompaction(const Compaction& plan,
                                             const CompactionInputs& in,
                                             bool* declined);

// Tells the service whether the result became part of the database. Does
// nothing if it was not asked.
void TellInstallation(const DBContext& context, const CompactionResult& result,
                      const Status& status) noexcept;

}  // namespace tamis
