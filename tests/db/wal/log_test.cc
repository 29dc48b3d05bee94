// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/wal/log_format.h"
#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/support/directories.h"
#include "tests/support/string_files.h"
#include "util/base/random.h"
#include "util/coding/coding.h"
#include "util/coding/crc32c.h"
#include "util/compression/compression.h"
#include "util/io/file_system_memory.h"

namespace tamis {
namespace {

using Outcome = LogReader::Outcome;
constexpr uint64_t kNumber = 7;

struct ReadLog {
  std::vector<std::string> records;
  std::vector<uint64_t> offsets;
  std::vector<bool> after_zeros;
  bool recycled = false;
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
    log.after_zeros.push_back(reader.after_zeros());
  }
  log.recycled = reader.recycled();
  EXPECT_EQ(reader.ReadRecord(&record), log.outcome);
  log.record_offset = reader.record_offset();
  log.bytes_dropped = reader.bytes_dropped();
  log.status = reader.status();
  EXPECT_EQ(log.status.ok(), log.outcome == Outcome::kEnd);
  EXPECT_EQ(log.status.ok(), reader.reason().empty());
  return log;
}

// Goes on behind all damage, as a reader that takes what it can get.
struct Salvage {
  std::vector<std::string> records;
  std::vector<std::string> reasons;  // of each damage
  uint64_t dropped = 0;
  Outcome outcome = Outcome::kEnd;
};

Salvage ReadOn(const std::string& file, LogKind kind = LogKind::kWal) {
  LogReader reader(std::make_unique<StringSequentialFile>(file), "/db/x.log",
                   kNumber, kind);
  Salvage salvage;
  std::string record;
  do {
    while ((salvage.outcome = reader.ReadRecord(&record)) == Outcome::kRecord) {
      salvage.records.push_back(record);
    }
    if (salvage.outcome == Outcome::kEnd) break;
    salvage.reasons.push_back(reader.reason());
    salvage.dropped += reader.bytes_dropped();
  } while (reader.Resume());
  EXPECT_EQ(reader.ReadRecord(&record), salvage.outcome);
  return salvage;
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

// The same, stored in place as long as the file takes it.
std::string WriteInPlace(FileSystem* fs, const std::string& path,
                         const std::vector<std::string>& records,
                         size_t sync_after) {
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(fs->NewWritableFile(path, &file).ok());
  LogWriter writer(std::move(file), kNumber, LogWriter::Style::kInPlace);
  for (size_t i = 0; i < records.size(); ++i) {
    const Slice whole = records[i];
    const size_t cut = whole.size() / 3;
    const Slice parts[] = {Slice(whole.data(), cut), Slice(),
                           Slice(whole.data() + cut, whole.size() - cut)};
    EXPECT_TRUE(writer.AddRecord(parts).ok());
    if (i + 1 == sync_after) {
      EXPECT_TRUE(writer.Sync().ok());
    }
  }
  // As another process finds it now, or after a kill.
  std::string open;
  EXPECT_TRUE(writer.Flush().ok());
  EXPECT_TRUE(ReadFileToString(fs, path, &open).ok());
  EXPECT_EQ(Read(open).records, records);
  EXPECT_TRUE(writer.AddCleanCloseMarker(9).ok());
  EXPECT_TRUE(writer.Close().ok());
  std::string closed;
  EXPECT_TRUE(ReadFileToString(fs, path, &closed).ok());
  EXPECT_EQ(closed.size(), writer.size());
  EXPECT_TRUE(*IsCleanlyClosed(fs, path));
  return closed;
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
      // With a record behind it, it is no tail.
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

TEST(LogTest, GoodRecordInALaterBlockTellsCorruption) {
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
  const ReadLog log = Read(file);
  EXPECT_EQ(log.outcome, Outcome::kCorrupt);
  EXPECT_EQ(log.status.message(),
            "/db/x.log: offset 10: a header of zeros where a record was "
            "expected; records follow it");
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
  EXPECT_EQ(Read(fresh + stale.substr(4)).outcome, Outcome::kBadTail);
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

std::string SetCompression(uint32_t type) {
  std::string payload;
  PutFixed32(&payload, type);
  return Physical(log::kSetCompression, payload);
}

TEST(LogTest, CompressionThatIsNotZstdIsRefusedByName) {
  const struct {
    std::string file;
    LogKind kind;
    const char* says;
  } cases[] = {
      {SetCompression(1), LogKind::kWal, "type 1 (Snappy)"},
      {SetCompression(0), LogKind::kWal, "type 0 (NoCompression)"},
      {SetCompression(263), LogKind::kWal, "type 263 (unknown)"},
      {SetCompression(7), LogKind::kManifest, "compressed MANIFEST"},
  };
  for (const auto& c : cases) {
    const ReadLog log = Read(c.file + Physical(log::kFull, "a"), c.kind);
    EXPECT_EQ(log.outcome, Outcome::kCorrupt) << c.says;
    EXPECT_TRUE(log.status.IsNotSupported()) << log.status;
    EXPECT_NE(log.status.message().find("/db/x.log: offset 0: compressed"),
              std::string::npos)
        << log.status;
    EXPECT_NE(log.status.message().find(c.says), std::string::npos)
        << log.status;
    EXPECT_TRUE(ReadOn(c.file).records.empty());  // no going on
  }
}

TEST(LogTest, CompressionIsSetAtTheBeginOrNever) {
  const std::string a = Physical(log::kFull, "a");
  const ReadLog late = Read(a + SetCompression(7) + a);
  EXPECT_EQ(late.outcome, Outcome::kCorrupt);
  EXPECT_TRUE(late.status.IsCorruption());
  EXPECT_EQ(late.record_offset, a.size());
  EXPECT_EQ(ReadOn(a + SetCompression(7) + a).records,
            (std::vector<std::string>{"a", "a"}));
  const ReadLog odd = Read(Physical(log::kSetCompression, "\7"));
  EXPECT_TRUE(odd.status.IsCorruption()) << odd.status;
}

// A bare frame that tells its length: what stands behind the length that our
// blocks have in front.
std::string Frame(const std::string& raw) {
  std::string packed;
  EXPECT_TRUE(Compress(kZSTD, raw, &packed));
  Decoder in(packed);
  in.Varint32();
  return in.rest().ToString();
}

// Frames that tell no length, as the writers of long streams leave them: a
// stored block, or one byte many times over.
std::string StoredFrame(const std::string& raw) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x58", 6);
  const auto header = static_cast<uint32_t>(raw.size() << 3 | 1);
  for (int shift = 0; shift < 24; shift += 8) {
    frame.push_back(static_cast<char>(header >> shift));
  }
  return frame + raw;
}
std::string RepeatingFrame(size_t blocks, char byte) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x58", 6);
  for (size_t i = 1; i <= blocks; ++i) {
    const uint32_t header = (128u << 10) << 3 | 1u << 1 | (i == blocks ? 1 : 0);
    for (int shift = 0; shift < 24; shift += 8) {
      frame.push_back(static_cast<char>(header >> shift));
    }
    frame.push_back(byte);
  }
  return frame;
}

#define TAMIS_NEEDS_ZSTD() \
  if (!UncompressionSupported(kZSTD)) GTEST_SKIP() << "this build lacks zstd"

TEST(LogTest, CompressedRecordsComeBack) {
  TAMIS_NEEDS_ZSTD();
  const std::string big = Pattern(20000, 4);
  const std::string frame = Frame(big);
  // RocksDB's compressor hands out pieces, and each becomes a part.
  const std::string file =
      SetCompression(7) + Physical(log::kFull, Frame("a small one")) +
      Physical(10, "sizes") + Physical(log::kFirst, frame.substr(0, 1000)) +
      Physical(log::kMiddle, frame.substr(1000, 11)) +
      Physical(log::kMiddle, frame.substr(1011, 12)) +
      Physical(log::kLast, frame.substr(1023)) +
      Physical(log::kFull, StoredFrame("stored")) +
      Physical(log::kFull, RepeatingFrame(3, 'r'));
  const ReadLog log = Read(file);
  EXPECT_EQ(log.outcome, Outcome::kEnd) << log.status;
  EXPECT_EQ(log.records,
            (std::vector<std::string>{"a small one", big, "stored",
                                      std::string(3 * (128 << 10), 'r')}));
}

TEST(LogTest, CompressedRecordsCrossBlocks) {
  TAMIS_NEEDS_ZSTD();
  std::string file = SetCompression(7);
  LogWriter writer(std::make_unique<StringWritableFile>(&file), kNumber);
  std::vector<std::string> records;
  for (size_t n : {0u, 1u, 300u, 40000u, 200000u, 32000u, 5u}) {
    records.push_back(Pattern(n, n));
    ASSERT_TRUE(writer.AddRecord(Frame(records.back())).ok());
  }
  const ReadLog log = Read(file);
  EXPECT_EQ(log.outcome, Outcome::kEnd);
  EXPECT_EQ(log.records, records);
  for (const size_t cut : {1u, 9u, 20u}) {
    EXPECT_EQ(Read(file.substr(0, file.size() - cut)).outcome,
              Outcome::kTornTail);
  }
}

TEST(LogTest, FramesThatAreNoneAreCorruption) {
  TAMIS_NEEDS_ZSTD();
  const std::string good = Frame(std::string(1000, 'x'));
  std::string claims = good;  // a terabyte, in eight bytes
  claims[4] = static_cast<char>(0xe0);
  claims.insert(5, std::string("\0\0\0\0\0\1\0\0", 8));
  for (const std::string& frame :
       {std::string(), std::string("zstd"), good.substr(0, good.size() - 1),
        good + "x", good + good, StoredFrame("abc").substr(0, 8), claims}) {
    const std::string file = SetCompression(7) + Physical(log::kFull, good) +
                             Physical(log::kFull, frame) +
                             Physical(log::kFull, good);
    const ReadLog log = Read(file);
    EXPECT_EQ(log.outcome, Outcome::kCorrupt) << Slice(frame).ToString(true);
    EXPECT_TRUE(log.status.IsCorruption()) << log.status;
    EXPECT_EQ(log.record_offset, log.offsets[0] + 7 + good.size());
    const Salvage salvage = ReadOn(file);
    EXPECT_EQ(salvage.records.size(), 2u);
    EXPECT_EQ(salvage.dropped, 7 + frame.size());
  }
}

TEST(LogTest, FramesMayHoldUpToALimit) {
  TAMIS_NEEDS_ZSTD();
  const std::string raw(128 << 10, 'r');
  for (const std::string& frame : {Frame(raw), RepeatingFrame(1, 'r')}) {
    const auto all = UncompressZstdRecord(frame, raw.size());
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_EQ(*all, raw);
    EXPECT_TRUE(
        UncompressZstdRecord(frame, raw.size() - 1).status().IsCorruption());
  }
}

// Written by RocksDB 7.8.3 with wal_compression=kZSTD: three batches.
TEST(LogTest, CompressedLogOfRocksDBIsRead) {
  TAMIS_NEEDS_ZSTD();
  const std::string file = FromHexDigits(
      "e12c08f80400090700000029d1a41124000128b52ffd2417b9000001000000000000"
      "000100000001056170706c650372656445c51198450389222f000128b52ffd644900"
      "0d0100c0020002000000010662616e616e61ac027900056170706c6502002840550c"
      "b40198c2d917a9fe23e52a000128b52ffd241de90000040000000000000001000000"
      "0106636865727279086461726b20726564e14f7e1c");
  std::string second = std::string("\2\0\0\0\0\0\0\0\2\0\0\0", 12) +
                       "\1\6banana\xac\2" + std::string(300, 'y');
  second += std::string("\0\5apple", 7);
  const ReadLog log = Read(file);
  EXPECT_EQ(log.outcome, Outcome::kEnd) << log.status;
  EXPECT_EQ(
      log.records,
      (std::vector<std::string>{
          std::string("\1\0\0\0\0\0\0\0\1\0\0\0\1\5apple\3red", 23), second,
          std::string("\4\0\0\0\0\0\0\0\1\0\0\0\1\6cherry\10dark red", 29)}));
}

TEST(LogTest, CompressedLogThatIsCutEndsBeforeItsLastRecord) {
  TAMIS_NEEDS_ZSTD();
  const std::string file = SetCompression(7) +
                           Physical(log::kFull, Frame("one")) +
                           Physical(log::kFull, Frame("two"));
  std::string bad = file;
  bad.back() ^= 1;
  EXPECT_EQ(Read(bad).outcome, Outcome::kBadTail);
  EXPECT_EQ(Read(bad).records, std::vector<std::string>{"one"});
  EXPECT_EQ(Read(SetCompression(7)).outcome, Outcome::kEnd);
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
       Outcome::kBadTail, 1},
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

// Records 1 to 5 of a log that something befell, and what the reader tells of
// it. The modes of recovery are built on that:
//
//                        tolerate tail   absolute   point in time   skip
//   kEnd                 good            good       good            good
//   kTornTail            good            fail       good            good
//   kBadTail             fail            fail       good            good
//   kBadTail, recycled   good            fail       good            good
//   kCorrupt             fail            fail       stop            Resume
TEST(LogTest, TellsEveryFaultOfAWriteAheadLog) {
  const std::vector<std::string> five = {"one", "two", "three", "four", "five"};
  const std::string intact = Write(five);
  const std::vector<uint64_t> at = Read(intact).offsets;
  const std::string three = intact.substr(0, at[3]);
  const std::string four = intact.substr(0, at[4]);
  const auto flip = [](std::string bytes, uint64_t offset) {
    bytes[offset] = static_cast<char>(bytes[offset] ^ 1);
    return bytes;
  };
  std::string recycled;
  for (const std::string& record : five) {
    recycled += Physical(log::kRecyclableFull, record);
  }
  const std::string stale = Physical(log::kRecyclableFull, "old", 3);
  // The third is in the first block with the others, the sixth in the second.
  const std::vector<std::string> long_log = {
      "one", "two", "three", "four", Pattern(40000, 5), "six"};
  const std::string two_blocks = Write(long_log);
  const std::string across = Write({"one", Pattern(40000, 1)});
  const struct {
    const char* what;
    std::string file;
    Outcome outcome;
    size_t records;        // before the fault
    size_t with_resuming;  // in all
    bool is_recycled = false;
  } cases[] = {
      {"nothing", intact, Outcome::kEnd, 5, 5},
      {"ends inside a header", intact.substr(0, at[4] + 3), Outcome::kTornTail,
       4, 4},
      {"ends inside a payload", intact.substr(0, intact.size() - 1),
       Outcome::kTornTail, 4, 4},
      {"ends between first and last", across.substr(0, log::kBlockBytes),
       Outcome::kTornTail, 1, 1},
      {"crc of the third, all in one block", flip(intact, at[2] + 8),
       Outcome::kCorrupt, 2, 2},
      {"crc of the third, more blocks behind", flip(two_blocks, at[2] + 8),
       Outcome::kCorrupt, 2, 3},
      {"crc of the last", flip(intact, at[4] + 8), Outcome::kBadTail, 4, 4},
      {"zeros behind the last", intact + std::string(5000, '\0'), Outcome::kEnd,
       5, 5},
      {"a tail that looks too long", intact + "\1\2\3\4\xff\x7f\1rest",
       Outcome::kTornTail, 5, 5},
      {"unknown type below 0x80 as the third",
       intact.substr(0, at[2]) + Physical(20, "x") + intact.substr(at[2]),
       Outcome::kCorrupt, 2, 5},
      {"the same as the last", intact + Physical(20, "x"), Outcome::kCorrupt, 5,
       5},
      {"unknown type from 0x80 on",
       three + Physical(200, "x") + intact.substr(at[3]), Outcome::kEnd, 5, 5},
      {"stale records of a recycled log", recycled + stale + stale,
       Outcome::kEnd, 5, 5, true},
      {"recycled, crc of the last", flip(recycled, recycled.size() - 1),
       Outcome::kBadTail, 4, 4, true},
      {"recycled, crc of the first", flip(recycled, 12) + stale,
       Outcome::kCorrupt, 0, 0},
      {"last without first", three + Physical(log::kLast, "x") + "",
       Outcome::kBadTail, 3, 3},
      {"the same with records behind it",
       three + Physical(log::kLast, "x") + intact.substr(at[3]),
       Outcome::kCorrupt, 3, 5},
      {"first without last, with records behind it",
       three + Physical(log::kFirst, "x") + intact.substr(at[3]),
       Outcome::kCorrupt, 3, 5},
      {"empty first", four + Physical(log::kFirst, "") + intact.substr(at[4]),
       Outcome::kEnd, 5, 5},
  };
  for (const auto& c : cases) {
    const ReadLog log = Read(c.file);
    EXPECT_EQ(log.outcome, c.outcome) << c.what << ": " << log.status;
    EXPECT_EQ(log.records.size(), c.records) << c.what;
    EXPECT_EQ(log.recycled, c.is_recycled) << c.what;
    const Salvage salvage = ReadOn(c.file);
    EXPECT_EQ(salvage.records.size(), c.with_resuming) << c.what;
    EXPECT_EQ(salvage.reasons.empty(), c.outcome == Outcome::kEnd) << c.what;
  }
  EXPECT_EQ(ReadOn(flip(two_blocks, at[2] + 8)).records,
            (std::vector<std::string>{"one", "two", "six"}));
}

TEST(LogTest, ResumeGoesOnAtTheNextBlockThatHoldsTheBeginOfARecord) {
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

TEST(LogTest, ResumePassesOverBlocksWithoutARecord) {
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

TEST(LogTest, ReadsOnThroughAnyDamage) {
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

TEST(LogTest, FileThatGivesAnErrorIsNotReadOn) {
  class BadFile : public SequentialFile {
   public:
    Status Read(size_t, Slice*, char*) override {
      return Status::IOError("/db/x.log", "bad sector");
    }
    Status Skip(uint64_t) override { return Status::OK(); }
  };
  LogReader reader(std::make_unique<BadFile>(), "/db/x.log", kNumber,
                   LogKind::kWal);
  std::string record;
  EXPECT_EQ(reader.ReadRecord(&record), Outcome::kCorrupt);
  EXPECT_TRUE(reader.status().IsIOError());
  EXPECT_FALSE(reader.Resume());
  EXPECT_EQ(reader.ReadRecord(&record), Outcome::kCorrupt);
}

TEST(LogTest, TellsZerosThatNoWriterLeaves) {
  const auto padded = [](const std::string& front, size_t zeros) {
    std::string block = front;
    const size_t body =
        log::kBlockBytes - zeros - front.size() - log::HeaderBytes(log::kFull);
    block += Physical(log::kFull, std::string(body, 'f'));
    block.resize(log::kBlockBytes, '\0');
    return block;
  };
  const std::string b = Physical(log::kFull, "b");
  const std::string sizes = Physical(10, std::string(12, 's'));  // 19 bytes
  const std::string lost(log::kBlockBytes, '\0');
  const struct {
    const char* what;
    std::string file;
    std::vector<bool> after_zeros;
  } cases[] = {
      {"none", padded("", 0) + b, {false, false}},
      {"no room for a header", padded("", 6) + b, {false, false}},
      {"nor for a long one", padded("", 10) + b, {false, false}},
      {"more", padded("", 11) + b + b, {false, true, false}},
      {"a lost block", padded("", 0) + lost + b, {false, true}},
      {"no room for what is not split",
       padded("", 18) + sizes + b,
       {false, false}},
      {"there was room for it", padded("", 19) + sizes + b, {false, true}},
      {"a lost block before it",
       padded("", 0) + lost + sizes + b,
       {false, true}},
      {"in the record itself",
       Physical(log::kFirst, "x") + std::string(log::kBlockBytes - 8, '\0') +
           Physical(log::kLast, "y") + b,
       {true, false}},
      {"at the end", padded("", 100), {false}},
  };
  for (const auto& c : cases) {
    const ReadLog log = Read(c.file);
    EXPECT_EQ(log.outcome, Outcome::kEnd) << c.what;
    EXPECT_EQ(log.after_zeros, c.after_zeros) << c.what;
  }
}

TEST(LogTest, RandomBytesNeverGiveARecord) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const ReadLog log = Read(Pattern(seed * 401, seed));
    EXPECT_TRUE(log.records.empty()) << seed;
  }
}

class CleanCloseMarkerTest : public testing::Test {
 protected:
  bool IsClosed(const std::string& bytes) {
    EXPECT_TRUE(WriteStringToFile(fs_.get(), bytes, "/x.log", false).ok());
    const auto closed = IsCleanlyClosed(fs_.get(), "/x.log");
    EXPECT_TRUE(closed.ok()) << closed.status();
    return closed.ok() && *closed;
  }
  const std::shared_ptr<MemoryFileSystem> fs_ = NewMemoryFileSystem();
};

TEST_F(CleanCloseMarkerTest, EndsALogOfAnyLength) {
  const std::string empty("\x39\x30\0\0\0\0\0\0\0\0\0\0", 12);
  for (size_t left = 0; left <= 60; ++left) {
    std::string file;
    LogWriter writer(std::make_unique<StringWritableFile>(&file), kNumber);
    const std::string body(log::kBlockBytes - log::kHeaderBytes - left, 'b');
    ASSERT_TRUE(writer.AddRecord(body).ok());
    EXPECT_FALSE(IsClosed(file)) << left;
    ASSERT_TRUE(writer.AddCleanCloseMarker(12345).ok());
    EXPECT_EQ(writer.size(), file.size());
    EXPECT_TRUE(IsClosed(file)) << left;
    const ReadLog log = Read(file);
    EXPECT_EQ(log.outcome, Outcome::kEnd);
    // Split, and then whole.
    const size_t markers = left >= 7 && left < 19 ? 2 : 1;
    ASSERT_EQ(log.records.size(), 1 + markers) << left;
    EXPECT_EQ(log.records[1], empty);
    EXPECT_EQ(log.records.back(), empty);
    EXPECT_EQ(log.offsets.back() + log::kCleanCloseBytes, file.size());
    EXPECT_EQ(log.after_zeros, std::vector<bool>(1 + markers, false)) << left;
    // Anything behind it, anything missing, anything else in its place.
    EXPECT_FALSE(IsClosed(file + "x"));
    EXPECT_FALSE(IsClosed(file + std::string(13, '\0')));
    for (size_t cut = 1; cut <= log::kCleanCloseBytes; ++cut) {
      EXPECT_FALSE(IsClosed(file.substr(0, file.size() - cut))) << left;
    }
    for (size_t i = 1; i <= log::kCleanCloseBytes; ++i) {
      std::string bad = file;
      bad[file.size() - i] = static_cast<char>(bad[file.size() - i] ^ 1);
      EXPECT_FALSE(IsClosed(bad)) << left << " " << i;
    }
  }
}

TEST_F(CleanCloseMarkerTest, IsAFullRecordOfAnEmptyBatch) {
  const std::string batch("\1\0\0\0\0\0\0\0\0\0\0\0", 12);
  const std::string one("\1\0\0\0\0\0\0\0\1\0\0\0", 12);
  EXPECT_TRUE(IsClosed(Physical(log::kFull, batch)));
  EXPECT_FALSE(IsClosed(Physical(log::kLast, batch)));
  EXPECT_FALSE(IsClosed(Physical(log::kFull, one)));
  EXPECT_FALSE(IsClosed(Physical(log::kFull, batch + "x")));
  EXPECT_FALSE(IsClosed(Physical(log::kRecyclableFull, batch)));
  EXPECT_FALSE(IsClosed(""));
  EXPECT_TRUE(
      IsCleanlyClosed(fs_.get(), "/none.log").status().IsPathNotFound());
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

TEST(LogTest, WhatIsStoredInPlaceIsWhatIsAppended) {
  // Up to, across and beyond the ends of blocks, and the file's first windows;
  // then one that is too long.
  std::vector<size_t> sizes = {0, 1,     100,   32620, 5,     7,  0,
                               9, 32768, 65530, 1,     32743, 12, 140};
  sizes.resize(sizes.size() + 40, 60'000);
  sizes.insert(sizes.end(), {5, 3'000'000, 140, 9});
  std::vector<std::string> records;
  for (const size_t n : sizes) records.push_back(Pattern(n, n));
  std::string expected;
  {
    LogWriter writer(std::make_unique<StringWritableFile>(&expected), kNumber);
    for (const std::string& record : records) {
      ASSERT_TRUE(writer.AddRecord(record).ok());
    }
    ASSERT_TRUE(writer.AddCleanCloseMarker(9).ok());
  }
  const TemporaryDirectory directory;
  const auto posix = NewPosixFileSystem();
  const auto memory = NewMemoryFileSystem();
  memory->SetStoresInPlace(true);
  for (const size_t sync_after : {0u, 3u, 13u}) {
    EXPECT_EQ(
        WriteInPlace(posix.get(), directory.Path("log"), records, sync_after),
        expected)
        << sync_after;
    EXPECT_EQ(WriteInPlace(memory.get(), "log", records, sync_after), expected)
        << sync_after;
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

  // With a record behind it, it is not the tail.
  const std::string third = Write({Pattern(100, 3)});
  torn.resize(whole.size());
  EXPECT_EQ(Read(torn + third).outcome, Outcome::kCorrupt);
}

// A sector is torn at a multiple of 8 bytes; the file may end soon behind that.
TEST(LogTest, TheEndOfAManifestMayLackItsLastFewBytes) {
  for (size_t n = 60; n < 68; ++n) {
    std::string bad = Write({"one", std::string(n, 'x')});
    const size_t rest = bad.size() % 8 != 0 ? bad.size() % 8 : 8;
    std::fill(bad.end() - static_cast<std::ptrdiff_t>(rest), bad.end(), '\0');
    const ReadLog log = Read(bad, LogKind::kManifest);
    EXPECT_EQ(log.outcome, Outcome::kTornTail) << n;
    EXPECT_EQ(log.records, std::vector<std::string>{"one"});
    // A record behind it tells that it is no torn end.
    EXPECT_EQ(Read(bad + Write({"two"}), LogKind::kManifest).outcome,
              Outcome::kCorrupt)
        << n;
  }
}

}  // namespace
}  // namespace tamis
