// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/log_format.h"
#include "db/log_reader.h"
#include "db/log_writer.h"
#include "tests/support/string_files.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/random.h"

namespace tamis {
namespace {

using Outcome = LogReader::Outcome;
constexpr uint64_t kNumber = 7;

struct ReadLog {
  std::vector<std::string> records;
  std::vector<uint64_t> offsets;
  Outcome outcome = Outcome::kEnd;
  uint64_t record_offset = 0;
  uint64_t bytes_dropped = 0;
  Status status;
};

ReadLog Read(const std::string& file, LogKind kind = LogKind::kWal) {
  LogReader reader(std::make_unique<StringSequentialFile>(file), "/db/x.log",
                   kNumber, kind);
  ReadLog log;
  std::string record;
  while ((log.outcome = reader.ReadRecord(&record)) == Outcome::kRecord) {
    log.records.push_back(record);
    log.offsets.push_back(reader.record_offset());
  }
  EXPECT_EQ(reader.ReadRecord(&record), log.outcome);
  log.record_offset = reader.record_offset();
  log.bytes_dropped = reader.bytes_dropped();
  log.status = reader.status();
  EXPECT_EQ(log.status.ok(), log.outcome != Outcome::kCorrupt);
  return log;
}

std::string Write(const std::vector<std::string>& records) {
  std::string file;
  LogWriter writer(std::make_unique<StringWritableFile>(&file), kNumber);
  for (const std::string& record : records) {
    EXPECT_TRUE(writer.AddRecord(record).ok());
    EXPECT_EQ(writer.size(), file.size());
  }
  return file;
}

std::string Pattern(size_t n, uint64_t seed) {
  Random random(seed);
  std::string s(n, '\0');
  for (char& c : s) c = static_cast<char>(random.Next());
  return s;
}

// One physical record, as another writer makes it.
std::string Physical(uint8_t type, const std::string& payload,
                     uint32_t number = kNumber) {
  std::string checked(1, static_cast<char>(type));
  if (log::HeaderBytes(type) == log::kRecyclableHeaderBytes) {
    PutFixed32(&checked, number);
  }
  checked += payload;
  std::string out;
  PutFixed32(&out, crc32c::Mask(crc32c::Value(checked.data(), checked.size())));
  PutFixed16(&out, static_cast<uint16_t>(payload.size()));
  return out + checked;
}

TEST(LogTest, RecordsOfEverySizeAroundABlockComeBack) {
  for (int delta = -25; delta <= 25; ++delta) {
    for (const size_t blocks : {1u, 2u, 9u}) {
      const auto n = static_cast<size_t>(
          static_cast<int>(blocks * log::kBlockBytes) + delta);
      const std::vector<std::string> records = {Pattern(n, n), "", "tail",
                                                Pattern(n / 2, 1), "x"};
      const ReadLog log = Read(Write(records));
      EXPECT_EQ(log.outcome, Outcome::kEnd) << n;
      EXPECT_EQ(log.records, records) << n;
      EXPECT_EQ(log.offsets[0], 0u);
    }
  }
}

TEST(LogTest, HeaderNeverCrossesABlock) {
  // What the first record leaves of the block decides where the second goes.
  const struct {
    size_t left;
    size_t second_offset;
    uint8_t type;
  } cases[] = {
      {0, 32768, log::kFull},  {1, 32768, log::kFull},  {6, 32768, log::kFull},
      {7, 32761, log::kFirst}, {8, 32760, log::kFirst}, {10, 32758, log::kFull},
  };
  for (const auto& c : cases) {
    const size_t first = log::kBlockBytes - log::kHeaderBytes - c.left;
    const std::string file = Write({std::string(first, 'a'), "abc"});
    EXPECT_EQ(static_cast<uint8_t>(file[c.second_offset + 6]), c.type)
        << c.left;
    EXPECT_EQ(Read(file).records.size(), 2u) << c.left;
    EXPECT_EQ(Read(file).offsets.at(1), c.second_offset) << c.left;
  }
}

TEST(LogTest, WrittenBytesAreThoseOfTheFormat) {
  const std::string batch("\1\0\0\0\0\0\0\0\1\0\0\0\1\5apple\3red", 23);
  EXPECT_EQ(Slice(Write({batch})).ToString(true),
            "DBDC71E817000101000000000000000100000001056170706C6503726564");
}

TEST(LogTest, WriterGoesOnWhereAFileStands) {
  std::string file = Write({Pattern(30000, 1)});
  {
    LogWriter writer(std::make_unique<StringWritableFile>(&file), kNumber);
    ASSERT_TRUE(writer.AddRecord(Pattern(30000, 2)).ok());
  }
  EXPECT_EQ(Read(file).records,
            (std::vector<std::string>{Pattern(30000, 1), Pattern(30000, 2)}));
}

TEST(LogTest, CutAtEveryByteIsATornTail) {
  const std::vector<std::string> records = {"first", Pattern(40000, 3), "last"};
  const std::string file = Write(records);
  const std::vector<uint64_t> starts = Read(file).offsets;
  for (const LogKind kind : {LogKind::kWal, LogKind::kManifest}) {
    for (size_t n = 0; n < file.size(); n += (n > 100 && n < 32700) ? 97 : 1) {
      const ReadLog log = Read(file.substr(0, n), kind);
      // Up to six bytes at the end of the first block are padding to it.
      size_t whole = 0;
      while (whole + 1 < starts.size() && starts[whole + 1] <= n) ++whole;
      EXPECT_EQ(log.records.size(), whole) << n;
      if (n == starts[whole]) {
        EXPECT_EQ(log.outcome, Outcome::kEnd) << n;
      } else {
        EXPECT_EQ(log.outcome, Outcome::kTornTail) << n;
        EXPECT_EQ(log.record_offset, starts[whole]) << n;
        EXPECT_EQ(log.bytes_dropped, n - starts[whole]) << n;
      }
    }
  }
}

TEST(LogTest, EveryFlippedBitBeforeAGoodRecordIsCorruption) {
  const std::string good = Write({"one", "the second record", "three"});
  const std::vector<uint64_t> starts = Read(good).offsets;
  for (const LogKind kind : {LogKind::kWal, LogKind::kManifest}) {
    for (size_t i = 0; i < starts[2]; ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        const ReadLog log = Read(bad, kind);
        EXPECT_EQ(log.outcome, Outcome::kCorrupt) << i << " bit " << bit;
        EXPECT_TRUE(log.status.IsCorruption());
        EXPECT_EQ(log.records.size(), i < starts[1] ? 0u : 1u) << i;
        EXPECT_EQ(log.record_offset, i < starts[1] ? 0u : starts[1]) << i;
        EXPECT_EQ(log.bytes_dropped, bad.size() - log.record_offset);
      }
    }
  }
}

TEST(LogTest, FlippedLastRecordIsATornTailOfAWalAndCorruptionOfAManifest) {
  const std::string good = Write({"one", "two", "three"});
  const size_t last = Read(good).offsets[2];
  for (size_t i = last; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 2);
    const ReadLog wal = Read(bad, LogKind::kWal);
    EXPECT_EQ(wal.records.size(), 2u) << i;
    EXPECT_EQ(wal.outcome, Outcome::kTornTail) << i;
    const ReadLog manifest = Read(bad, LogKind::kManifest);
    EXPECT_EQ(manifest.records.size(), 2u) << i;
    // A length that leads beyond the end looks like a cut.
    const bool too_long = i == last + 4 || i == last + 5;
    EXPECT_EQ(manifest.outcome,
              too_long ? Outcome::kTornTail : Outcome::kCorrupt)
        << i;
  }
}

