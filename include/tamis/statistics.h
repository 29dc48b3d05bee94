// SPDX-License-Identifier: Apache-2.0
//
// A Statistics object sums counters ("tickers") over all threads and all
// databases that share it. Names and meanings are RocksDB's.
//
// Threads: any. They are spread over 32 sets of counters, which share no cache
// line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tamis {

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
  NUMBER_KEYS_WRITTEN,
  NUMBER_KEYS_READ,
  BYTES_WRITTEN,
  BYTES_READ,
  NUMBER_DB_SEEK,
  NUMBER_DB_NEXT,
  NUMBER_DB_PREV,
  NUMBER_DB_SEEK_FOUND,
  NUMBER_DB_NEXT_FOUND,
  NUMBER_DB_PREV_FOUND,
  ITER_BYTES_READ,
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
  NUMBER_BLOCK_COMPRESSED,
  NUMBER_BLOCK_DECOMPRESSED,
  NUMBER_BLOCK_NOT_COMPRESSED,
  TICKER_ENUM_MAX,
};

// Returns "rocksdb.block.cache.miss" etc., in enum order.
std::span<const std::string_view> TickerNames();

class Statistics {
 public:
  virtual ~Statistics();
  virtual uint64_t getTickerCount(Tickers ticker) const = 0;
  virtual void recordTick(Tickers ticker, uint64_t count = 1) = 0;
  virtual uint64_t getAndResetTickerCount(Tickers ticker) = 0;
  virtual void Reset() = 0;
  // Returns one line per ticker: "<name> COUNT : <n>".
  virtual std::string ToString() const = 0;
};

std::shared_ptr<Statistics> CreateDBStatistics();

}  // namespace tamis
