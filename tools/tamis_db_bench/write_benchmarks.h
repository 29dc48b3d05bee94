// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that write: the work of one thread of each. As in RocksDB's
// db_bench, each thread does --writes operations, by default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

void FillSeq(const ThreadContext& thread);
// Also overwrite: the same writes to an existing database.
void FillRandom(const ThreadContext& thread);
// In order, 1000 keys a batch.
void FillBatch(const ThreadContext& thread);
// Random keys, each write synced; a thousandth of the operations.
void FillSync(const ThreadContext& thread);
void DeleteSeq(const ThreadContext& thread);
void DeleteRandom(const ThreadContext& thread);
// Writes random keys, uncounted, until the readers finish.
void WriteUntilOthersDone(const ThreadContext& thread);

void Compact(const ThreadContext& thread);
void Flush(const ThreadContext& thread);

}  // namespace tamis::bench