TEST(LogTest, GoodRecordInALaterBlockTellsCorruption) {
  std::string file = Write({Pattern(30000, 1), Pattern(30000, 2), "small"});
  file[100] = static_cast<char>(file[100] ^ 1);
  EXPECT_EQ(Read(file).outcome, Outcome::kCorrupt);
  // The rest of the same record is no good record.
  std::string one = Write({Pattern(100000, 1)});
  one[100] = static_cast<char>(one[100] ^ 1);
  EXPECT_EQ(Read(one).outcome, Outcome::kTornTail);
}

TEST(LogTest, CorruptionNamesFileOffsetExpectedAndGot) {
  std::string file = Write({"one", "two", "three"});
  file[12] = 'X';
  const std::string message = Read(file).status.ToString();
  for (const char* part :
       {"/db/x.log", "offset 10", "checksum", "expected", "got"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(LogTest, ZerosAtTheEndAreNoRecord) {
  for (const size_t zeros : {1u, 6u, 7u, 11u, 500u, 32768u, 100000u}) {
    const std::string file = Write({"a", "b"}) + std::string(zeros, '\0');
    for (const LogKind kind : {LogKind::kWal, LogKind::kManifest}) {
      const ReadLog log = Read(file, kind);
      EXPECT_EQ(log.outcome, Outcome::kEnd) << zeros;
      EXPECT_EQ(log.records.size(), 2u) << zeros;
    }
  }
}

TEST(LogTest, ZeroedMiddleWithARecordBehindItIsCorruption) {
  std::string file = Write({"one", "two two two", "three"});
  const std::vector<uint64_t> starts = Read(file).offsets;
  std::fill(file.begin() + static_cast<ptrdiff_t>(starts[1]),
            file.begin() + static_cast<ptrdiff_t>(starts[2]), '\0');
  EXPECT_EQ(Read(file).outcome, Outcome::kCorrupt);
}

TEST(LogTest, RecyclableRecordsAreReadUpToStaleOnes) {
  const std::string fresh = Physical(log::kRecyclableFull, "one") +
                            Physical(log::kRecyclableFirst, "tw") +
                            Physical(log::kRecyclableMiddle, "") +
                            Physical(log::kRecyclableLast, "o");
  const std::vector<std::string> records = {"one", "two"};
  const std::string stale = Physical(log::kRecyclableFull, "old", 3) +
                            Physical(log::kRecyclableFull, "old", 3);
  EXPECT_EQ(Read(fresh).records, records);
  EXPECT_EQ(Read(fresh + stale).records, records);
  EXPECT_EQ(Read(fresh + stale).outcome, Outcome::kEnd);
  // The new record ended inside an old one.
  EXPECT_EQ(Read(fresh + stale.substr(4)).outcome, Outcome::kTornTail);
  EXPECT_EQ(Read(fresh + stale.substr(4)).records, records);
  // Stale in the middle of a record: the crash came before its end.
  const ReadLog torn =
      Read(fresh + Physical(log::kRecyclableFirst, "th") + stale);
  EXPECT_EQ(torn.outcome, Outcome::kTornTail);
  EXPECT_EQ(torn.records, records);
  EXPECT_EQ(torn.record_offset, fresh.size());
}

TEST(LogTest, BlockEndOfARecycledLogIsPadding) {
  for (size_t left = 0; left < log::kRecyclableHeaderBytes; ++left) {
    const size_t n = log::kBlockBytes - log::kRecyclableHeaderBytes - left;
    const std::string file =
        Physical(log::kRecyclableFull, std::string(n, 'a')) +
        std::string(left, '\0') + Physical(log::kRecyclableFull, "b");
    const ReadLog log = Read(file);
    EXPECT_EQ(log.records.size(), 2u) << left;
    EXPECT_EQ(log.outcome, Outcome::kEnd) << left;
  }
}

TEST(LogTest, FlippedLogNumberIsNotAnEnd) {
  std::string file = Physical(log::kRecyclableFull, "one") +
                     Physical(log::kRecyclableFull, "two");
  file[8] = static_cast<char>(file[8] ^ 1);
  EXPECT_EQ(Read(file).outcome, Outcome::kCorrupt);
}

TEST(LogTest, TypesThatMayBeUnknownAreSkipped) {
  const std::string file =
      Physical(10, std::string(6, '\1')) + Physical(11, std::string(6, '\1')) +
      Physical(log::kFull, "a") + Physical(130, std::string(24, 'p')) +
      Physical(131, std::string(24, 'p')) + Physical(0xfe, "") +
      Physical(log::kFull, "b");
  const ReadLog log = Read(file);
  EXPECT_EQ(log.records, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(log.outcome, Outcome::kEnd);
}

TEST(LogTest, OtherUnknownTypesAreCorruption) {
  for (const uint8_t type : std::initializer_list<uint8_t>{12, 13, 20, 127}) {
    const ReadLog log =
        Read(Physical(log::kFull, "a") + Physical(type, "what"));
    EXPECT_EQ(log.outcome, Outcome::kCorrupt) << int{type};
    EXPECT_TRUE(log.status.IsCorruption());
    EXPECT_EQ(log.records.size(), 1u);
  }
}

TEST(LogTest, CompressedLogIsRefusedByName) {
  const ReadLog log = Read(Physical(9, std::string("\7\0\0\0", 4)) +
                           Physical(log::kFull, "zstd"));
  EXPECT_EQ(log.outcome, Outcome::kCorrupt);
  EXPECT_TRUE(log.status.IsNotSupported());
  EXPECT_NE(log.status.ToString().find("compressed"), std::string::npos);
}

TEST(LogTest, PartsWithoutTheirRecord) {
  const std::string full = Physical(log::kFull, "a");
  const struct {
    const char* what;
    std::string file;
    Outcome outcome;
    size_t records;
  } cases[] = {
      {"last without first", full + Physical(log::kLast, "x"),
       Outcome::kTornTail, 1},
      {"and a record behind it", Physical(log::kMiddle, "x") + full,
       Outcome::kCorrupt, 0},
      {"first without last", full + Physical(log::kFirst, "x"),
       Outcome::kTornTail, 1},
      {"and a record behind it", Physical(log::kFirst, "x") + full,
       Outcome::kCorrupt, 0},
      {"empty first", Physical(log::kFirst, "") + full, Outcome::kEnd, 1},
  };
  for (const auto& c : cases) {
    const ReadLog log = Read(c.file);
    EXPECT_EQ(log.outcome, c.outcome) << c.what;
    EXPECT_EQ(log.records.size(), c.records) << c.what;
  }
}

TEST(LogTest, RandomBytesNeverGiveARecord) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const ReadLog log = Read(Pattern(seed * 401, seed));
    EXPECT_TRUE(log.records.empty()) << seed;
  }
}

TEST(LogWriterTest, FirstFailureStays) {
  for (int fail_at = 1; fail_at <= 4; ++fail_at) {
    std::string file;
    LogWriter writer(std::make_unique<StringWritableFile>(&file, fail_at),
                     kNumber);
    const Status results[] = {writer.AddRecord("one"), writer.Flush(),
                              writer.AddRecord("two"), writer.Sync(),
                              writer.AddRecord("three")};
    const std::string first = "call " + std::to_string(fail_at);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(results[i].ok(), i + 1 < fail_at) << fail_at << " " << i;
      EXPECT_EQ(results[i].message(), results[i].ok() ? "" : first);
    }
    EXPECT_EQ(writer.Close().message(), first);
  }
}

}  // namespace
}  // namespace tamis
