// SPDX-License-Identifier: Apache-2.0
//
// RocksDB and Tamis recover the same from a log with a fault, in each of the
// four recovery modes, except for differences that log_faults.cc explains. Some
// logs are written byte by byte. Others are RocksDB's, also compressed and
// recycled, truncated and damaged in many places.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "tests/support/directories.h"
#include "tests/support/log_faults.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {

namespace {

namespace fs = std::filesystem;

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  EXPECT_TRUE(out.good()) << path;
}

// The entries that an open shows, or "!" and its error.
struct Shown {
  std::string refusal;
  KeyValues entries;
};

Shown OpenedByTamis(const std::string& directory, int mode) {
  Options options;
  options.wal_recovery_mode = static_cast<WALRecoveryMode>(mode);
  std::unique_ptr<DB> db;
  Status status = DB::Open(options, directory, &db);
  Shown shown;
  if (!status.ok()) {
    shown.refusal = "!" + status.ToString();
    return shown;
  }
  shown.entries = ScanForward(db.get(), &status);
  EXPECT_TRUE(status.ok()) << status;
  return shown;
}

Shown OpenedByRocksDB(const std::string& directory, int mode) {
  rocksdb::Options options;
  options.wal_recovery_mode = static_cast<rocksdb::WALRecoveryMode>(mode);
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, directory, &raw);
  Shown shown;
  if (!status.ok()) {
    shown.refusal = "!" + status.ToString();
    return shown;
  }
  const std::unique_ptr<rocksdb::DB> db(raw);
  const std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    shown.entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return shown;
}

std::string Keys(const KeyValues& entries) {
  std::string keys;
  for (const auto& [key, value] : entries) keys += key;
  return keys;
}

void ExpectOutcome(const std::string& expected, const Shown& shown) {
  if (expected.front() == '!') {
    EXPECT_NE(shown.refusal, "") << "shows " << Keys(shown.entries);
  } else {
    EXPECT_EQ(shown.refusal, "");
    EXPECT_EQ(Keys(shown.entries), expected);
  }
}

class WalRecoveryTest
    : public testing::TestWithParam<std::tuple<LogFault, int>> {};

