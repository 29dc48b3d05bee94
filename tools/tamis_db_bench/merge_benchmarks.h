// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that merge, with the operator of --merge_operator. Each
// function does the work of one thread. Keys are those of --merge_keys, by
// default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Merges --writes values into random keys.
void MergeRandom(const ThreadContext& thread);
// Merges in --mergereadpercent of the operations, and reads in the others.
void ReadRandomMergeRandom(const ThreadContext& thread);
// Reads the operands of random keys with GetMergeOperands.
void ReadRandomOperands(const ThreadContext& thread);
// Merges until the readers finish.
void MergeUntilOthersDone(const ThreadContext& thread);

}  // namespace tamis::bench
