// SPDX-License-Identifier: Apache-2.0
//
// A Statistics object sums counters ("tickers") and distributions
// ("histograms") over all threads and all databases that share it. Names and
// meanings are RocksDB's. Programs should use the names of the enumerators:
// their numbers differ from RocksDB's.
//
// Threads: any. They are spread over 32 sets of counters, which share no cache
// line.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tamis/export.h"
#include "tamis/status.h"

namespace tamis {

// Counters.
enum Tickers : uint32_t {
  BLOCK_CACHE_MISS = 0,
  BLOCK_CACHE_HIT,
  BLOCK_CACHE_ADD,
  BLOCK_CACHE_INDEX_MISS,
  BLOCK_CACHE_INDEX_HIT,
  BLOCK_CACHE_FILTER_MISS,
  BLOCK_CACHE_FILTER_HIT,
  BLOCK_CACHE_DATA_MISS,
  BLOCK_CACHE_DATA_HIT,
  BLOCK_CACHE_BYTES_READ,
  BLOCK_CACHE_BYTES_WRITE,
  // Blocks added to the cache, and their bytes, by kind.
  BLOCK_CACHE_INDEX_ADD,
  BLOCK_CACHE_INDEX_BYTES_INSERT,
  BLOCK_CACHE_FILTER_ADD,
  BLOCK_CACHE_FILTER_BYTES_INSERT,
  BLOCK_CACHE_DATA_ADD,
  BLOCK_CACHE_DATA_BYTES_INSERT,
  BLOOM_FILTER_USEFUL,                // Gets where the filter excluded the key
  BLOOM_FILTER_FULL_POSITIVE,         // Gets where the filter passed the key
  BLOOM_FILTER_FULL_TRUE_POSITIVE,    // ... and the key was there
  BLOOM_FILTER_PREFIX_CHECKED,        // probes for a prefix
  BLOOM_FILTER_PREFIX_USEFUL,         // ... that excluded it
  BLOOM_FILTER_PREFIX_TRUE_POSITIVE,  // ... that passed it, and the lookup
                                      // found an entry
  MEMTABLE_HIT,
  MEMTABLE_MISS,
  GET_HIT_L0,
  GET_HIT_L1,
  GET_HIT_L2_AND_UP,
  COMPACTION_KEY_DROP_NEWER_ENTRY,  // hidden by a newer version
  COMPACTION_KEY_DROP_OBSOLETE,     // a tombstone with no older data below
  COMPACTION_KEY_DROP_RANGE_DEL,    // covered by a range tombstone
  COMPACTION_KEY_DROP_USER,         // removed by a compaction filter
  COMPACTION_CANCELLED,  // by Close, as the family was dropped, or as an
                         // SstFileManager has no room for it
  NUMBER_KEYS_WRITTEN,
  NUMBER_KEYS_READ,  // by Get; MultiGet has its own
  BYTES_WRITTEN,
  BYTES_READ,  // values that Get returned
  NUMBER_MULTIGET_CALLS,
  NUMBER_MULTIGET_KEYS_READ,
  NUMBER_MULTIGET_KEYS_FOUND,
  NUMBER_MULTIGET_BYTES_READ,
  NUMBER_DB_SEEK,
  NUMBER_DB_NEXT,
  NUMBER_DB_PREV,
  NUMBER_DB_SEEK_FOUND,
  NUMBER_DB_NEXT_FOUND,
  NUMBER_DB_PREV_FOUND,
  ITER_BYTES_READ,
  NO_ITERATOR_CREATED,
  NO_ITERATOR_DELETED,
  NO_FILE_OPENS,
  NO_FILE_ERRORS,
  STALL_MICROS,
  WAL_FILE_SYNCED,
  WAL_FILE_BYTES,
  WRITE_DONE_BY_SELF,
  WRITE_DONE_BY_OTHER,
  WRITE_WITH_WAL,
  COMPACT_READ_BYTES,
  COMPACT_WRITE_BYTES,
  FLUSH_WRITE_BYTES,
  // Of COMPACT_*_BYTES, those of compactions of marked files, of files older
  // than periodic_compaction_seconds, and of files older than ttl.
  COMPACT_READ_BYTES_MARKED,
  COMPACT_READ_BYTES_PERIODIC,
  COMPACT_READ_BYTES_TTL,
  COMPACT_WRITE_BYTES_MARKED,
  COMPACT_WRITE_BYTES_PERIODIC,
  COMPACT_WRITE_BYTES_TTL,
  GET_UPDATES_SINCE_CALLS,
  NUMBER_BLOCK_COMPRESSED,
  NUMBER_BLOCK_DECOMPRESSED,
  NUMBER_BLOCK_NOT_COMPRESSED,
  BLOCK_CHECKSUM_COMPUTE_COUNT,  // of blocks that were read
  ERROR_HANDLER_BG_ERROR_COUNT,  // failures of writes and jobs
  ERROR_HANDLER_BG_IO_ERROR_COUNT,
  NUMBER_RATE_LIMITER_DRAINS,  // waits for a RateLimiter
  // Tables and logs that an SstFileManager deletes slowly, and at once.
  FILES_MARKED_TRASH,
  FILES_DELETED_IMMEDIATELY,
  TICKER_ENUM_MAX,
};

// Values are microseconds, unless they are counts or bytes by their names.
enum Histograms : uint32_t {
  DB_GET = 0,  // each Get
  DB_WRITE,    // each Write; its waits are included
  DB_MULTIGET,
  DB_SEEK,                         // each call that positions an iterator
  COMPACTION_TIME,                 // of those that wrote tables
  COMPACTION_CPU_TIME,             // of the same, of all their threads
  FLUSH_TIME,                      // of each flush job
  TABLE_SYNC_MICROS,               // syncs of tables that flushes wrote
  COMPACTION_OUTFILE_SYNC_MICROS,  // ... that compactions wrote
  WAL_FILE_SYNC_MICROS,
  MANIFEST_FILE_SYNC_MICROS,
  TABLE_OPEN_IO_MICROS,            // opening a table for reads
  SST_READ_MICROS,                 // a block read from a table's file
  NUM_FILES_IN_SINGLE_COMPACTION,  // inputs
  NUM_SUBCOMPACTIONS_SCHEDULED,    // parts that ran in parallel; 1: not split
  WRITE_STALL,                     // waits for flushes and compactions
  BYTES_PER_READ,                  // the value that a Get found
  BYTES_PER_WRITE,                 // the batches of a group of writers
  BYTES_PER_MULTIGET,              // all values that a MultiGet found
  READ_NUM_MERGE_OPERANDS,         // combined by a Get or MultiGet of a key
  // Nanoseconds, only above kExceptDetailedTimers.
  COMPRESSION_TIMES_NANOS,
  DECOMPRESSION_TIMES_NANOS,
  HISTOGRAM_ENUM_MAX,
};

// What is counted. Each level includes those before it.
enum StatsLevel : uint8_t {
  kDisableAll,  // nothing
  kExceptTickers = kDisableAll,
  kExceptHistogramOrTimers,  // tickers
  kExceptTimers,             // histograms of counts and bytes
  kExceptDetailedTimers,     // times, except those of (de)compression
  kExceptTimeForMutex,       // all
  kAll,                      // the same: no mutex is timed
};

// A summary of a histogram. Values are counted in buckets whose limits grow by
// half, so that percentiles are approximate; the other numbers are exact.
struct HistogramData {
  // Of the values that were recorded.
  double median = 0;
  double percentile95 = 0;
  double percentile99 = 0;
  double average = 0;
  double standard_deviation = 0;
  double max = 0;
  uint64_t count = 0;
  uint64_t sum = 0;
  double min = 0;
};

// Return "rocksdb.block.cache.miss" etc., in enum order.
TAMIS_EXPORT std::span<const std::string_view> TickerNames();
TAMIS_EXPORT std::span<const std::string_view> HistogramNames();
// The same with the enumerators, as RocksDB has them. Must not be used before
// main() begins.
TAMIS_EXPORT extern const std::vector<std::pair<Tickers, std::string>>
    TickersNameMap;
TAMIS_EXPORT extern const std::vector<std::pair<Histograms, std::string>>
    HistogramsNameMap;

// Enumerators are passed as numbers. REQUIRES, for all functions: the number is
// below TICKER_ENUM_MAX or HISTOGRAM_ENUM_MAX.
class TAMIS_EXPORT Statistics {
 public:
  virtual ~Statistics();

