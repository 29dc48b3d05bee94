// SPDX-License-Identifier: Apache-2.0
//
// LogReader's outcomes for logs that were cut or changed, and Resume.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/wal/log_files.h"

namespace tamis {
namespace {

using Outcome = LogReader::Outcome;

TEST(LogTest, TruncationAtEveryByteIsATornTail) {
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

TEST(LogTest, FlippedLastRecordIsABadTailOfAWalAndCorruptionOfAManifest) {
  const std::string good = Write({"one", "two", "three"});
  const size_t last = Read(good).offsets[2];
  for (size_t i = last; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 2);
    const ReadLog wal = Read(bad, LogKind::kWal);
    EXPECT_EQ(wal.records.size(), 2u) << i;
    // A length that leads beyond the end looks like a cut.
    const bool too_long = i == last + 4 || i == last + 5;
    EXPECT_EQ(wal.outcome, too_long ? Outcome::kTornTail : Outcome::kBadTail)
        << i;
    const ReadLog manifest = Read(bad, LogKind::kManifest);
    EXPECT_EQ(manifest.records.size(), 2u) << i;
    EXPECT_EQ(manifest.outcome,
              too_long ? Outcome::kTornTail : Outcome::kCorrupt)
        << i;
  }
}

// The device wrote the sectors of the last record in another order.
TEST(LogTest, ALostSectorTearsTheTailOfAManifest) {
  const std::string good = Write({"one", Pattern(300, 1), Pattern(2000, 2)});
  const size_t last = Read(good).offsets[2];
  for (size_t from = last; from < good.size();) {
    const size_t to = std::min(good.size(), (from / 512 + 1) * 512);
    for (const size_t torn : {from, from + 1, to - 4}) {
      std::string bad = good;
      std::fill(bad.begin() + static_cast<ptrdiff_t>(torn),
                bad.begin() + static_cast<ptrdiff_t>(to), '\0');
      const ReadLog manifest = Read(bad, LogKind::kManifest);
      EXPECT_EQ(manifest.outcome, Outcome::kTornTail) << torn;
      EXPECT_EQ(manifest.records.size(), 2u) << torn;
      EXPECT_EQ(manifest.record_offset, last) << torn;
      // With a record after it, it is not a tail.
      EXPECT_EQ(Read(bad + Write({"four"}), LogKind::kManifest).outcome,
                Outcome::kCorrupt)
          << torn;
    }
    from = to;
  }
}

TEST(LogTest, AnEmptyRecordMayBeTornAtTheEndOfAManifest) {
  const std::string good = Write({"one", "two", ""});
  for (size_t kept = 0; kept <= 7; ++kept) {
    std::string bad = good;
    std::fill(bad.end() - static_cast<ptrdiff_t>(7 - kept), bad.end(), '\0');
    const ReadLog manifest = Read(bad, LogKind::kManifest);
    EXPECT_NE(manifest.outcome, Outcome::kCorrupt) << kept;
    EXPECT_EQ(manifest.records.size(), kept == 7 ? 3u : 2u) << kept;
  }
}

// A sector is torn at a multiple of 8 bytes, and the file may end soon after
// it.
TEST(LogTest, TheEndOfAManifestMayLackItsLastFewBytes) {
  for (size_t n = 60; n < 68; ++n) {
    std::string bad = Write({"one", std::string(n, 'x')});
    const size_t rest = bad.size() % 8 != 0 ? bad.size() % 8 : 8;
    std::fill(bad.end() - static_cast<std::ptrdiff_t>(rest), bad.end(), '\0');
    const ReadLog log = Read(bad, LogKind::kManifest);
    EXPECT_EQ(log.outcome, Outcome::kTornTail) << n;
    EXPECT_EQ(log.records, std::vector<std::string>{"one"});
    // A record after it shows that it is not a torn end.
    EXPECT_EQ(Read(bad + Write({"two"}), LogKind::kManifest).outcome,
              Outcome::kCorrupt)
        << n;
  }
}

TEST(LogTest, ARecordWithoutItsHeaderIsATornTail) {
  // A kill between the payload's stores and the header's.
  const std::string whole = Write({Pattern(100, 1), Pattern(100, 2)});
  std::string torn = whole;
  std::fill_n(torn.begin() + log::kHeaderBytes + 100, log::kHeaderBytes, '\0');
  torn.resize(torn.size() + 5000);
  const ReadLog log = Read(torn);
  EXPECT_EQ(log.outcome, Outcome::kTornTail);
  EXPECT_EQ(log.records.size(), 1u);
  EXPECT_EQ(log.record_offset, log::kHeaderBytes + 100);

  // With a record after it, it is not the tail.
  const std::string third = Write({Pattern(100, 3)});
  torn.resize(whole.size());
  EXPECT_EQ(Read(torn + third).outcome, Outcome::kCorrupt);
}

TEST(LogTest, GoodRecordInALaterBlockProvesCorruption) {
  std::string file = Write({Pattern(30000, 1), Pattern(30000, 2), "small"});
  file[100] = static_cast<char>(file[100] ^ 1);
  EXPECT_EQ(Read(file).outcome, Outcome::kCorrupt);
  // The rest of the same record is no good record.
  std::string one = Write({Pattern(100000, 1)});
  one[100] = static_cast<char>(one[100] ^ 1);
  EXPECT_EQ(Read(one).outcome, Outcome::kBadTail);
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

TEST(LogTest, ZerosAtTheEndAreNotARecord) {
  for (const size_t zeros : {1u, 6u, 7u, 11u, 500u, 32768u, 100000u}) {
    const std::string file = Write({"a", "b"}) + std::string(zeros, '\0');
    for (const LogKind kind : {LogKind::kWal, LogKind::kManifest}) {
      const ReadLog log = Read(file, kind);
      EXPECT_EQ(log.outcome, Outcome::kEnd) << zeros;
      EXPECT_EQ(log.records.size(), 2u) << zeros;
    }
  }
}

TEST(LogTest, ZerosBeforeARecordAreCorruption) {
  std::string file = Write({"one", "two two two", "three"});
  const std::vector<uint64_t> starts = Read(file).offsets;
  std::fill(file.begin() + static_cast<ptrdiff_t>(starts[1]),
            file.begin() + static_cast<ptrdiff_t>(starts[2]), '\0');
  const ReadLog log = Read(file);
  EXPECT_EQ(log.outcome, Outcome::kCorrupt);
  EXPECT_EQ(log.status.message(),
            "/db/x.log: offset 10: a header of zeros where a record was "
            "expected; records follow it");
}

TEST(LogTest, ResumeContinuesAtTheNextBlockWithTheStartOfARecord) {
  std::vector<std::string> records;
  for (uint64_t i = 0; i < 40; ++i) records.push_back(Pattern(10000, i));
  const std::string intact = Write(records);
  const std::vector<uint64_t> at = Read(intact).offsets;
  for (size_t bad = 0; bad < records.size(); ++bad) {
    std::string file = intact;
    file[at[bad] + 9] = static_cast<char>(file[at[bad] + 9] ^ 4);
    const Salvage salvage = ReadOn(file);
    // Lost: what begins in the same block, from the damage on.
    std::vector<std::string> expected;
    for (size_t i = 0; i < records.size(); ++i) {
      const bool lost =
          i >= bad && at[i] / log::kBlockBytes == at[bad] / log::kBlockBytes;
      if (!lost) expected.push_back(records[i]);
    }
    EXPECT_EQ(salvage.records, expected) << bad;
    EXPECT_EQ(salvage.reasons.size(), 1u) << bad;
    EXPECT_NE(salvage.reasons[0].find("offset " + std::to_string(at[bad])),
              std::string::npos);
    EXPECT_LE(salvage.dropped, log::kBlockBytes) << bad;
    EXPECT_GT(salvage.dropped, 0u) << bad;
  }
}

TEST(LogTest, ResumeSkipsBlocksWithoutARecord) {
  const std::string one = Write({"one", Pattern(20000, 1)});
  std::string file = one;
  file.resize(log::kBlockBytes, 'g');
  file += Pattern(3 * log::kBlockBytes, 2);
  file += Write({"two", "three"});
  const Salvage salvage = ReadOn(file);
  EXPECT_EQ(salvage.records, (std::vector<std::string>{"one", Pattern(20000, 1),
                                                       "two", "three"}));
  EXPECT_EQ(salvage.reasons.size(), 1u);
  EXPECT_EQ(salvage.dropped, 4 * log::kBlockBytes - one.size());
}

TEST(LogTest, ReadsPastAnyDamage) {
  std::vector<std::string> records;
  for (uint64_t i = 0; i < 200; ++i) {
    records.push_back(std::to_string(i) + Pattern(i * 37 % 5000, i));
  }
  const std::string intact = Write(records);
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::string file = intact;
    for (uint64_t n = 1 + seed % 4; n > 0; --n) {
      const size_t at = random.Uniform(file.size());
      file[at] = static_cast<char>(file[at] ^ (1 << random.Uniform(8)));
    }
    const Salvage salvage = ReadOn(file);
    EXPECT_GT(salvage.records.size(), 10u) << seed;
    // They are records that were written, in their order.
    size_t next = 0;
    for (const std::string& record : salvage.records) {
      while (next < records.size() && records[next] != record) ++next;
      ASSERT_LT(next, records.size()) << seed;
      ++next;
    }
  }
}

TEST(LogTest, ReadingStopsAtAnErrorOfTheFile) {
  class BadFile : public SequentialFile {
   public:
    Status Read(size_t, Slice*, char*) override {
      return Status::IOError("/db/x.log", "bad sector");
    }
    Status Skip(uint64_t) override { return Status::OK(); }
  };
  LogReader reader(std::make_unique<BadFile>(), "/db/x.log", kLogNumber,
                   LogKind::kWal);
  std::string record;
  EXPECT_EQ(reader.ReadRecord(&record), Outcome::kCorrupt);
  EXPECT_TRUE(reader.status().IsIOError());
  EXPECT_FALSE(reader.Resume());
  EXPECT_EQ(reader.ReadRecord(&record), Outcome::kCorrupt);
}

TEST(LogTest, RandomBytesNeverGiveARecord) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const ReadLog log = Read(Pattern(seed * 401, seed));
    EXPECT_TRUE(log.records.empty()) << seed;
  }
}

}  // namespace
}  // namespace tamis