TEST_P(WalRecoveryTest, AgreesWithRocksDB) {
  const auto& [fault, mode] = GetParam();
  const TemporaryDirectory temporary;
  const auto build = [&, &fault = fault](const std::string& name) {
    const std::string directory = temporary.Path(name);
    fs::create_directory(directory);
    for (const auto& [file, bytes] : RawDatabase()) {
      WriteFile(directory + "/" + file, bytes);
    }
    for (const auto& [number, bytes] : fault.logs) {
      WriteFile(LogFileName(directory, FileNumber(number)), bytes);
    }
    return directory;
  };
  const auto index = static_cast<size_t>(mode);
  {
    SCOPED_TRACE("Tamis");
    ExpectOutcome(fault.tamis[index], OpenedByTamis(build("tamis"), mode));
  }
  const char* const different = fault.rocksdb[index];
  const std::string expected =
      different != nullptr ? different : fault.tamis[index];
  if (expected.empty()) GTEST_SKIP() << fault.why;
  {
    SCOPED_TRACE("RocksDB");
    ExpectOutcome(expected, OpenedByRocksDB(build("rocksdb"), mode));
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, WalRecoveryTest,
                         testing::Combine(testing::ValuesIn(LogFaults()),
                                          testing::Range(0, 4)),
                         NameOfFault);

// A directory that RocksDB had open when it was copied, and its logs.
class RocksDBsLogsTest : public testing::TestWithParam<int> {
 protected:
  // Writes `n` times, now and then a large value, and copies to Original().
  void Write(const rocksdb::Options& options, int n, int flush_every) {
    const std::string directory = temporary_.Path("live");
    const auto db = OpenPeer(options, directory);
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < n; ++i) {
      const std::string key = "key" + std::to_string(100 + i % 70);
      const std::string value(i % 13 == 12 ? 40000 : 30,
                              static_cast<char>('a' + i % 26));
      const rocksdb::Status status =
          i % 11 == 10 ? db->Delete(rocksdb::WriteOptions(), key)
                       : db->Put(rocksdb::WriteOptions(), key, value);
      ASSERT_TRUE(status.ok()) << status.ToString();
      if (flush_every > 0 && i % flush_every == flush_every - 1) {
        ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
      }
    }
    // RocksDB's background jobs still delete obsolete files.
    ASSERT_TRUE(db->DisableFileDeletions().ok());
    CopyDirectory(directory, Original());
  }
  // Does the same with Tamis.
  void WriteByTamis(Options options, int n) {
    const std::string directory = temporary_.Path("live");
    options.create_if_missing = true;
    const auto db = OpenTamis(options, directory);
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < n; ++i) {
      const std::string key = "key" + std::to_string(100 + i % 70);
      const std::string value(i % 13 == 12 ? 40000 : 30,
                              static_cast<char>('a' + i % 26));
      ASSERT_EQ(i % 11 == 10 ? db->Delete(WriteOptions(), key)
                             : db->Put(WriteOptions(), key, value),
                Status::OK());
    }
    CopyDirectory(directory, Original());
    DropReservedRoom();
  }
  // Of the log: what was reserved for further records.
  void DropReservedRoom() const {
    std::string log = ReadWholeFile(Original() + "/" + LogName());
    log.resize(log.find_last_not_of('\0') + 1);
    WriteFile(Original() + "/" + LogName(), log);
  }
  std::string Original() const { return temporary_.Path("original"); }
  // The newest log that holds anything.
  std::string LogName() const {
    std::string newest;
    for (const auto& entry : fs::directory_iterator(Original())) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".log") && entry.file_size() > 0) {
        newest = std::max(newest, name);
      }
    }
    return newest;
  }
  // Opens two copies in which the log is `bytes`, one by each engine.
  void ExpectSame(const std::string& bytes) {
    Shown shown[2];
    for (const bool tamis : {true, false}) {
      const std::string copy = temporary_.Path("copy");
      CopyDirectory(Original(), copy);
      WriteFile(copy + "/" + LogName(), bytes);
      shown[tamis ? 0 : 1] = tamis ? OpenedByTamis(copy, GetParam())
                                   : OpenedByRocksDB(copy, GetParam());
    }
    EXPECT_EQ(shown[0].refusal.empty(), shown[1].refusal.empty())
        << "Tamis: " << shown[0].refusal << "; RocksDB: " << shown[1].refusal;
    EXPECT_EQ(Difference(shown[1].entries, shown[0].entries), "");
    (shown[0].refusal.empty() ? opened_ : refused_)++;
  }
  void ExpectSameWhereverItIsCutOrDamaged(bool damage) {
    const std::string log = ReadWholeFile(Original() + "/" + LogName());
    ASSERT_GT(log.size(), 40u);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(log));
    const size_t step = log.size() / 9;
    for (size_t at = step; at < log.size(); at += step) {
      SCOPED_TRACE("at " + std::to_string(at) + " of " +
                   std::to_string(log.size()));
      ExpectSame(log.substr(0, at));
      if (!damage) continue;
      std::string bytes = log;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
      ExpectSame(bytes);
    }
  }

  const TemporaryDirectory temporary_;
  int opened_ = 0;
  int refused_ = 0;
};

TEST_P(RocksDBsLogsTest, AreReadAsRocksDBReadsThem) {
  rocksdb::Options options;
  options.create_if_missing = true;
  ASSERT_NO_FATAL_FAILURE(Write(options, 100, 0));
  ExpectSameWhereverItIsCutOrDamaged(/*damage=*/true);
  EXPECT_GT(opened_, 0);
}

TEST_P(RocksDBsLogsTest, AreReadAsRocksDBReadsThemWhenCompressed) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.wal_compression = rocksdb::kZSTD;
  ASSERT_NO_FATAL_FAILURE(Write(options, 100, 0));
  ASSERT_EQ(ReadWholeFile(Original() + "/" + LogName()).at(6), 9);
  ExpectSameWhereverItIsCutOrDamaged(/*damage=*/true);
  EXPECT_GT(opened_, 0);
}

