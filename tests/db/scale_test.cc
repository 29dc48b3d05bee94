// SPDX-License-Identifier: Apache-2.0
//
// Very many families and tables: open, write, read and close work, and no time
// grows with the square of their number.
//
// TAMIS_BIG_TESTS=1: 100,000 families and 1,000,000 tables, which take 5 GiB
// of disk, 2 GiB of memory and minutes; times and memory are printed.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/sst_file_writer.h"
#include "tamis/table.h"

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_writer.h"
#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

bool IsBig() { return std::getenv("TAMIS_BIG_TESTS") != nullptr; }

// In MiB; 0: the system does not say.
uint64_t ResidentMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kibibytes = 0;
    if (word == "VmRSS:" && status >> kibibytes) return kibibytes / 1024;
  }
  return 0;
}

// Prints how long each step took, and what the process holds after it.
class Steps {
 public:
  void Done(const char* what) {
    const auto now = std::chrono::steady_clock::now();
    std::printf("%-28s %8.2f s %6llu MiB\n", what,
                std::chrono::duration<double>(now - last_).count(),
                static_cast<unsigned long long>(ResidentMemory()));
    last_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point last_ =
      std::chrono::steady_clock::now();
};

std::string FamilyName(int i) { return "family" + std::to_string(i); }

TEST(ScaleTest, Families) {
  const int count = IsBig() ? 100'000 : 1'000;
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_open_files = 1000;
  options.table_factory.reset(
      NewBlockBasedTableFactory(BlockBasedTableOptions()));
  std::vector<ColumnFamilyDescriptor> families;
  families.emplace_back(kDefaultColumnFamilyName, options);
  for (int i = 1; i < count; ++i) families.emplace_back(FamilyName(i), options);
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const auto open = [&] {
    const Status status = DB::Open(options, directory, families, &handles, &db);
    ASSERT_TRUE(status.ok()) << status;
  };
  const auto close = [&] {
    for (ColumnFamilyHandle* handle : handles) delete handle;
    handles.clear();
    ASSERT_TRUE(db->Close().ok());
    db.reset();
  };
  Steps steps;
  open();
  steps.Done("open, all created");
  for (size_t i = 0; i < handles.size(); ++i) {
    ASSERT_TRUE(db->Put(WriteOptions(), handles[i], "key",
                        FamilyName(static_cast<int>(i)))
                    .ok());
  }
  steps.Done("a put in each");
  close();
  steps.Done("close");
  open();
  steps.Done("open, the log replayed");
  for (size_t i = 0; i < handles.size(); ++i) {
    std::string value;
    const Status status = db->Get(ReadOptions(), handles[i], "key", &value);
    ASSERT_TRUE(status.ok()) << i << ": " << status;
    ASSERT_EQ(value, FamilyName(static_cast<int>(i)));
  }
  steps.Done("a get in each");
  close();
  steps.Done("close");
  open();
  steps.Done("open, tables alone");
  close();
  steps.Done("close");
}

// A directory of level 6 alone: table i holds one key.
void WriteTables(const std::string& directory, int count) {
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  ASSERT_TRUE(fs->CreateDirIfMissing(directory).ok());
  // Tables are made in memory, and need no sync of their own then.
  const std::shared_ptr<FileSystem> memory = NewSimulatedFileSystem();
  Options options;
  options.compression = kNoCompression;
  options.file_system = memory;
  SstFileWriter writer(options);
  std::unique_ptr<WritableFile> file;
  constexpr FileNumber kManifest{1};
  constexpr uint64_t kFirstTable = 10;
  ASSERT_TRUE(
      fs->NewWritableFile(DescriptorFileName(directory, kManifest), &file)
          .ok());
  LogWriter manifest(std::move(file), kManifest);
  VersionEdit edit;
  edit.comparator = BytewiseComparator()->Name();
  edit.log_number = FileNumber(0);
  edit.next_file_number =
      FileNumber(kFirstTable + static_cast<uint64_t>(count));
  edit.last_sequence = 0;
  for (int i = 0; i < count; ++i) {
    FileMetaData meta;
    meta.number = FileNumber(kFirstTable + static_cast<uint64_t>(i));
    ExternalSstFileInfo info;
    ASSERT_TRUE(writer.Open("/table").ok());
    ASSERT_TRUE(writer.Put(Key(i), "value of " + Key(i)).ok());
    ASSERT_TRUE(writer.Finish(&info).ok());
    std::string table;
    ASSERT_TRUE(ReadFileToString(memory.get(), "/table", &table).ok());
    ASSERT_TRUE(WriteStringToFile(fs.get(), table,
                                  TableFileName(directory, meta.number),
                                  /*sync=*/false)
                    .ok());
    meta.size = info.file_size;
    meta.smallest = meta.largest = InternalKey(Key(i), 0);
    meta.epoch_number = EpochNumber(1);
    edit.new_files.emplace_back(6, meta);
    if (edit.new_files.size() < 1000 && i + 1 < count) continue;
    std::string record;
    edit.EncodeTo(&record);
    ASSERT_TRUE(manifest.AddRecord(record).ok());
    edit = VersionEdit();
  }
  ASSERT_TRUE(manifest.Sync().ok());
  ASSERT_TRUE(manifest.Close().ok());
  ASSERT_TRUE(WriteStringToFile(fs.get(), "MANIFEST-000001\n",
                                CurrentFileName(directory), /*sync=*/true)
                  .ok());
}

std::vector<std::string> ManifestsIn(const std::string& directory) {
  std::vector<std::string> names;
  EXPECT_TRUE(NewPosixFileSystem()->GetChildren(directory, &names).ok());
  std::erase_if(names, [](const std::string& name) {
    const auto file = ParseFileName(name);
    return !file || file->type != FileKind::kDescriptor;
  });
  return names;
}

TEST(ScaleTest, Tables) {
  const int count = IsBig() ? 1'000'000 : 2'000;
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Steps steps;
  WriteTables(directory, count);
  if (HasFatalFailure()) return;
  steps.Done("tables written");
  Options options;
  options.max_open_files = 1000;
  std::unique_ptr<DB> db;
  Status status = DB::Open(options, directory, &db);
  ASSERT_TRUE(status.ok()) << status;
  steps.Done("open");
  const int stride = count / 1'000;
  for (int i = 0; i < count; i += stride) {
    std::string value;
    ASSERT_TRUE(db->Get(ReadOptions(), Key(i), &value).ok()) << i;
    ASSERT_EQ(value, "value of " + Key(i));
  }
  steps.Done("1,000 gets");
  {
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    int seen = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
    ASSERT_TRUE(it->status().ok()) << it->status();
    EXPECT_EQ(seen, count);
  }
  steps.Done("a scan");
  ASSERT_TRUE(db->Put(WriteOptions(), Key(7), "new").ok());
  ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  steps.Done("a flush");
  const Slice begin = "key000007";
  status = db->CompactRange(CompactRangeOptions(), &begin, &begin);
  ASSERT_TRUE(status.ok()) << status;
  steps.Done("a compaction of one key");
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  steps.Done("close");
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  std::string value;
  ASSERT_TRUE(db->Get(ReadOptions(), Key(7), &value).ok());
  EXPECT_EQ(value, "new");
  steps.Done("open");
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  ASSERT_TRUE(
      NewPosixFileSystem()->RemoveFile(CurrentFileName(directory)).ok());
  for (const std::string& manifest : ManifestsIn(directory)) {
    ASSERT_TRUE(
        NewPosixFileSystem()->RemoveFile(directory + "/" + manifest).ok());
  }
  status = RepairDB(directory, options);
  ASSERT_TRUE(status.ok()) << status;
  steps.Done("repair without a MANIFEST");
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  ASSERT_TRUE(db->Get(ReadOptions(), Key(7), &value).ok());
  EXPECT_EQ(value, "new");
  ASSERT_TRUE(db->Get(ReadOptions(), Key(count - 1), &value).ok());
}

}  // namespace
}  // namespace tamis
