// SPDX-License-Identifier: Apache-2.0
//
// A value with the time of its write behind it:
//
//   value | time  fixed32, Unix seconds
#pragma once

#include <cstdint>
#include <string>

#include "tamis/clock.h"
#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/coding/coding.h"

namespace tamis {

class TimedValue {
 public:
  static constexpr size_t kTimeBytes = 4;
  // RocksDB wrote no such value before, in May 2013.
  static constexpr uint32_t kEarliest = 1368146402;

  static uint32_t Now(Clock* clock) {
    return static_cast<uint32_t>(clock->NowMicros() / 1'000'000);
  }
  static void AppendTime(uint32_t time, std::string* value) {
    char bytes[kTimeBytes];
    EncodeFixed32(bytes, time);
    value->append(bytes, kTimeBytes);
  }
  static std::string With(const Slice& value, uint32_t time) {
    std::string stored;
    stored.reserve(value.size() + kTimeBytes);
    stored.append(value.data(), value.size());
    AppendTime(time, &stored);
    return stored;
  }

  // Returns Corruption unless the bytes end in a possible time.
  static Status Check(const Slice& stored) {
    if (stored.size() < kTimeBytes) {
      return Status::Corruption(
          "a value without the time of its write",
          "expected at least 4 bytes, got " + std::to_string(stored.size()) +
              "; the database was not written as a DBWithTTL");
    }
    if (TimeOf(stored) < kEarliest) {
      return Status::Corruption(
          "a value with an impossible time of its write",
          "expected at least " + std::to_string(kEarliest) + ", got " +
              std::to_string(TimeOf(stored)) +
              "; the database was not written as a DBWithTTL");
    }
    return Status::OK();
  }

  // REQUIRES: Check returned OK, for all below.
  static uint32_t TimeOf(const Slice& stored) {
    return DecodeFixed32(stored.end() - kTimeBytes);
  }
  static Slice ValueOf(const Slice& stored) {
    return {stored.data(), stored.size() - kTimeBytes};
  }
  static bool IsStale(const Slice& stored, int32_t ttl, uint32_t now) {
    return ttl > 0 && uint64_t{TimeOf(stored)} + static_cast<uint64_t>(ttl) <
                          uint64_t{now};
  }
};

}  // namespace tamis
