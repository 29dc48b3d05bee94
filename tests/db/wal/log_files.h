// SPDX-License-Identifier: Apache-2.0
//
// Logs in strings, written by our writer or another one, and everything that
// the reader returns for a log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/wal/log_format.h"
#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/support/string_files.h"
#include "util/base/random.h"
#include "util/coding/coding.h"
#include "util/coding/crc32c.h"

namespace tamis {

inline constexpr FileNumber kLogNumber{7};

struct ReadLog {
  std::vector<std::string> records;
  std::vector<uint64_t> offsets;
  std::vector<bool> after_zeros;
  bool recycled = false;
  LogReader::Outcome outcome = LogReader::Outcome::kEnd;
  uint64_t record_offset = 0;
  uint64_t bytes_dropped = 0;
  Status status;
};

inline ReadLog Read(const std::string& file, LogKind kind = LogKind::kWal) {
  LogReader reader(std::make_unique<StringSequentialFile>(file), "/db/x.log",
                   kLogNumber, kind);
  ReadLog log;
  std::string record;
  while ((log.outcome = reader.ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    log.records.push_back(record);
    log.offsets.push_back(reader.record_offset());
    log.after_zeros.push_back(reader.after_zeros());
  }
  log.recycled = reader.recycled();
  EXPECT_EQ(reader.ReadRecord(&record), log.outcome);
  log.record_offset = reader.record_offset();
  log.bytes_dropped = reader.bytes_dropped();
  log.status = reader.status();
  EXPECT_EQ(log.status.ok(), log.outcome == LogReader::Outcome::kEnd);
  EXPECT_EQ(log.status.ok(), reader.reason().empty());
  return log;
}

// Continues after damage, and reads every record that is still readable.
struct Salvage {
  std::vector<std::string> records;
  std::vector<std::string> reasons;  // of each damage
  uint64_t dropped = 0;
  LogReader::Outcome outcome = LogReader::Outcome::kEnd;
};

inline Salvage ReadOn(const std::string& file, LogKind kind = LogKind::kWal) {
  LogReader reader(std::make_unique<StringSequentialFile>(file), "/db/x.log",
                   kLogNumber, kind);
  Salvage salvage;
  std::string record;
  do {
    while ((salvage.outcome = reader.ReadRecord(&record)) ==
           LogReader::Outcome::kRecord) {
      salvage.records.push_back(record);
    }
    if (salvage.outcome == LogReader::Outcome::kEnd) break;
    salvage.reasons.push_back(reader.reason());
    salvage.dropped += reader.bytes_dropped();
  } while (reader.Resume());
  EXPECT_EQ(reader.ReadRecord(&record), salvage.outcome);
  return salvage;
}

inline std::string Write(const std::vector<std::string>& records) {
  std::string file;
  LogWriter writer(std::make_unique<StringWritableFile>(&file), kLogNumber);
  for (const std::string& record : records) {
    EXPECT_TRUE(writer.AddRecord(record).ok());
    EXPECT_EQ(writer.size(), file.size());
  }
  return file;
}

inline std::string Pattern(size_t n, uint64_t seed) {
  Random random(seed);
  std::string s(n, '\0');
  for (char& c : s) c = static_cast<char>(random.Next());
  return s;
}

// One physical record, as another writer makes it.
inline std::string Physical(uint8_t type, const std::string& payload,
                            uint64_t number = kLogNumber.value()) {
  std::string checked(1, static_cast<char>(type));
  if (log::HeaderBytes(type) == log::kRecyclableHeaderBytes) {
    PutFixed32(&checked, static_cast<uint32_t>(number));
  }
  checked += payload;
  std::string out;
  PutFixed32(&out, crc32c::Mask(crc32c::Value(checked.data(), checked.size())));
  PutFixed16(&out, static_cast<uint16_t>(payload.size()));
  return out + checked;
}

}  // namespace tamis