  // Read, add to, set, or read and set to 0 a ticker.
  virtual uint64_t getTickerCount(uint32_t ticker) const = 0;
  virtual void recordTick(uint32_t ticker, uint64_t count = 1) = 0;
  virtual void setTickerCount(uint32_t ticker, uint64_t count) = 0;
  virtual uint64_t getAndResetTickerCount(uint32_t ticker) = 0;
  // Sets (*tickers)[name] for every ticker, and returns true. The default
  // returns false.
  virtual bool getTickerMap(std::map<std::string, uint64_t>* tickers) const;

  // Sets *data to what was recorded.
  virtual void histogramData(uint32_t histogram, HistogramData* data) const = 0;
  // Returns several lines: the summary, and a line for each bucket in use. The
  // default returns the summary alone.
  virtual std::string getHistogramString(uint32_t histogram) const;
  // Adds a value, unless the level excludes histograms.
  virtual void recordInHistogram(uint32_t histogram, uint64_t value) = 0;
  // Does the same for a time, unless the level excludes timers.
  void reportTimeToHistogram(uint32_t histogram, uint64_t time) {
    if (get_stats_level() > kExceptTimers) recordInHistogram(histogram, time);
  }
  void measureTime(uint32_t histogram, uint64_t time) {
    reportTimeToHistogram(histogram, time);
  }

  // Sets everything to zero.
  virtual Status Reset() = 0;
  // Returns a line for each ticker, "<name> COUNT : <n>", and one for each
  // histogram, "<name> P50 : <x> P95 : <x> P99 : <x> P100 : <x> COUNT : <n> SUM
  // : <n>".
  virtual std::string ToString() const;

  // May change at any time. A level below kExceptDetailedTimers spares each Get
  // and Write two readings of the clock.
  void set_stats_level(StatsLevel level) {
    level_.store(level, std::memory_order_relaxed);
  }
  StatsLevel get_stats_level() const {
    return level_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<StatsLevel> level_{kExceptDetailedTimers};
};

// Returns an empty object for DBOptions::statistics.
TAMIS_EXPORT std::shared_ptr<Statistics> CreateDBStatistics();

}  // namespace tamis
