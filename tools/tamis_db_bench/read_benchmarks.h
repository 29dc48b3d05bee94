// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that read: the work of one thread of each. As in RocksDB's
// db_bench, each thread does --reads operations, by default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

void ReadRandom(const ThreadContext& thread);
void ReadMissing(const ThreadContext& thread);
void MultiReadRandom(const ThreadContext& thread);
void ReadSeq(const ThreadContext& thread);
void ReadReverse(const ThreadContext& thread);
// A new iterator for each Seek, followed by --seek_nexts entries.
void SeekRandom(const ThreadContext& thread);
// Makes and deletes iterators.
void NewIterators(const ThreadContext& thread);

// The last thread writes, uncounted, until the readers finish.
void ReadWhileWriting(const ThreadContext& thread);
void SeekRandomWhileWriting(const ThreadContext& thread);
// --readwritepercent of the operations read; the others write.
void ReadRandomWriteRandom(const ThreadContext& thread);

}  // namespace tamis::bench
