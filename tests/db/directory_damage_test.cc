// SPDX-License-Identifier: Apache-2.0
//
// Damages every file of a small database in every place: changes each byte, and
// cuts it to each length. Either the open or read fails with a Status that
// names file and place, with no file changed, or the results are right. No
// result is wrong, and no file that a repair could use is removed.
//
// Shows D11 and D15 to D18 of docs/durability.md.
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/db/damage.h"

namespace tamis {
namespace {

// An OPTIONS file of RocksDB, shortened to a few lines of each kind.
constexpr char kOptionsName[] = "OPTIONS-000007";
constexpr char kOptionsFile[] = R"(# This is a RocksDB option file.
#
# For detailed file format spec, please refer to the example file
# in examples/rocksdb_option_file_example.ini
#

[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1

[DBOptions]
  max_background_jobs=2
  max_open_files=-1
  write_dbid_to_manifest=false
  wal_compression=kNoCompression
  db_host_id=__hostname__

[CFOptions "default"]
  comparator=leveldb.BytewiseComparator
  compression=kSnappyCompression
  compression_opts={max_dict_buffer_bytes=0;level=32767;strategy=0;}
  table_factory=BlockBasedTable

[TableOptions/BlockBasedTable "default"]
  filter_policy=bloomfilter:10:false
  checksum=kXXH3
  format_version=5
  block_size=4096
)";

// A table in level 1, one in level 0 that overwrites and deletes, a log, and
// the other files of a database.
struct Sample {
  Files files;
  // Tables, logs and MANIFESTs that opening the undamaged directory removes.
  std::set<std::string> obsolete;
  // What shows after each record of the log; the last is what shows.
  std::vector<KeyValues> history;
  // Where each record of the log ends.
  std::vector<size_t> record_ends;

