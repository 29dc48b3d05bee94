// SPDX-License-Identifier: Apache-2.0
//
// An IOStatsContext counts what the calling thread reads and writes in files of
// any FileSystem: bytes at kEnableCount and above, wall-clock times at
// kEnableTimeExceptForMutex, CPU times at kEnableTimeAndCPUTimeExceptForMutex
// (perf_level.h). Names and meanings are RocksDB's, which counts bytes at every
// level.
//
// A thread counts what it does itself. Jobs write tables and read inputs on
// threads of their own. The leader of a write group writes the log for its
// followers. What a RateLimiter delays is not counted as I/O.
//
// RocksDB's file_io_stats_by_temperature has no counterpart, since Tamis's
// files have no temperatures.
//
// Each thread has one object. get_iostats_context() returns that of the calling
// thread. Only that thread may use it, and it is valid until the thread exits.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/export.h"
#include "tamis/perf_level.h"  // IWYU pragma: export

namespace tamis {

struct TAMIS_EXPORT IOStatsContext {
  // Sets thread_pool_id to 4 and the counters to 0. Leaves disable_iostats.
  void Reset();
  // Returns "name = value, ..." in RocksDB's order.
  std::string ToString(bool exclude_zero_counters = false) const;

  // Which jobs the thread runs, as the number of RocksDB's Env::Priority: 1 low
  // (compactions), 2 high (flushes). A job leaves it as it was: 0 in a new
  // thread, 4 after Reset.
  uint64_t thread_pool_id = 0;

  // Of the thread, in all files of all databases.
  uint64_t bytes_written = 0;
  // Includes bytes that a mapping or the operating system's cache had.
  uint64_t bytes_read = 0;

  // Nanoseconds.
  uint64_t open_nanos = 0;           // opening and creating files
  uint64_t allocate_nanos = 0;       // allocating the next bytes of a file
  uint64_t write_nanos = 0;          // appending and flushing
  uint64_t read_nanos = 0;           // reading, also asynchronous reads
  uint64_t range_sync_nanos = 0;     // starting writeback
  uint64_t fsync_nanos = 0;          // syncs of files and directories
  uint64_t prepare_write_nanos = 0;  // reserving mapped bytes, allocation too
  uint64_t logger_nanos = 0;         // lines of LOG, or DBOptions::info_log
  uint64_t cpu_write_nanos = 0;      // CPU time of write_nanos
  uint64_t cpu_read_nanos = 0;       // CPU time of read_nanos

  // If true, the thread counts nothing here.
  bool disable_iostats = false;
};

// Returns that of the calling thread.
TAMIS_EXPORT IOStatsContext* get_iostats_context();

}  // namespace tamis
