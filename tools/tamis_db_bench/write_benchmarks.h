// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that write. Each function does the work of one thread. As in
// RocksDB's db_bench, that is --writes operations, by default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

void FillSeq(const ThreadContext& thread);
// Serves overwrite, too, which does the same writes to an existing database.
void FillRandom(const ThreadContext& thread);
// Writes keys in order, in batches of 1000.
void FillBatch(const ThreadContext& thread);
// Writes random keys and syncs each write. Does a thousandth of the operations.
void FillSync(const ThreadContext& thread);
void DeleteSeq(const ThreadContext& thread);
void DeleteRandom(const ThreadContext& thread);
// Writes random keys until the readers finish. Does not count its writes.
void WriteUntilOthersDone(const ThreadContext& thread);

void Compact(const ThreadContext& thread);
void Flush(const ThreadContext& thread);

}  // namespace tamis::bench
