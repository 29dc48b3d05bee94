// SPDX-License-Identifier: Apache-2.0
//
// A RateLimiter bounds the bytes per second that flushes and compactions write
// (DBOptions::rate_limiter), so that they leave the device to reads and to the
// log. Databases that share one share its rate. Names and meanings are
// RocksDB's.
//
// Threads: any. A limiter may wait, so the functions must not be called with a
// mutex that others need. In a forked child, the limiter of its parent must not
// be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tamis/clock.h"
#include "tamis/export.h"
#include "tamis/statistics.h"

namespace tamis {

// Whom a RateLimiter serves first: IO_USER, then mostly IO_HIGH before IO_MID
// before IO_LOW. IO_TOTAL means all of them.
enum IOPriority : uint8_t {
  IO_LOW = 0,  // compactions
  IO_MID = 1,
  IO_HIGH = 2,  // flushes
  IO_USER = 3,  // for rate_limiter_priority of WriteOptions and ReadOptions
  IO_TOTAL = 4,
};

class TAMIS_EXPORT RateLimiter {
 public:
  // What a request is for.
  enum class OpType : uint8_t { kRead, kWrite };
  // What is limited. Tamis calls a limiter for writes, for the reads of
  // compactions and for those with ReadOptions::rate_limiter_priority.
  enum class Mode : uint8_t { kReadsOnly, kWritesOnly, kAllIo };

  // Limits these operations.
  explicit RateLimiter(Mode mode = Mode::kWritesOnly) : mode_(mode) {}
  virtual ~RateLimiter();
  RateLimiter(const RateLimiter&) = delete;
  RateLimiter& operator=(const RateLimiter&) = delete;

  // Changes the rate, from the next refill on. REQUIRES: > 0.
  virtual void SetBytesPerSecond(int64_t bytes_per_second) = 0;
  virtual int64_t GetBytesPerSecond() const = 0;
  // Returns the bytes of one refill: what may be written at once.
  virtual int64_t GetSingleBurstBytes() const = 0;

  // Returns when these bytes may be written or read. More than a burst waits
  // for several refills. `statistics` may be nullptr; it counts the waits
  // (NUMBER_RATE_LIMITER_DRAINS). REQUIRES: priority is not IO_TOTAL.
  virtual void Request(int64_t bytes, IOPriority priority,
                       Statistics* statistics) = 0;
  // Does the same if the limiter limits this type of operation.
  void Request(int64_t bytes, IOPriority priority, Statistics* statistics,
               OpType type) {
    if (IsRateLimited(type)) Request(bytes, priority, statistics);
  }
  void Request(int64_t bytes, IOPriority priority) {
    Request(bytes, priority, nullptr);
  }

  // Return the sums of all requests that were granted. IO_TOTAL sums up the
  // priorities.
  virtual int64_t GetTotalBytesThrough(
      IOPriority priority = IO_TOTAL) const = 0;
  virtual int64_t GetTotalRequests(IOPriority priority = IO_TOTAL) const = 0;
  // Sets *requests to the number of requests that wait.
  virtual Status GetTotalPendingRequests(
      int64_t* requests, IOPriority priority = IO_TOTAL) const = 0;

  // Returns whether operations of the type are limited.
  bool IsRateLimited(OpType type) const {
    return type == OpType::kRead ? mode_ != Mode::kWritesOnly
                                 : mode_ != Mode::kReadsOnly;
  }
  // Returns what is limited.
  Mode GetMode() const { return mode_; }

 private:
  const Mode mode_;
};

// Creates a limiter that the caller owns.
//
// refill_period_us: the rate is granted in portions, one each period. A shorter
// one spreads writes more evenly, and wakes threads more often.
//
// fairness: of this many refills, one serves lower priorities before higher
// ones, except for IO_USER, so that compactions cannot starve. 1 to 100.
//
// auto_tuned: rate_bytes_per_sec is then the upper limit. The limiter starts at
// half of it. After every 100 refills, it raises the rate by a twentieth if
// nine tenths of these were used up, and lowers it if half of them were not, to
// a twentieth of the limit at the least.
//
// Values out of range are set to the nearest in it. The second form takes the
// time, and the sleeping, from a clock of the program.
TAMIS_EXPORT RateLimiter* NewGenericRateLimiter(
    int64_t rate_bytes_per_sec, int64_t refill_period_us = 100 * 1000,
    int32_t fairness = 10,
    RateLimiter::Mode mode = RateLimiter::Mode::kWritesOnly,
    bool auto_tuned = false);
TAMIS_EXPORT RateLimiter* NewGenericRateLimiter(
    int64_t rate_bytes_per_sec, int64_t refill_period_us, int32_t fairness,
    RateLimiter::Mode mode, bool auto_tuned, std::shared_ptr<Clock> clock);

}  // namespace tamis
