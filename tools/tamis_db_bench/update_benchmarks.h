// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that read a key and then write it, or replace it by another.
// Each function does the work of one thread: --reads operations, as in
// RocksDB's db_bench, by default --num.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Reads a random key and writes a new value.
void UpdateRandom(const ThreadContext& thread);
// Writes the value that was read xor a new one.
void XorUpdateRandom(const ThreadContext& thread);
// Writes the value that was read with a new one behind it.
void AppendRandom(const ThreadContext& thread);

// Writes --numdistinct keys, each with a version. Then deletes the present
// version of a key and writes the next, --writes times; which key is normally
// distributed with --stddev around the middle.
void RandomReplaceKeys(const ThreadContext& thread);

// Reads, writes or deletes three keys at once, atomically, and checks that a
// snapshot has equal values, or none, for all three. A difference is an error.
// --readwritepercent and --deletepercent of the operations read and delete.
void RandomWithVerify(const ThreadContext& thread);

}  // namespace tamis::bench
