// SPDX-License-Identifier: Apache-2.0
//
// Messages and LOG quote any bytes of files and names of users as printable and
// short text on one line.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

#include "db/manifest/version_edit.h"
#include "tests/support/comparators.h"
#include "tests/support/databases.h"
#include "tests/support/log_faults.h"

namespace tamis {
namespace {

// Newlines, escapes of a terminal, NUL, bytes of no encoding; with a length of
// 10 KB.
std::string Hostile() {
  constexpr char kBytes[] = "\n\r\x1b[2J\x1b]0;title\x07\0\x9b\xff\xc3\"'\\";
  std::string bytes(kBytes, sizeof(kBytes) - 1);
  bytes.resize(10'000, '\x08');
  return bytes;
}

bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

void ExpectFitForALine(const Status& status) {
  EXPECT_FALSE(status.ok());
  const std::string text = status.ToString();
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), IsPrintable)) << text;
  EXPECT_LT(text.size(), 1500u) << text;
}

std::string Encoded(const VersionEdit& edit) {
  std::string record;
  edit.EncodeTo(&record);
  return record;
}

class HostileBytesTest : public testing::Test {
 protected:
  HostileBytesTest() : files_(RawDatabase()) {
    files_["000002.log"] = RawLog(2).Add(RawRecord(1)).bytes();
  }
  void Use() {
    fs_ = SimulatedFileSystemWith("/db", files_);
    options_.file_system = fs_;
    options_.job_runner = NewDeterministicJobRunner(1);
  }
  // After the edits that create the database.
  void AddToManifest(const std::vector<std::string>& records) {
    RawLog log(1);
    std::string comparator("\x01\x1a", 2);
    comparator += "leveldb.BytewiseComparator";
    log.Add(comparator).Add(std::string("\x02\x02\x09\x00\x03\x09\x04\x00", 8));
    for (const std::string& record : records) log.Add(record);
    files_["MANIFEST-000001"] = log.bytes();
  }
  // Every way to look at the directory.
  void ExpectRefusals() {
    Use();
    std::unique_ptr<DB> db;
    ExpectFitForALine(DB::Open(options_, "/db", &db));
    ExpectFitForALine(DB::OpenForReadOnly(options_, "/db", &db));
  }
  void ExpectPrintableLog() {
    std::string text;
    ASSERT_TRUE(fs_->GetContents("/db/LOG", &text).ok());
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
      return c == '\n' || IsPrintable(c);
    })) << text;
    // Each line is one that we wrote.
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      EXPECT_NE(text.substr(begin, end - begin).find(" event="),
                std::string::npos);
    }
  }

  std::map<std::string, std::string> files_;
  std::shared_ptr<SimulatedFileSystem> fs_;
  Options options_;
};

TEST_F(HostileBytesTest, InCurrent) {
  for (const std::string& current :
       {Hostile(), Hostile() + "\n", "MANIFEST-" + Hostile() + "\n",
        "MANIFEST-" + std::string(10'000, '0') + "1\n"}) {
    files_["CURRENT"] = current;
    ExpectRefusals();
    std::vector<std::string> names;
    ExpectFitForALine(DB::ListColumnFamilies(options_, "/db", &names));
  }
}

TEST_F(HostileBytesTest, InANameOfAComparator) {
  VersionEdit edit;
  edit.comparator = Hostile();
  AddToManifest({Encoded(edit)});
  ExpectRefusals();
}

TEST_F(HostileBytesTest, InNamesOfFamilies) {
  std::vector<std::string> records;
  for (uint32_t id = 1; id <= 30; ++id) {
    VersionEdit edit;
    edit.column_family = FamilyId(id);
    edit.column_family_add = Hostile() + std::to_string(id);
    edit.comparator = "leveldb.BytewiseComparator";
    edit.log_number = FileNumber(2);
    records.push_back(Encoded(edit));
  }
  AddToManifest(records);
  Use();
  std::unique_ptr<DB> db;
  const Status status = DB::Open(options_, "/db", &db);
  EXPECT_TRUE(status.IsInvalidArgument());
  const std::string text = status.ToString();
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), IsPrintable)) << text;
  EXPECT_LT(text.size(), 30u * 300);
  // Twice one name.
  records.push_back(records.back());
  AddToManifest(records);
  ExpectRefusals();
}

TEST_F(HostileBytesTest, InNamesGivenByAUser) {
  Use();
  const std::string name = Hostile();
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  ExpectFitForALine(DB::OpenForReadOnly(
      options_, "/db", {{"default", {}}, {name, {}}}, &handles, &db));
  ExpectFitForALine(DB::Open(options_, "/db",
                             {{"default", {}}, {name, {}}, {name, {}}},
                             &handles, &db));
  ASSERT_TRUE(DB::Open(options_, "/db", &db).ok());
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily(options_, name, &handle).ok());
  const std::unique_ptr<ColumnFamilyHandle> family(handle);
  ExpectFitForALine(db->CreateColumnFamily(options_, name, &handle));
  ASSERT_TRUE(db->Put(WriteOptions(), family.get(), name, name).ok());
  ASSERT_TRUE(db->Flush(FlushOptions(), family.get()).ok());
  ASSERT_TRUE(db->DropColumnFamily(family.get()).ok());
  ExpectFitForALine(db->DropColumnFamily(family.get()));
  ExpectFitForALine(db->DeleteRange(WriteOptions(), name + "b", name + "a"));
  ASSERT_TRUE(db->Close().ok());
  ExpectPrintableLog();
}

TEST_F(HostileBytesTest, InKeysOfTheManifest) {
  const auto bounds = [](const std::string& from, const std::string& to) {
    FileMetaData meta;
    meta.number = FileNumber(5);
    meta.size = 1000;
    AppendInternalKey(&meta.smallest, from, 1, kTypeValue);
    AppendInternalKey(&meta.largest, to, 1, kTypeValue);
    meta.smallest_seqno = meta.largest_seqno = 1;
    VersionEdit edit;
    edit.new_files.emplace_back(1, meta);
    return Encoded(edit);
  };
  AddToManifest({bounds(Hostile() + "b", Hostile() + "a")});
  ExpectRefusals();
}

TEST_F(HostileBytesTest, InATable) {
  Use();
  // A database cannot have made a table of such a comparator.
  const NamedComparator comparator("\n\x1b[2J" + std::string(10'000, '\x08'));
  Options options = options_;
  options.comparator = &comparator;
  SstFileWriter writer(options);
  ASSERT_TRUE(writer.Open("/db/new.sst").ok());
  ASSERT_TRUE(writer.Put(Hostile(), Hostile()).ok());
  ExpectFitForALine(writer.Put(Hostile(), Hostile()));
  ASSERT_TRUE(writer.Finish().ok());
  SstFileReader reader(options_);
  ExpectFitForALine(reader.Open("/db/new.sst"));
}

}  // namespace
}  // namespace tamis
