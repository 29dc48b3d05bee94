// SPDX-License-Identifier: Apache-2.0
//
// Files that RocksDB's SstFileManager was deleting slowly, "<name>.trash": an
// open for writing deletes them, unless they may be the last copy of data.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

constexpr char kDir[] = "/db";

class TrashTest : public ::testing::Test {
 protected:
  TrashTest() {
    options_.create_if_missing = true;
    options_.file_system = fs_;
    std::unique_ptr<DB> db;
    EXPECT_TRUE(DB::Open(options_, kDir, &db).ok());
    EXPECT_TRUE(db->Put(WriteOptions(), "a", "1").ok());
    EXPECT_TRUE(db->Flush(FlushOptions()).ok());
    EXPECT_TRUE(db->Close().ok());
  }

  static std::string PathOf(const std::string& name) {
    return std::string(kDir) + "/" + name;
  }
  void Write(const std::string& name, const std::string& contents = "trash") {
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), contents, PathOf(name), false).ok());
  }
  bool Exists(const std::string& name) {
    const Status status = fs_->FileExists(PathOf(name));
    EXPECT_TRUE(status.ok() || status.IsPathNotFound()) << status;
    return status.ok();
  }
  // Returns the name of the only file of this kind.
  std::string Find(FileKind kind) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kDir, &names).ok());
    std::string found;
    for (const std::string& name : names) {
      const auto file = ParseFileName(name);
      if (file && file->type == kind) found = name;
    }
    EXPECT_FALSE(found.empty());
    return found;
  }
  // Cuts off the end of the MANIFEST, and with it of the last record.
  void TearManifest() {
    const std::string manifest = Find(FileKind::kDescriptor);
    std::string contents;
    ASSERT_TRUE(fs_->GetContents(PathOf(manifest), &contents).ok());
    contents.pop_back();
    Write(manifest, contents);
  }
  // Opens the database, checks its contents, and closes it.
  void OpenAndClose(bool read_only = false) {
    std::unique_ptr<DB> db;
    const Status status = read_only ? DB::OpenForReadOnly(options_, kDir, &db)
                                    : DB::Open(options_, kDir, &db);
    ASSERT_TRUE(status.ok()) << status;
    std::string value;
    ASSERT_TRUE(db->Get(ReadOptions(), "a", &value).ok());
    EXPECT_EQ(value, "1");
    ASSERT_TRUE(db->Close().ok());
  }

  const std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
  Options options_;
};

TEST_F(TrashTest, AnOpenForWritingDeletesIt) {
  const std::string trash[] = {"000091.sst.trash", "000092.log.trash",
                               "000093.blob.trash"};
  for (const std::string& name : trash) Write(name);
  Write("notes.trash");
  OpenAndClose(/*read_only=*/true);
  for (const std::string& name : trash) EXPECT_TRUE(Exists(name)) << name;
  OpenAndClose();
  for (const std::string& name : trash) EXPECT_FALSE(Exists(name)) << name;
  EXPECT_TRUE(Exists("notes.trash"));
}

TEST_F(TrashTest, OfALiveTableStays) {
  const std::string trash = Find(FileKind::kTable) + ".trash";
  Write(trash);
  OpenAndClose();
  EXPECT_TRUE(Exists(trash));
}

TEST_F(TrashTest, OfALogIsNotThatOfATable) {
  std::string trash = Find(FileKind::kTable);
  trash.replace(trash.rfind('.'), std::string::npos, ".log.trash");
  Write(trash);
  OpenAndClose();
  EXPECT_FALSE(Exists(trash));
}

TEST_F(TrashTest, ItsNumberIsNotGivenAgain) {
  ASSERT_TRUE(DestroyDB(kDir, options_).ok());
  options_.wal_dir = "/wal";
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options_, kDir, &db).ok());
  ASSERT_TRUE(db->Put(WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "trash", "/wal/000900.log.trash",
                                /*sync=*/false)
                  .ok());
  OpenAndClose();
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren("/wal", &names).ok());
  FileNumber newest;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (file && file->type == FileKind::kLog) {
      newest = std::max(newest, file->number);
    }
  }
  EXPECT_GT(newest.value(), 900u);
}

TEST_F(TrashTest, OfATableThatALostRecordMayHaveNamedIsSetAside) {
  TearManifest();
  Write("000091.sst.trash");
  OpenAndClose();
  EXPECT_FALSE(Exists("000091.sst.trash"));
  EXPECT_TRUE(Exists("lost/000091.sst.trash"));
}

// By the manager of an earlier open, which lives on.
TEST_F(TrashTest, MayBeDeletedDuringTheOpen) {
  TearManifest();
  Write("000091.sst.trash");
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.operation == "rename" && call.path.ends_with(".trash")
               ? Status::PathNotFound(call.path)
               : Status::OK();
  });
  OpenAndClose();
  fs_->SetFaultHook(nullptr);
}

TEST_F(TrashTest, DestroyDBDeletesIt) {
  ASSERT_TRUE(fs_->CreateDirIfMissing(PathOf("archive")).ok());
  Write("000091.sst.trash");
  Write("archive/000092.log.trash");
  ASSERT_TRUE(DestroyDB(kDir, options_).ok());
  EXPECT_TRUE(fs_->FileExists(kDir).IsPathNotFound());
}

}  // namespace
}  // namespace tamis
