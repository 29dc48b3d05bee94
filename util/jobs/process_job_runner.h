// SPDX-License-Identifier: Apache-2.0
//
// The runner of all databases of a process that have none of their own. It
// exists as long as one of them: after the last close there are no threads, so
// nothing depends on the order in which static objects are destroyed. A forked
// child has its own.
#pragma once

#include <cstddef>
#include <memory>

#include "tamis/job_runner.h"

namespace tamis {

// Returns the process's runner, and raises the largest numbers of its threads
// for flushes and for compactions to these. Any thread. REQUIRES: both > 0.
std::shared_ptr<JobRunner> ProcessJobRunner(size_t high_threads,
                                            size_t low_threads);

}  // namespace tamis
