// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks that act on a whole database. Each function does the work of
// one thread.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

void Flush(const ThreadContext& thread);
void Compact(const ThreadContext& thread);
// Compact all tables of a level into the next; nothing if there is none.
void CompactLevel0(const ThreadContext& thread);
void CompactLevel1(const ThreadContext& thread);
void WaitForCompaction(const ThreadContext& thread);
void VerifyChecksums(const ThreadContext& thread);
void VerifyFileChecksums(const ThreadContext& thread);
void ResetStats(const ThreadContext& thread);
// Makes a backup in --backup_dir and verifies it.
void Backup(const ThreadContext& thread);
// Restores the latest backup into --restore_dir.
void Restore(const ThreadContext& thread);

// Compares the database with that of --truth_db, entry by entry, and reads each
// key of it. Counts entries.
void Verify(const ThreadContext& thread);

}  // namespace tamis::bench
