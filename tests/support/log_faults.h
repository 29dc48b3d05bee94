// SPDX-License-Identifier: Apache-2.0
//
// Logs with a fault, written byte by byte without an engine, and the expected
// result in each WALRecoveryMode. Record i of a case puts key "i" at sequence
// number i. A result is the string of the keys that the database shows.
//
//   database = CURRENT, IDENTITY, MANIFEST-000001 (no tables, log number 2)
//              and the logs of the case, from 000002.log on
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "util/coding/coding.h"
#include "util/coding/crc32c.h"

namespace tamis {

// Writes the physical records of a log. recycled: with log numbers.
class RawLog {
 public:
  explicit RawLog(uint32_t number, bool recycled = false)
      : number_(number), recycled_(recycled) {}

  // Adds a log record, split into parts where blocks end.
  RawLog& Add(std::string_view payload);
  // Adds one physical record. REQUIRES: it fits into the block.
  RawLog& AddPart(uint8_t type, std::string_view payload) {
    return AddPart(type, payload, number_);
  }
  RawLog& AddPart(uint8_t type, std::string_view payload, uint32_t number);
  RawLog& AddBytes(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  // Adds zeros up to the end of the block.
  RawLog& FillBlock() {
    bytes_.resize(bytes_.size() + Left(), '\0');
    return *this;
  }
  RawLog& Cut(size_t n) {
    bytes_.resize(bytes_.size() - n);
    return *this;
  }
  RawLog& Flip(size_t from_end) {
    char& byte = bytes_[bytes_.size() - from_end];
    byte = static_cast<char>(byte ^ 0x55);
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr size_t kBlock = 32768;
  size_t Left() const { return kBlock - bytes_.size() % kBlock; }

  const uint32_t number_;
  const bool recycled_;
  std::string bytes_;
};

inline RawLog& RawLog::AddPart(uint8_t type, std::string_view payload,
                               uint32_t number) {
  std::string body(1, static_cast<char>(type));
  const bool long_form =
      (type >= 5 && type <= 8) || (type >= 10 && type % 2 == 1);
  if (long_form) PutFixed32(&body, number);
  body += payload;
  PutFixed32(&bytes_,
             crc32c::Mask(crc32c::Extend(0, body.data(), body.size())));
  bytes_.push_back(static_cast<char>(payload.size() & 0xff));
  bytes_.push_back(static_cast<char>(payload.size() >> 8));
  bytes_ += body;
  return *this;
}

inline RawLog& RawLog::Add(std::string_view payload) {
  const size_t header = recycled_ ? 11 : 7;
  bool first = true;
  do {
    if (Left() < header) FillBlock();
    const size_t n = std::min(payload.size(), Left() - header);
    const bool last = n == payload.size();
    const int type = first && last ? 1 : first ? 2 : last ? 4 : 3;
    AddPart(static_cast<uint8_t>(recycled_ ? type + 4 : type),
            payload.substr(0, n));
    payload.remove_prefix(n);
    first = false;
    if (last) return *this;
  } while (true);
}

// A batch: header and records. `count`: the count in its header.
inline std::string RawBatch(uint64_t sequence, uint32_t count,
                            std::string_view records) {
  std::string batch;
  PutFixed64(&batch, sequence);
  PutFixed32(&batch, count);
  batch += records;
  return batch;
}

inline std::string RawPut(std::string_view key, std::string_view value) {
  std::string record(1, '\x01');
  PutLengthPrefixedSlice(&record, Slice(key.data(), key.size()));
  PutLengthPrefixedSlice(&record, Slice(value.data(), value.size()));
  return record;
}

// Record i of the cases: puts key "i".
inline std::string RawRecord(uint64_t i, size_t value_bytes = 3) {
  return RawBatch(i, 1,
                  RawPut(std::to_string(i), std::string(value_bytes, 'v')));
}

// The clean-close marker's batch: no entry, and the next sequence number.
inline std::string RawCleanCloseMarker(uint64_t next) {
  return RawBatch(next, 0, "");
}

// The files of the database, without its logs.
inline std::map<std::string, std::string> RawDatabase() {
  std::string comparator("\x01\x1a", 2);
  comparator += "leveldb.BytewiseComparator";
  const std::string counters("\x02\x02\x09\x00\x03\x03\x04\x00", 8);
  return {{"CURRENT", "MANIFEST-000001\n"},
          {"IDENTITY", "a648c468-aa8f-40fa-9f4a-d60d64ee0069"},
          {"MANIFEST-000001", RawLog(1).Add(comparator).Add(counters).bytes()}};
}

// The results of an open, by WALRecoveryMode. An error: '!' and part of its
// message.
using Outcomes = std::array<std::string, 4>;

struct LogFault {
  const char* name;
  std::map<uint64_t, std::string> logs;  // number → bytes
  Outcomes tamis;
  // RocksDB's results where they differ; nullptr: equal; "": crashes or hangs.
  std::array<const char*, 4> rocksdb = {nullptr, nullptr, nullptr, nullptr};
  // Whether an open in PointInTime moves a log to lost/.
  bool set_aside = false;
  const char* why = "";  // the reason for the difference
};

std::vector<LogFault> LogFaults();

// Names the parameter of tests of a fault and a mode.
inline void PrintTo(const LogFault& fault, std::ostream* out) {
  *out << fault.name;
}
inline std::string NameOfFault(
    const testing::TestParamInfo<std::tuple<LogFault, int>>& info) {
  constexpr const char* kModes[] = {"TolerateCorruptedTail",
                                    "AbsoluteConsistency", "PointInTime",
                                    "SkipAnyCorrupted"};
  return std::string(std::get<0>(info.param).name) + "_" +
         kModes[std::get<1>(info.param)];
}

}  // namespace tamis
