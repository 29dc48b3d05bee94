// SPDX-License-Identifier: Apache-2.0
//
// Logs whose records are compressed: by RocksDB, and by LogWriter.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/wal/log_files.h"
#include "tests/support/directories.h"
#include "tests/support/simulated_file_system.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

using Outcome = LogReader::Outcome;

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

TEST(LogTest, CompressionIsSetAtTheStartOrNever) {
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

// A frame with its content size: what follows the length prefix in our blocks.
std::string Frame(const std::string& raw) {
  std::string packed;
  EXPECT_TRUE(Compress(kZSTD, raw, &packed));
  Decoder in(packed);
  in.Varint32();
  return in.rest().ToString();
}

// Frames without a content size, as writers of long streams leave them: a
// stored block, or one byte repeated.
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

TEST(LogTest, CompressedRecordsRoundTrip) {
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
  LogWriter writer(std::make_unique<StringWritableFile>(&file), kLogNumber);
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

TEST(LogTest, MalformedFramesAreCorruption) {
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

TEST(LogTest, TruncatedCompressedLogEndsBeforeItsLastRecord) {
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

std::unique_ptr<LogWriter> ZstdWriter(
    std::string* file, LogWriter::Style style = LogWriter::Style::kAppended) {
  return std::make_unique<LogWriter>(std::make_unique<StringWritableFile>(file),
                                     kLogNumber, style, kZSTD);
}

// Records that compress and others, within blocks and across them.
std::vector<std::string> SomeRecords() {
  std::vector<std::string> records;
  for (const size_t n : {0u, 1u, 30u, 300u, 32'743u, 5u, 100'000u, 9u}) {
    records.push_back(Pattern(n, n));
    records.push_back(std::string(n, 'r'));
  }
  return records;
}

TEST(LogWriterTest, CompressesEachRecord) {
  TAMIS_NEEDS_ZSTD();
  std::string file;
  const auto writer = ZstdWriter(&file);
  EXPECT_EQ(writer->size(), 0u);
  std::vector<std::string> records = SomeRecords();
  for (const std::string& record : records) {
    ASSERT_TRUE(writer->AddRecord(record).ok());
    EXPECT_EQ(writer->size(), file.size());
  }
  // In parts, as groups of batches are written.
  const Slice parts[] = {"one", "", " and ", "two"};
  ASSERT_TRUE(writer->AddRecord(parts).ok());
  records.emplace_back("one and two");
  EXPECT_EQ(file.substr(0, 11), SetCompression(7));
  const ReadLog log = Read(file);
  EXPECT_EQ(log.outcome, Outcome::kEnd) << log.status;
  EXPECT_EQ(log.records, records);
  std::string stored;
  LogWriter other(std::make_unique<StringWritableFile>(&stored), kLogNumber);
  for (const std::string& record : records) {
    ASSERT_TRUE(other.AddRecord(record).ok());
  }
  EXPECT_LT(file.size() * 10, stored.size() * 7);
}

TEST(LogWriterTest, ACompressedLogMayEndAnywhere) {
  TAMIS_NEEDS_ZSTD();
  std::string file;
  const auto writer = ZstdWriter(&file);
  std::vector<std::string> records;
  std::vector<size_t> ends;
  for (const size_t n : {20u, 40'000u, 100u, 5u}) {
    records.push_back(Pattern(n, n));
    ASSERT_TRUE(writer->AddRecord(records.back()).ok());
    ends.push_back(file.size());
  }
  for (size_t size = 0; size <= file.size();
       size += size < 200 || size + 200 > file.size() ? 1u : 97u) {
    size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= size) ++whole;
    const ReadLog log = Read(file.substr(0, size));
    EXPECT_EQ(log.records,
              std::vector<std::string>(
                  records.begin(),
                  records.begin() + static_cast<std::ptrdiff_t>(whole)));
    EXPECT_TRUE(log.outcome == Outcome::kEnd ||
                log.outcome == Outcome::kTornTail)
        << size;
  }
}

TEST(LogWriterTest, CompressedRecordsAreStoredInPlaceToo) {
  TAMIS_NEEDS_ZSTD();
  std::string expected;
  const auto appended = ZstdWriter(&expected);
  const auto fs = NewSimulatedFileSystem();
  fs->SetStoresInPlace(true);
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs->NewWritableFile("/log", &file).ok());
  LogWriter in_place(std::move(file), kLogNumber, LogWriter::Style::kInPlace,
                     kZSTD);
  for (const std::string& record : SomeRecords()) {
    ASSERT_TRUE(appended->AddRecord(record).ok());
    ASSERT_TRUE(in_place.AddRecord(record).ok());
  }
  ASSERT_TRUE(appended->AddCleanCloseMarker(9).ok());
  ASSERT_TRUE(in_place.AddCleanCloseMarker(9).ok());
  ASSERT_TRUE(in_place.Close().ok());
  std::string contents;
  ASSERT_TRUE(fs->GetContents("/log", &contents).ok());
  EXPECT_TRUE(contents == expected);
  EXPECT_TRUE(*IsCleanlyClosed(fs.get(), "/log"));
}

TEST(LogWriterTest, ACompressedLogHasACleanCloseMarker) {
  TAMIS_NEEDS_ZSTD();
  const std::string empty("\x39\x30\0\0\0\0\0\0\0\0\0\0", 12);
  const auto fs = NewSimulatedFileSystem();
  const auto is_closed = [&fs](const std::string& bytes) {
    EXPECT_TRUE(WriteStringToFile(fs.get(), bytes, "/x.log", false).ok());
    const auto closed = IsCleanlyClosed(fs.get(), "/x.log");
    EXPECT_TRUE(closed.ok()) << closed.status();
    return closed.ok() && *closed;
  };
  std::set<size_t> markers_seen;
  // Records that do not compress; every place in a block before the marker.
  for (size_t n = 32'650; n <= 32'740; ++n) {
    std::string file;
    const auto writer = ZstdWriter(&file);
    ASSERT_TRUE(writer->AddRecord(Pattern(n, 3)).ok());
    EXPECT_FALSE(is_closed(file));
    ASSERT_TRUE(writer->AddCleanCloseMarker(12345).ok());
    EXPECT_EQ(writer->size(), file.size());
    EXPECT_TRUE(is_closed(file)) << n;
    const ReadLog log = Read(file);
    EXPECT_EQ(log.outcome, Outcome::kEnd) << log.status;
    ASSERT_GE(log.records.size(), 2u);
    markers_seen.insert(log.records.size() - 1);
    EXPECT_EQ(log.records[1], empty);
    EXPECT_EQ(log.records.back(), empty);
    EXPECT_EQ(log.offsets.back() + log::kZstdCleanCloseBytes, file.size());
    EXPECT_FALSE(is_closed(file + "x"));
    for (size_t i = 1; i <= log::kZstdCleanCloseBytes; ++i) {
      EXPECT_FALSE(is_closed(file.substr(0, file.size() - i)));
      std::string bad = file;
      bad[file.size() - i] = static_cast<char>(bad[file.size() - i] ^ 1);
      EXPECT_FALSE(is_closed(bad)) << i;
    }
  }
  // Also split, and then whole.
  EXPECT_EQ(markers_seen, (std::set<size_t>{1, 2}));
}

TEST(LogWriterTest, AFailureOfACompressedLogIsPermanent) {
  TAMIS_NEEDS_ZSTD();
  std::string file;
  LogWriter writer(std::make_unique<StringWritableFile>(&file, 2), kLogNumber,
                   LogWriter::Style::kAppended, kZSTD);
  EXPECT_TRUE(writer.AddRecord("one").ok());
  const Status failed = writer.AddRecord("two");
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(writer.AddRecord("three"), failed);
  EXPECT_EQ(writer.AddCleanCloseMarker(3), failed);
}

}  // namespace
}  // namespace tamis
