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
// The same, without a sync, with values of 100,000 bytes.
void Fill100K(const ThreadContext& thread);
// Writes each key of the thread's part of --num once, in random order.
void FillUniqueRandom(const ThreadContext& thread);
// Writes keys in order, then seeks each.
void FillSeekSeq(const ThreadContext& thread);
// Delete --deletes keys, by default --num.
void DeleteSeq(const ThreadContext& thread);
void DeleteRandom(const ThreadContext& thread);
// Writes random keys until the readers finish. Does not count its writes.
void WriteUntilOthersDone(const ThreadContext& thread);

}  // namespace tamis::bench
