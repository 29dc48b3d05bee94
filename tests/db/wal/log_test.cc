// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/wal/log_files.h"
#include "tests/support/directories.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

using Outcome = LogReader::Outcome;

// The same, stored in place as long as the file accepts that.
std::string WriteInPlace(FileSystem* fs, const std::string& path,
                         const std::vector<std::string>& records,
                         size_t sync_after) {
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(fs->NewWritableFile(path, &file).ok());
  LogWriter writer(std::move(file), kLogNumber, LogWriter::Style::kInPlace);
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

TEST(LogTest, RecordsOfEverySizeAroundABlockRoundTrip) {
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
  // The rest of the block after the first record determines the place of the
  // second.
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

TEST(LogTest, WriterContinuesAnExistingFile) {
  std::string file = Write({Pattern(30000, 1)});
  {
    LogWriter writer(std::make_unique<StringWritableFile>(&file), kLogNumber);
    ASSERT_TRUE(writer.AddRecord(Pattern(30000, 2)).ok());
  }
  EXPECT_EQ(Read(file).records,
            (std::vector<std::string>{Pattern(30000, 1), Pattern(30000, 2)}));
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

TEST(LogTest, EndOfABlockOfARecycledLogIsPadding) {
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

TEST(LogTest, FlippedLogNumberIsCorruption) {
  std::string file = Physical(log::kRecyclableFull, "one") +
                     Physical(log::kRecyclableFull, "two");
  file[8] = static_cast<char>(file[8] ^ 1);
  EXPECT_EQ(Read(file).outcome, Outcome::kCorrupt);
}

TEST(LogTest, IgnorableTypesAreSkipped) {
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

class CleanCloseMarkerTest : public testing::Test {
 protected:
  bool IsClosed(const std::string& bytes) {
    EXPECT_TRUE(WriteStringToFile(fs_.get(), bytes, "/x.log", false).ok());
    const auto closed = IsCleanlyClosed(fs_.get(), "/x.log");
    EXPECT_TRUE(closed.ok()) << closed.status();
    return closed.ok() && *closed;
  }
  const std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
};

TEST_F(CleanCloseMarkerTest, EndsALogOfAnyLength) {
  const std::string empty("\x39\x30\0\0\0\0\0\0\0\0\0\0", 12);
  for (size_t left = 0; left <= 60; ++left) {
    std::string file;
    LogWriter writer(std::make_unique<StringWritableFile>(&file), kLogNumber);
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
    // With bytes appended, bytes missing, and other bytes in its place.
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

TEST(LogWriterTest, TheFirstFailureIsPermanent) {
  for (int fail_at = 1; fail_at <= 4; ++fail_at) {
    std::string file;
    LogWriter writer(std::make_unique<StringWritableFile>(&file, fail_at),
                     kLogNumber);
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

TEST(LogTest, StoresInPlaceEqualAppends) {
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
    LogWriter writer(std::make_unique<StringWritableFile>(&expected),
                     kLogNumber);
    for (const std::string& record : records) {
      ASSERT_TRUE(writer.AddRecord(record).ok());
    }
    ASSERT_TRUE(writer.AddCleanCloseMarker(9).ok());
  }
  const TemporaryDirectory directory;
  const auto posix = NewPosixFileSystem();
  const auto memory = NewSimulatedFileSystem();
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

}  // namespace
}  // namespace tamis
