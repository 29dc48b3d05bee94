// SPDX-License-Identifier: Apache-2.0
//
// A limiter has the same rate, burst and counts as RocksDB's.
#include "tamis/rate_limiter.h"

#include <memory>

#include <gtest/gtest.h>
#include <rocksdb/rate_limiter.h>

#include "tamis/env.h"

namespace {

TEST(RateLimiterInteropTest, BurstsAndCountsAreRocksDBs) {
  // Below one byte a period, RocksDB 7.8.3 serves no request.
  for (const int64_t rate : {5000, 1 << 20, 123'456'789}) {
    for (const int64_t period : {1000, 100'000, 250'000}) {
      for (const bool tuned : {false, true}) {
        const std::unique_ptr<tamis::RateLimiter> ours(
            tamis::NewGenericRateLimiter(
                rate, period, 10, tamis::RateLimiter::Mode::kAllIo, tuned));
        const std::unique_ptr<rocksdb::RateLimiter> theirs(
            rocksdb::NewGenericRateLimiter(
                rate, period, 10, rocksdb::RateLimiter::Mode::kAllIo, tuned));
        EXPECT_EQ(ours->GetBytesPerSecond(), theirs->GetBytesPerSecond());
        EXPECT_EQ(ours->GetSingleBurstBytes(), theirs->GetSingleBurstBytes());
        ours->Request(1, tamis::Env::IO_HIGH);
        theirs->Request(1, rocksdb::Env::IO_HIGH, nullptr);
        EXPECT_EQ(ours->GetTotalRequests(), theirs->GetTotalRequests());
        EXPECT_EQ(ours->GetTotalBytesThrough(tamis::Env::IO_HIGH),
                  theirs->GetTotalBytesThrough(rocksdb::Env::IO_HIGH));
        EXPECT_EQ(ours->GetTotalBytesThrough(tamis::Env::IO_LOW), 0);
      }
    }
  }
}

}  // namespace