  const KeyValues& shown() const { return history.back(); }
  // The name of the only file of this type; of the newest where there are
  // more.
  std::string Name(FileKind type) const {
    std::string found;
    for (const auto& [name, bytes] : files) {
      const auto parsed = ParseFileName(name);
      if (parsed && parsed->type == type) found = name;
    }
    EXPECT_NE(found, "");
    return found;
  }
};

// What goes when these files are opened and closed.
std::set<std::string> RemovedByOpening(const Files& files) {
  const auto fs = FileSystemWith(files);
  const std::set<std::string> before = Keepsakes(fs.get());
  std::unique_ptr<DB> db;
  const Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  EXPECT_TRUE(status.ok()) << status;
  if (db != nullptr) {
    EXPECT_TRUE(db->Close().ok());
  }
  const std::set<std::string> after = Keepsakes(fs.get());
  std::set<std::string> removed;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::inserter(removed, removed.end()));
  return removed;
}

Sample MakeSample(ChecksumType checksum = kXXH3) {
  const auto fs = NewSimulatedFileSystem();
  Options options = OptionsOn(fs);
  options.create_if_missing = true;
  BlockBasedTableOptions table;
  table.checksum = checksum;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  std::unique_ptr<DB> db;
  EXPECT_TRUE(DB::Open(options, kDirectory, &db).ok());
  Sample sample;
  Model model;
  const auto put = [&](const std::string& key, const std::string& value) {
    model[key] = value;
    EXPECT_TRUE(db->Put(WriteOptions(), key, value).ok());
  };
  const auto remove = [&](const std::string& key) {
    model.erase(key);
    EXPECT_TRUE(db->Delete(WriteOptions(), key).ok());
  };
  for (int i = 0; i < 10; ++i) put("key" + std::to_string(i), "first value");
  EXPECT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  put("key2", "second value");
  remove("key3");
  put("other", "");
  EXPECT_TRUE(db->Flush(FlushOptions()).ok());

  sample.history.push_back(Listing(model));
  const auto record = [&] {
    const Files files = FilesOf(fs.get());
    sample.files = files;
    sample.history.push_back(Listing(model));
    sample.record_ends.push_back(files.at(sample.Name(FileKind::kLog)).size());
  };
  put("key4", "third value");
  record();
  remove("key5");
  record();
  put("last", "of all");
  record();
  EXPECT_TRUE(db->Close().ok());
  sample.files = FilesOf(fs.get());
  sample.files[kOptionsName] = kOptionsFile;
  sample.obsolete = RemovedByOpening(sample.files);
  return sample;
}

// Opens a database whose file `damaged` was changed, and compares it with the
// expected contents. nullptr: contents are not checked, only that the open does
// not crash and removes no needed file.
Outcome Try(const Sample& sample, const Files& files,
            const std::string& damaged, const KeyValues* expected) {
  const auto fs = FileSystemWith(files);
  const std::set<std::string> before = Keepsakes(fs.get());
  Outcome outcome = Outcome::kRight;
  std::unique_ptr<DB> db;
  Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  if (!status.ok()) {
    outcome = Outcome::kRefused;
    EXPECT_TRUE(WithoutInfoLogs(FilesOf(fs.get())) == WithoutInfoLogs(files))
        << "the refusal changed files: " << status;
  } else {
    const KeyValues nothing;
    const std::string difference = DifferenceFrom(
        expected != nullptr ? *expected : nothing, db.get(), &status);
    if (expected != nullptr) {
      EXPECT_EQ(difference, "");
    }
    if (!status.ok()) outcome = Outcome::kReadFailed;
    db->Close().PermitUncheckedError();
    db.reset();
  }
  if (!status.ok() && expected != nullptr) ExpectNamed(status, damaged);
  const std::set<std::string> after = Keepsakes(fs.get());
  for (const std::string& name : before) {
    EXPECT_TRUE(after.contains(name) || (sample.obsolete.contains(name) &&
                                         outcome != Outcome::kRefused))
        << name << " is gone";
  }
  return outcome;
}

// How often each outcome came.
using Tally = std::map<Outcome, int>;

constexpr std::initializer_list<int> kThreeMasks = {0x01, 0x80, 0xff};
constexpr std::initializer_list<int> kOneMask = {0x81};
constexpr std::initializer_list<int> kEachBit = {0x01, 0x02, 0x04, 0x08,
                                                 0x10, 0x20, 0x40, 0x80};

Tally FlipEachByte(const Sample& sample, const std::string& name,
                   const KeyValues* expected,
                   std::initializer_list<int> masks) {
  Tally tally;
  for (size_t i = 0; i < sample.files.at(name).size(); ++i) {
    for (const int mask : masks) {
      SCOPED_TRACE(name + ": byte " + std::to_string(i) + " ^ " +
                   std::to_string(mask));
      Files files = sample.files;
      char& byte = files.at(name)[i];
      byte = static_cast<char>(byte ^ mask);
      ++tally[Try(sample, files, name, expected)];
    }
  }
  return tally;
}

Tally CutEachLength(const Sample& sample, const std::string& name) {
  Tally tally;
  for (size_t n = 0; n < sample.files.at(name).size(); ++n) {
    SCOPED_TRACE(name + ": cut to " + std::to_string(n) + " of " +
                 std::to_string(sample.files.at(name).size()));
    Files files = sample.files;
    files.at(name).resize(n);
    ++tally[Try(sample, files, name, &sample.shown())];
  }
  return tally;
}

std::vector<std::string> TablesOf(const Sample& sample) {
  std::vector<std::string> tables;
  for (const auto& [name, bytes] : sample.files) {
    const auto parsed = ParseFileName(name);
    if (parsed && parsed->type == FileKind::kTable) tables.push_back(name);
  }
  return tables;
}

TEST(DirectoryDamageTest, AnUndamagedSampleReadsRight) {
  const Sample sample = MakeSample();
  EXPECT_EQ(Try(sample, sample.files, "", &sample.shown()), Outcome::kRight);
  EXPECT_EQ(sample.history.size(), 4u);
  // The log becomes a table, and the MANIFEST a new one.
  EXPECT_EQ(sample.obsolete,
            (std::set<std::string>{sample.Name(FileKind::kLog),
                                   sample.Name(FileKind::kDescriptor)}));
  EXPECT_EQ(TablesOf(sample).size(), 2u);
  for (const char* name : {"CURRENT", "IDENTITY", "LOG", kOptionsName}) {
    EXPECT_TRUE(sample.files.contains(name)) << name;
  }
}

struct ChecksumCase {
  const char* name;
  ChecksumType checksum;
};

void PrintTo(const ChecksumCase& c, std::ostream* out) { *out << c.name; }

class DamagedTableTest : public testing::TestWithParam<ChecksumCase> {};

TEST_P(DamagedTableTest, IsRefusedOrFailsOrReadsRight) {
  const Sample sample = MakeSample(GetParam().checksum);
  // Without a checksum any answer may be wrong.
  const bool checked = GetParam().checksum != kNoChecksum;
  for (const std::string& name : TablesOf(sample)) {
    Tally tally =
        FlipEachByte(sample, name, checked ? &sample.shown() : nullptr, {0x41});
    EXPECT_GT(tally[Outcome::kRefused], 0);
    if (checked) {
      EXPECT_GT(tally[Outcome::kReadFailed], 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Checksums, DamagedTableTest,
                         testing::Values(ChecksumCase{"None", kNoChecksum},
                                         ChecksumCase{"CRC32c", kCRC32c},
                                         ChecksumCase{"XxHash", kxxHash},
                                         ChecksumCase{"XxHash64", kxxHash64},
                                         ChecksumCase{"XXH3", kXXH3}),
                         [](const testing::TestParamInfo<ChecksumCase>& i) {
                           return std::string(i.param.name);
                         });

TEST(DirectoryDamageTest, DamagedTables) {
  const Sample sample = MakeSample();
  for (const std::string& name : TablesOf(sample)) {
    Tally tally = FlipEachByte(sample, name, &sample.shown(), kThreeMasks);
    EXPECT_GT(tally[Outcome::kRefused], 0);
    EXPECT_GT(tally[Outcome::kReadFailed], 0);
    tally = CutEachLength(sample, name);
    EXPECT_EQ(tally[Outcome::kRefused],
              static_cast<int>(sample.files.at(name).size()));
    // One byte more is refused, too.
    Files files = sample.files;
    files.at(name) += '\0';
    EXPECT_EQ(Try(sample, files, name, &sample.shown()), Outcome::kRefused);
  }
}

// Every change of these files is refused, except in the empty record that a
// close adds at the end of a MANIFEST.
TEST(DirectoryDamageTest, DamagedManifestOrCurrent) {
  const Sample sample = MakeSample();
  for (const std::string& name :
       {sample.Name(FileKind::kDescriptor), std::string("CURRENT")}) {
    const int end = name == "CURRENT" ? 0 : 7;
    const auto size = static_cast<int>(sample.files.at(name).size()) - end;
    Tally tally = FlipEachByte(sample, name, &sample.shown(), kEachBit);
    EXPECT_EQ(tally[Outcome::kRefused], 8 * size);
    EXPECT_EQ(tally[Outcome::kRight], 8 * end);
    tally = CutEachLength(sample, name);
    EXPECT_EQ(tally[Outcome::kRefused], size);
    EXPECT_EQ(tally[Outcome::kRight], end);
  }
}

// Files that are no part of any answer.
TEST(DirectoryDamageTest, DamagedIdentityOrOptionsOrInfoLog) {
  const Sample sample = MakeSample();
  for (const char* name : {"IDENTITY", kOptionsName, "LOG"}) {
    const auto size = static_cast<int>(sample.files.at(name).size());
    const bool small = size < 100;
    const auto masks = small ? kEachBit : kOneMask;
    Tally tally = FlipEachByte(sample, name, &sample.shown(), masks);
    EXPECT_EQ(tally[Outcome::kRight], static_cast<int>(masks.size()) * size);
    EXPECT_EQ(CutEachLength(sample, name)[Outcome::kRight], size);
  }
}

// An incomplete record at the end of a log is what a crash leaves. It was not
// acknowledged as durable, and history ends before it.
TEST(DirectoryDamageTest, ATruncatedLogGivesAPrefixOfHistory) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileKind::kLog);
  size_t whole = 0;
  for (size_t n = 0; n <= sample.files.at(name).size(); ++n) {
    SCOPED_TRACE("cut to " + std::to_string(n));
    if (whole < 3 && n == sample.record_ends[whole]) ++whole;
    Files files = sample.files;
    files.at(name).resize(n);
    EXPECT_EQ(Try(sample, files, name, &sample.history[whole]),
              Outcome::kRight);
  }
  EXPECT_EQ(whole, 3u);
}

// The log was closed well: its marker says that no crash did that.
TEST(DirectoryDamageTest, AFlippedByteInALogIsDetectedExceptInItsMarker) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileKind::kLog);
  for (size_t i = 0; i < sample.files.at(name).size(); ++i) {
    for (const int mask : kEachBit) {
      SCOPED_TRACE("byte " + std::to_string(i) + " ^ " + std::to_string(mask));
      Files files = sample.files;
      char& byte = files.at(name)[i];
      byte = static_cast<char>(byte ^ mask);
      const bool in_marker = i >= sample.record_ends[2];
      EXPECT_EQ(Try(sample, files, name, &sample.shown()),
                in_marker ? Outcome::kRight : Outcome::kRefused);
    }
  }
}

