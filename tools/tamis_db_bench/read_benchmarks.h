// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that read. Each function does the work of one thread. As in
// RocksDB's db_bench, that is --reads operations, by default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

void ReadRandom(const ThreadContext& thread);
void ReadMissing(const ThreadContext& thread);
void MultiReadRandom(const ThreadContext& thread);
void ReadSeq(const ThreadContext& thread);
void ReadReverse(const ThreadContext& thread);
// Seeks with a new iterator each time, and reads --seek_nexts more entries.
void SeekRandom(const ThreadContext& thread);
// Makes and deletes iterators.
void NewIterators(const ThreadContext& thread);

// The last thread writes until the readers finish. Its writes are not counted.
void ReadWhileWriting(const ThreadContext& thread);
void SeekRandomWhileWriting(const ThreadContext& thread);
// Reads in --readwritepercent of the operations, and writes in the others.
void ReadRandomWriteRandom(const ThreadContext& thread);

}  // namespace tamis::bench
