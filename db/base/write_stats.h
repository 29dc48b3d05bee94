// SPDX-License-Identifier: Apache-2.0
//
// What writes have done since the database was opened, for the property
// rocksdb.dbstats. The leader of the write queue counts; any thread reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace tamis {

// The figures at one time.
struct WriteCounts {
  uint64_t batches = 0;
  uint64_t groups = 0;   // batches that led others, or none
  uint64_t entries = 0;  // changes of keys
  uint64_t bytes = 0;    // of the batches
  uint64_t logged_batches = 0;
  uint64_t log_bytes = 0;
  uint64_t log_syncs = 0;  // for writes that want them
  uint64_t stall_micros = 0;
  uint64_t buffer_stops = 0;  // waits for the write_buffer_manager

  WriteCounts operator-(const WriteCounts& other) const {
    return {.batches = batches - other.batches,
            .groups = groups - other.groups,
            .entries = entries - other.entries,
            .bytes = bytes - other.bytes,
            .logged_batches = logged_batches - other.logged_batches,
            .log_bytes = log_bytes - other.log_bytes,
            .log_syncs = log_syncs - other.log_syncs,
            .stall_micros = stall_micros - other.stall_micros,
            .buffer_stops = buffer_stops - other.buffer_stops};
  }
};

class WriteStats {
 public:
  // REQUIRES: one thread adds at a time.
  class Counter {
   public:
    void Add(uint64_t n) {
      value_.store(value() + n, std::memory_order_relaxed);
    }
    uint64_t value() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<uint64_t> value_{0};
  };

  // As in WriteCounts.
  Counter batches;
  Counter groups;
  Counter entries;
  Counter bytes;
  Counter logged_batches;
  Counter log_bytes;
  Counter log_syncs;
  Counter stall_micros;
  Counter buffer_stops;

  // Any thread.
  WriteCounts Now() const {
    return {.batches = batches.value(),
            .groups = groups.value(),
            .entries = entries.value(),
            .bytes = bytes.value(),
            .logged_batches = logged_batches.value(),
            .log_bytes = log_bytes.value(),
            .log_syncs = log_syncs.value(),
            .stall_micros = stall_micros.value(),
            .buffer_stops = buffer_stops.value()};
  }
};

}  // namespace tamis