TEST_P(RocksDBsLogsTest, OurCompressedLogsAreReadByBoth) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  Options options;
  options.wal_compression = kZSTD;
  ASSERT_NO_FATAL_FAILURE(WriteByTamis(options, 100));
  const std::string log = ReadWholeFile(Original() + "/" + LogName());
  ASSERT_EQ(log.at(6), 9);
  EXPECT_LT(log.size(), 20'000u);
  ExpectSameWhereverItIsCutOrDamaged(/*damage=*/true);
  EXPECT_GT(opened_, 0);
}

// Fragments at the same place of successive blocks, which RocksDB 7.8.3 takes
// for one. The first record begins behind the compression type, later ones
// anywhere; the fill makes one begin with a block.
TEST_P(RocksDBsLogsTest, OurLongCompressedRecordsAreReadByBoth) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  Options options;
  options.create_if_missing = true;
  options.wal_compression = kZSTD;
  const auto noise = [](size_t n, uint64_t seed) {
    Random random(seed);
    std::string bytes(n, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    return bytes;
  };
  for (const size_t fill : {1u, 32'000u, 32'700u, 32'710u, 32'720u, 32'730u}) {
    KeyValues expected;
    {
      const auto db = OpenTamis(options, temporary_.Path("live"));
      ASSERT_NE(db, nullptr);
      uint64_t seed = fill;
      for (const size_t n : {fill, size_t{70'000}, size_t{200'000},
                             size_t{1} << 20, size_t{9}}) {
        const std::string key = "key" + std::to_string(seed);
        expected.emplace_back(key, noise(n, seed++));
        ASSERT_EQ(db->Put(WriteOptions(), key, expected.back().second),
                  Status::OK());
      }
      fs::remove_all(Original());
      CopyDirectory(temporary_.Path("live"), Original());
    }
    DropReservedRoom();
    fs::remove_all(temporary_.Path("live"));
    const Shown by_tamis = OpenedByTamis(Original(), GetParam());
    EXPECT_EQ(by_tamis.refusal, "");
    EXPECT_EQ(Difference(expected, by_tamis.entries), "") << fill;
    const std::string copy = temporary_.Path("copy");
    CopyDirectory(Original(), copy);
    const Shown by_rocksdb = OpenedByRocksDB(copy, GetParam());
    EXPECT_EQ(by_rocksdb.refusal, "");
    EXPECT_EQ(Difference(expected, by_rocksdb.entries), "") << fill;
  }
}

// RocksDB reads the marker at its end, too.
TEST_P(RocksDBsLogsTest, OurClosedCompressedLogsAreReadByBoth) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  Options options;
  options.create_if_missing = true;
  options.wal_compression = kZSTD;
  for (int turn = 0; turn < 3; ++turn) {
    const auto db = OpenTamis(options, Original());
    ASSERT_NE(db, nullptr);
    ASSERT_EQ(db->Put(WriteOptions(), "turn" + std::to_string(turn), "x"),
              Status::OK());
    ASSERT_EQ(db->Close(), Status::OK());
    const std::string copy = temporary_.Path("copy");
    CopyDirectory(Original(), copy);
    const Shown shown = OpenedByRocksDB(copy, GetParam());
    EXPECT_EQ(shown.refusal, "");
    EXPECT_EQ(shown.entries.size(), static_cast<size_t>(turn + 1));
  }
}

// RocksDB 7.8.3 recycles in SkipAnyCorruptedRecords alone, and in that mode
// meets what is left of the former life with an endless loop.
rocksdb::Options RecyclingOptions() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.recycle_log_file_num = 2;
  options.wal_recovery_mode =
      rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  return options;
}

TEST_P(RocksDBsLogsTest, AreReadAsRocksDBReadsThemWhenRecycled) {
  if (GetParam() == 3) GTEST_SKIP() << "RocksDB 7.8.3 reads on for ever";
  const rocksdb::Options options = RecyclingOptions();
  ASSERT_NO_FATAL_FAILURE(Write(options, 110, 25));
  ASSERT_GE(ReadWholeFile(Original() + "/" + LogName()).at(6), 5);
  // TolerateCorruptedTailRecords: RocksDB ends the newer log at any damage.
  // Tamis does not if intact records follow.
  ExpectSameWhereverItIsCutOrDamaged(/*damage=*/GetParam() != 0);
  EXPECT_GT(opened_, 0);
}

