// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that read. Each function does the work of one thread. As in
// RocksDB's db_bench, that is --reads operations, by default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

ReadOptions ReadOptionsOf(const Settings& settings);
// Reads the key and counts it. Returns false after an error.
bool ReadOne(const ThreadContext& thread, const ReadOptions& options,
             const Slice& key, PinnableSlice* value);

void ReadRandom(const ThreadContext& thread);
void ReadMissing(const ThreadContext& thread);
void MultiReadRandom(const ThreadContext& thread);
void ReadSeq(const ThreadContext& thread);
void ReadReverse(const ThreadContext& thread);
// Reads the whole database once.
void ReadToCache(const ThreadContext& thread);
// Seeks with a new iterator each time, and reads --seek_nexts more entries.
void SeekRandom(const ThreadContext& thread);
// Makes and deletes iterators.
void NewIterators(const ThreadContext& thread);
// Asks for the size of ranges between two random keys.
void ApproximateSizeRandom(const ThreadContext& thread);

// The last thread writes, merges or scans until the readers finish. Its
// operations are not counted.
void ReadWhileWriting(const ThreadContext& thread);
void ReadWhileMerging(const ThreadContext& thread);
void ReadWhileScanning(const ThreadContext& thread);
void MultiReadWhileWriting(const ThreadContext& thread);
void NewIteratorWhileWriting(const ThreadContext& thread);
void SeekRandomWhileWriting(const ThreadContext& thread);
void SeekRandomWhileMerging(const ThreadContext& thread);
// Reads in --readwritepercent of the operations, and writes in the others.
void ReadRandomWriteRandom(const ThreadContext& thread);

}  // namespace tamis::bench
