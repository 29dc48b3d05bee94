// SPDX-License-Identifier: Apache-2.0
//
// Directories that are no database, belong to another program, or do not match
// the options: the open fails, names the reason, and changes nothing.
//
// Shows D12 and D22 of docs/durability.md.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/comparators.h"
#include "tests/support/databases.h"
#include "tests/support/locked.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

constexpr char kDirectory[] = "/db";

using Files = std::map<std::string, std::string>;  // name → bytes

// One level 1 table, one in level 0, and a log.
std::shared_ptr<SimulatedFileSystem> MakeDatabase() {
  auto fs = NewSimulatedFileSystem();
  Options options;
  options.create_if_missing = true;
  options.file_system = fs;
  std::unique_ptr<DB> db;
  EXPECT_TRUE(DB::Open(options, kDirectory, &db).ok());
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_TRUE(db->Put(WriteOptions(), key, "value").ok());
    if (key[0] == 'a') {
      EXPECT_TRUE(
          db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
    }
    if (key[0] == 'b') {
      EXPECT_TRUE(db->Flush(FlushOptions()).ok());
    }
  }
  EXPECT_TRUE(db->Close().ok());
  return fs;
}

Files FilesOf(SimulatedFileSystem* fs) {
  std::vector<std::string> names;
  EXPECT_TRUE(fs->GetChildren(kDirectory, &names).ok());
  Files files;
  for (const std::string& name : names) {
    // What even a refused open may add.
    if (name.starts_with("LOG") || name == "LOCK") continue;
    EXPECT_TRUE(
        fs->GetContents(std::string(kDirectory) + "/" + name, &files[name])
            .ok());
  }
  return files;
}

std::string FirstTable(SimulatedFileSystem* fs) {
  for (const auto& [name, bytes] : FilesOf(fs)) {
    if (name.ends_with(".sst")) return std::string(kDirectory) + "/" + name;
  }
  ADD_FAILURE() << "there is no table";
  return "";
}

struct Case {
  const char* name;
  // What is wrong with it.
  std::function<void(SimulatedFileSystem*, Options*)> spoil;
  Status::Code code;
  std::vector<std::string> words;  // in the message
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string Path(const char* name) {
  return std::string(kDirectory) + "/" + name;
}

void ReplaceCurrent(SimulatedFileSystem* fs, const std::string& contents) {
  EXPECT_TRUE(fs->SetContents(Path("CURRENT"), contents).ok());
}

const std::vector<Case>& Cases() {
  static const NamedComparator other("test.OtherComparator");
  static const std::vector<Case> cases = {
      {"AnotherComparator",
       [](SimulatedFileSystem*, Options* o) { o->comparator = &other; },
       Status::kInvalidArgument,
       {"test.OtherComparator", "leveldb.BytewiseComparator"}},
      {"ReverseComparator",
       [](SimulatedFileSystem*, Options* o) {
         o->comparator = ReverseBytewiseComparator();
       },
       Status::kInvalidArgument,
       {"rocksdb.ReverseBytewiseComparator", "leveldb.BytewiseComparator"}},
      {"NoCurrentBesideTables",
       [](SimulatedFileSystem* fs, Options* o) {
         o->create_if_missing = true;
         EXPECT_TRUE(fs->RemoveFile(Path("CURRENT")).ok());
       },
       Status::kCorruption,
       {"/db/CURRENT", "missing"}},
      {"AFileNumberThatLeavesNone",
       [](SimulatedFileSystem* fs, Options*) {
         EXPECT_TRUE(
             WriteStringToFile(fs, "", Path("4611686018427387903.dbtmp"), true)
                 .ok());
       },
       Status::kCorruption,
       {"/db", "4611686018427387903", "move that file away"}},
      {"NoCurrentAndNotToBeCreated",
       [](SimulatedFileSystem* fs, Options*) {
         EXPECT_TRUE(fs->RemoveFile(Path("CURRENT")).ok());
       },
       Status::kInvalidArgument,
       {"/db/CURRENT"}},
      {"CurrentWithoutNewline",
       [](SimulatedFileSystem* fs, Options*) {
         ReplaceCurrent(fs, "MANIFEST-000004");
       },
       Status::kCorruption,
       {"/db/CURRENT", "newline"}},
      {"EmptyCurrent",
       [](SimulatedFileSystem* fs, Options*) { ReplaceCurrent(fs, ""); },
       Status::kCorruption,
       {"/db/CURRENT"}},
      {"CurrentNamesNothing",
       [](SimulatedFileSystem* fs, Options*) { ReplaceCurrent(fs, "\n"); },
       Status::kCorruption,
       {"/db/CURRENT"}},
      {"CurrentNamesATable",
       [](SimulatedFileSystem* fs, Options*) {
         ReplaceCurrent(fs, "000009.sst\n");
       },
       Status::kCorruption,
       {"/db/CURRENT", "000009.sst"}},
      {"CurrentNamesAnotherDirectory",
       [](SimulatedFileSystem* fs, Options*) {
         ReplaceCurrent(fs, "../db/MANIFEST-000004\n");
       },
       Status::kCorruption,
       {"/db/CURRENT"}},
      {"CurrentNamesAMissingManifest",
       [](SimulatedFileSystem* fs, Options*) {
         ReplaceCurrent(fs, "MANIFEST-000999\n");
       },
       Status::kCorruption,
       {"/db/CURRENT", "MANIFEST-000999"}},
      {"MissingTable",
       [](SimulatedFileSystem* fs, Options*) {
         EXPECT_TRUE(fs->RemoveFile(FirstTable(fs)).ok());
       },
       Status::kCorruption,
       {".sst", "missing"}},
      {"LongerTable",
       [](SimulatedFileSystem* fs, Options*) {
         std::string bytes;
         EXPECT_TRUE(fs->GetContents(FirstTable(fs), &bytes).ok());
         EXPECT_TRUE(fs->SetContents(FirstTable(fs), bytes + "x").ok());
       },
       Status::kCorruption,
       {".sst", "bytes"}},
      {"EmptyTable",
       [](SimulatedFileSystem* fs, Options*) {
         EXPECT_TRUE(fs->SetContents(FirstTable(fs), "").ok());
       },
       Status::kCorruption,
       {".sst", "bytes"}},
      {"ErrorIfExists",
       [](SimulatedFileSystem*, Options* o) { o->error_if_exists = true; },
       Status::kInvalidArgument,
       {"/db", "error_if_exists"}},
      {"NoPermissionToLock",
       [](SimulatedFileSystem* fs, Options*) {
         fs->SetFaultHook([](const SimulatedFileSystem::Call& call) {
           return call.operation == "lock"
                      ? Status::IOError(call.path, "permission denied")
                      : Status::OK();
         });
       },
       Status::kIOError,
       {"/db/LOCK", "permission denied"}},
      {"NoPermissionToCreate",
       [](SimulatedFileSystem* fs, Options*) {
         fs->SetFaultHook([](const SimulatedFileSystem::Call& call) {
           return call.operation == "create"
                      ? Status::IOError(call.path, "permission denied")
                      : Status::OK();
         });
       },
       Status::kIOError,
       {"/db/", "permission denied"}},
  };
  return cases;
}

class BadInputTest : public ::testing::TestWithParam<Case> {};

TEST_P(BadInputTest, IsRefusedByNameAndLeftUnchanged) {
  const Case& c = GetParam();
  const auto fs = MakeDatabase();
  Options options;
  options.file_system = fs;
  c.spoil(fs.get(), &options);
  const Files before = FilesOf(fs.get());
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, kDirectory, &db);
    ASSERT_EQ(status.code(), c.code) << status;
    EXPECT_EQ(db, nullptr);
    for (const std::string& word : c.words) {
      EXPECT_NE(status.message().find(word), std::string::npos)
          << status << " says nothing of " << word;
    }
    EXPECT_TRUE(FilesOf(fs.get()) == before) << "the refusal changed files";
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BadInputTest, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<Case>& i) {
                           return i.param.name;
                         });