TEST_P(RocksDBsLogsTest, RecycledLogsAreReadInEveryMode) {
  const rocksdb::Options options = RecyclingOptions();
  ASSERT_NO_FATAL_FAILURE(Write(options, 110, 25));
  const Shown live = OpenedByTamis(Original(), 2);
  ASSERT_EQ(live.refusal, "");
  const auto db = OpenPeer(options, temporary_.Path("live"));
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(PeerDifferenceFrom(live.entries, db.get()), "");
}

INSTANTIATE_TEST_SUITE_P(Modes, RocksDBsLogsTest, testing::Range(0, 4));

// A family was flushed past a log that lost its end.
class TableAheadOfLogTest : public testing::TestWithParam<int> {};

std::string OpenedWithTwoFamilies(const std::string& directory, int mode,
                                  bool by_tamis) {
  if (by_tamis) {
    DBOptions options;
    options.wal_recovery_mode = static_cast<WALRecoveryMode>(mode);
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    const Status status = DB::Open(
        options, directory, {{"default", {}}, {"ahead", {}}}, &handles, &db);
    if (!status.ok()) return "!" + status.ToString();
    Status read;
    std::string keys;
    for (ColumnFamilyHandle* const handle : handles) {
      keys += Keys(ScanForward(db.get(), &read, ReadOptions(), handle));
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
    return keys;
  }
  rocksdb::DBOptions options;
  options.wal_recovery_mode = static_cast<rocksdb::WALRecoveryMode>(mode);
  rocksdb::DB* raw = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status status = rocksdb::DB::Open(
      options, directory, {{"default", {}}, {"ahead", {}}}, &handles, &raw);
  if (!status.ok()) return "!" + status.ToString();
  const std::unique_ptr<rocksdb::DB> db(raw);
  std::string keys;
  for (rocksdb::ColumnFamilyHandle* const handle : handles) {
    const std::unique_ptr<rocksdb::Iterator> it(
        db->NewIterator(rocksdb::ReadOptions(), handle));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      keys += it->key().ToString();
    }
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  return keys;
}

TEST_P(TableAheadOfLogTest, AgreesWithRocksDB) {
  const TemporaryDirectory temporary;
  const std::string live = temporary.Path("live");
  DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status status =
      DB::Open(options, live, {{"default", {}}, {"ahead", {}}}, &handles, &db);
  ASSERT_TRUE(status.ok()) << status;
  const WriteOptions write;
  ASSERT_TRUE(db->Put(write, handles[0], "1", "v").ok());
  ASSERT_TRUE(db->Put(write, handles[1], "a", "v").ok());
  ASSERT_TRUE(db->Put(write, handles[0], "2", "v").ok());
  ASSERT_TRUE(db->Flush(FlushOptions(), handles[1]).ok());
  ASSERT_TRUE(db->Put(write, handles[1], "b", "v").ok());

  std::string opened[2];
  for (const bool by_tamis : {true, false}) {
    const std::string copy = temporary.Path("copy");
    CopyDirectory(live, copy);
    std::string oldest = "~";
    for (const auto& entry : fs::directory_iterator(copy)) {
      const std::string path = entry.path().string();
      if (path.ends_with(".log")) oldest = std::min(oldest, path);
    }
    const std::string bytes = ReadWholeFile(oldest);
    constexpr size_t kMarkerAndABit = 22;
    ASSERT_GT(bytes.size(), kMarkerAndABit);
    WriteFile(oldest, bytes.substr(0, bytes.size() - kMarkerAndABit));
    opened[by_tamis ? 0 : 1] =
        OpenedWithTwoFamilies(copy, GetParam(), by_tamis);
  }
  const bool refused = GetParam() == 1 || GetParam() == 2;
  for (const std::string& one : opened) {
    EXPECT_EQ(refused ? one.substr(0, 1) : one, refused ? "!" : "1ab") << one;
  }
  for (ColumnFamilyHandle* const handle : handles) {
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, TableAheadOfLogTest, testing::Range(0, 4));

}  // namespace
}  // namespace tamis
