// SPDX-License-Identifier: Apache-2.0
//
// A database of Tamis or RocksDB with one format of filters, as the comparison
// uses it. Filters and indexes are in the block cache.
//
// Errors of an engine end the program, since measuring them is meaningless. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::ycsb_filters {

struct StoreConfig {
  size_t write_buffer_bytes = 4 << 20;  // of a memtable, and of a table
  bool snappy = false;
  bool partitioned = false;  // filters and indexes
  double bits_per_key = 10;  // of a Bloom filter; the others have its rate
};

// Events of point reads.
struct ReadCounts {
  uint64_t cache_hits = 0;
  uint64_t block_reads = 0;  // of blocks that were not in the cache
  uint64_t positive = 0;     // filters that passed the key
  uint64_t true_positive = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  // Returns "Tamis" or "RocksDB 7.8.3"; and the filter's name.
  virtual std::string engine() const = 0;
  virtual std::string filter() const = 0;
  // Opens or creates the database. `count_writes`: for TableBytesWritten.
  virtual void Open(const std::string& directory, const StoreConfig& config,
                    size_t cache_bytes, bool count_writes) = 0;
  virtual void Close() = 0;
  // Writes to the log without syncing.
  virtual void Put(std::string_view key, std::string_view value) = 0;
  virtual bool Get(std::string_view key) = 0;
  // Flushes, and waits for compactions.
  virtual void Settle() = 0;
  // Compacts everything to one sorted run.
  virtual void CompactAll() = 0;
  // Returns the bytes of all filters.
  virtual uint64_t FilterBytes() = 0;
  // Returns the bytes that flushes and compactions wrote since Open.
  virtual uint64_t TableBytesWritten() = 0;
  // The events of this thread since ResetCounts.
  virtual void ResetCounts() = 0;
  virtual ReadCounts Counts() = 0;
};

// Returns nullptr if there is no such filter: bloom, ribbon, binary_fuse,
// homogeneous, bumped of Tamis; bloom, ribbon of RocksDB.
std::unique_ptr<Store> NewTamisStore(std::string_view filter);
std::unique_ptr<Store> NewRocksDBStore(std::string_view filter);

// If `ok` is false, prints the message and exits.
void Require(bool ok, const std::string& message);

}  // namespace tamis::ycsb_filters
