// SPDX-License-Identifier: Apache-2.0
//
// The check that a job has read every entry of its inputs. What was not read is
// in no output, and is lost when the inputs are deleted. Range deletions are
// read in another way, and do not count.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/status.h"

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_job.h"

namespace tamis {

// Returns OK if the inputs' `expected` entries were read. Otherwise Corruption,
// which names `subject`, what was read (`job`), and the option that lets it
// pass.
Status CheckEntriesRead(const std::string& subject, const std::string& job,
                        uint64_t read, uint64_t expected,
                        const std::string& option);

// Does this for a compaction by the plan, also for one that another process
// carried out. Returns OK, too, if a table does not say how many entries it
// has, as those of LevelDB, or if a compaction filter may have skipped entries
// unread. Returns an error if an input cannot be opened.
Status CheckCompacted(const Compaction& plan, const CompactionInputs& in,
                      uint64_t read);

}  // namespace tamis