// A record with a wrong checksum was skipped, but the file remains in lost/.
TEST(DirectoryDamageTest, ALogWithADamagedLastRecordIsSetAside) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileKind::kLog);
  Files files = sample.files;
  files.at(name).back() = static_cast<char>(files.at(name).back() ^ 1);
  const auto fs = FileSystemWith(files);
  std::unique_ptr<DB> db;
  const Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  ASSERT_TRUE(status.ok()) << status;
  std::string kept;
  ASSERT_TRUE(
      fs->GetContents(std::string(kDirectory) + "/lost/" + name, &kept).ok());
  EXPECT_EQ(kept, files.at(name));
}

TEST(DirectoryDamageTest, FilesSetAsideEarlierAreKept) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileKind::kLog);
  Files files = sample.files;
  files.at(name).back() = static_cast<char>(files.at(name).back() ^ 1);
  const auto fs = FileSystemWith(files);
  const std::string lost = std::string(kDirectory) + "/lost";
  ASSERT_TRUE(fs->CreateDirIfMissing(lost).ok());
  ASSERT_TRUE(WriteStringToFile(fs.get(), "older", lost + "/" + name,
                                /*sync=*/true)
                  .ok());
  std::unique_ptr<DB> db;
  const Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  ASSERT_TRUE(status.ok()) << status;
  std::string kept;
  ASSERT_TRUE(fs->GetContents(lost + "/" + name, &kept).ok());
  EXPECT_EQ(kept, "older");
  ASSERT_TRUE(fs->GetContents(lost + "/" + name + ".1", &kept).ok());
  EXPECT_EQ(kept, files.at(name));
}

TEST(DirectoryDamageTest, MissingFiles) {
  const Sample sample = MakeSample();
  for (const auto& [name, bytes] : sample.files) {
    SCOPED_TRACE(name);
    Files files = sample.files;
    files.erase(name);
    const auto type = ParseFileName(name)->type;
    if (type == FileKind::kLog) continue;  // no reader can know of it
    const bool needless = type == FileKind::kIdentity ||
                          type == FileKind::kOptions ||
                          type == FileKind::kInfoLog;
    const std::string named = type == FileKind::kDescriptor ? "CURRENT" : name;
    EXPECT_EQ(Try(sample, files, named, &sample.shown()),
              needless ? Outcome::kRight : Outcome::kRefused);
  }
}

}  // namespace
}  // namespace tamis
