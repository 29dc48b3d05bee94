// SPDX-License-Identifier: Apache-2.0
//
// mixgraph: reads, writes and scans in the shares and distributions of
// tools/mix_workload.h.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Does the work of one thread. The number of operations is --mix_accesses, by
// default --reads.
void MixGraph(const ThreadContext& thread);

}  // namespace tamis::bench