// What CURRENT's loss must never lead to: a new database over the old one.
TEST(BadDirectoryTest, IsNeverMistakenForANewDatabase) {
  for (const char* kept : {"MANIFEST-", ".sst", ".log"}) {
    SCOPED_TRACE(kept);
    const auto fs = MakeDatabase();
    for (const auto& [name, bytes] : FilesOf(fs.get())) {
      if (name.find(kept) != std::string::npos) continue;
      EXPECT_TRUE(fs->RemoveFile(Path(name.c_str())).ok());
    }
    const Files before = FilesOf(fs.get());
    EXPECT_FALSE(before.empty());
    Options options;
    options.file_system = fs;
    options.create_if_missing = true;
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, kDirectory, &db);
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_TRUE(FilesOf(fs.get()) == before) << "the refusal changed files";
  }
}

TEST(BadDirectoryTest, MayNotBeAFile) {
  const TemporaryDirectory temporary;
  const std::string path = temporary.Path("file");
  std::ofstream(path) << "not a database";
  for (const bool create : {false, true}) {
    Options options;
    options.create_if_missing = create;
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, path, &db);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find(path), std::string::npos) << status;
  }
  EXPECT_EQ(std::filesystem::file_size(path), 14u);
}

TEST(BadDirectoryTest, NeedsItsParentDirectory) {
  const TemporaryDirectory temporary;
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  const std::string path = temporary.Path("missing/db");
  const Status status = DB::Open(options, path, &db);
  ASSERT_TRUE(status.IsIOError()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
}

TEST(BadDirectoryTest, NeedsPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  const TemporaryDirectory temporary;
  const std::string path = temporary.Path("db");
  std::filesystem::create_directory(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read |
                                         std::filesystem::perms::owner_exec);
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  const Status status = DB::Open(options, path, &db);
  ASSERT_TRUE(status.IsIOError()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
}

TEST(SecondOpenerTest, GetsBusyInThisProcessAndInAnother) {
  const TemporaryDirectory temporary;
  const std::string path = temporary.Path("db");
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  Status status = DB::Open(options, path, &db);
  ASSERT_TRUE(status.ok()) << status;
  std::unique_ptr<DB> second;
  // More than once: the refused attempt must not give the lock away.
  for (int i = 0; i < 3; ++i) {
    status = DB::Open(options, path, &second);
    EXPECT_TRUE(SaysLocked(status)) << status;
    EXPECT_NE(status.message().find(path + "/LOCK"), std::string::npos)
        << status;
  }
  db.reset();

  // Another process: a child holds it, alone and without threads of ours.
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(done[1]);
    std::unique_ptr<DB> held;
    const bool opened = DB::Open(options, path, &held).ok();
    char byte = opened ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(2);
    if (::read(done[0], &byte, 1) != 0) ::_exit(3);
    ::_exit(opened ? 0 : 1);  // no Close: the lock goes with the process
  }
  ASSERT_GT(child, 0);
  ::close(done[0]);
  char byte = '?';
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  status = DB::Open(options, path, &second);
  EXPECT_TRUE(SaysLocked(status)) << status;
  EXPECT_NE(status.message().find(path + "/LOCK"), std::string::npos) << status;
  ::close(done[1]);
  int exit_status = 0;
  EXPECT_EQ(::waitpid(child, &exit_status, 0), child);
  EXPECT_EQ(exit_status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  status = DB::Open(options, path, &second);
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace tamis
