// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint is a complete, consistent copy, or does not exist.
#include "tamis/utilities/checkpoint.h"

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"
#include "tests/support/directories.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

constexpr uint64_t kNeverFlush = std::numeric_limits<uint64_t>::max();
const char* const kCopy = "/parent/copy";

class NoLinks : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  Status LinkFile(const std::string& from, const std::string& to) override {
    return FileSystem::LinkFile(from, to);
  }
};

class CheckpointTest : public FamiliesTest {
 protected:
  Status Make(uint64_t log_size_for_flush = 0,
              const std::string& directory = kCopy,
              SequenceNumber* sequence = nullptr) {
    std::unique_ptr<Checkpoint> checkpoint;
    EXPECT_TRUE(Checkpoint::Create(db_.get(), &checkpoint).ok());
    return checkpoint->CreateCheckpoint(directory, log_size_for_flush,
                                        sequence);
  }
  // As AllContents, of the copy.
  std::string ContentsOfCopy(const std::string& directory = kCopy) {
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    const Status status = DB::OpenForReadOnly(
        options_, directory, Descriptors(names_), &handles, &db);
    if (!status.ok()) return status.ToString();
    std::string text;
    for (ColumnFamilyHandle* handle : handles) {
      text += (text.empty() ? "" : " | ") + handle->GetName() + ": " +
              ContentsIn(db.get(), handle);
      delete handle;
    }
    return text;
  }
  bool IsThere(const std::string& path) { return fs_->FileExists(path).ok(); }
  std::vector<std::string> Children(const std::string& directory) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(directory, &names).ok());
    return names;
  }
  // Tables in several levels, and memtables, of two families.
  void MakeDatabase() {
    MakeFamilies({"a"});
    Put("a", "deep", "1");
    ASSERT_TRUE(db_->CompactRange({}, Family("a"), nullptr, nullptr).ok());
    Put("a", "level 0", "2");
    Put("default", "k", "3");
    FlushFamily("a");
    ASSERT_TRUE(PutInAll({"default", "a"}, "memtable", "4").ok());
  }
};

TEST_F(CheckpointTest, HoldsTheStateOfEveryFamilyAtItsSequenceNumber) {
  for (const uint64_t log_size : {uint64_t{0}, kNeverFlush}) {
    SCOPED_TRACE(log_size);
    MakeDatabase();
    const std::string expected = AllContents();
    SequenceNumber sequence = 0;
    ASSERT_TRUE(Make(log_size, kCopy, &sequence).ok());
    EXPECT_EQ(sequence, db_->GetLatestSequenceNumber());
    // Memtables are flushed, or their logs are copied.
    EXPECT_EQ(TablesOf("default"), log_size == 0 ? 1u : 0u);
    ASSERT_TRUE(PutInAll({"default", "a"}, "later", "5").ok());
    ASSERT_TRUE(db_->CompactRange({}, Family("a"), nullptr, nullptr).ok());
    EXPECT_EQ(ContentsOfCopy(), expected);
    EXPECT_FALSE(IsThere(std::string(kCopy) + ".tmp"));
    // It is another database, which lives by itself.
    std::string identity;
    ASSERT_TRUE(db_->GetDbIdentity(&identity).ok());
    const std::string now = AllContents();
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_TRUE(
        DB::Open(options_, kCopy, Descriptors(names_), &handles, &db_).ok());
    for (ColumnFamilyHandle* handle : handles) {
      handles_[handle->GetName()].reset(handle);
    }
    EXPECT_EQ(AllContents(), expected);
    std::string other;
    ASSERT_TRUE(db_->GetDbIdentity(&other).ok());
    EXPECT_NE(other, identity);
    ASSERT_TRUE(PutInAll({"default", "a"}, "later", "5").ok());
    EXPECT_EQ(AllContents(), now);
    CloseAll();
    ASSERT_TRUE(DestroyDB(kCopy, options_).ok());
  }
}

TEST_F(CheckpointTest, FlushesOnlyLogsAboveTheLimit) {
  MakeFamilies({});
  Put("default", "k", Noise(5000, 1));
  ASSERT_TRUE(Make(10'000).ok());
  EXPECT_EQ(TablesOf("default"), 0u);
  ASSERT_TRUE(Make(1000, "/parent/copy2").ok());
  EXPECT_EQ(TablesOf("default"), 1u);
}

TEST_F(CheckpointTest, HoldsUnloggedWritesUnderAnyFlushLimit) {
  MakeDatabase();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(PutInAll({"default", "a"}, "unlogged", "5", unlogged).ok());
  const std::string expected = AllContents();
  ASSERT_TRUE(Make(kNeverFlush).ok());
  EXPECT_EQ(ContentsOfCopy(), expected);
}

TEST_F(CheckpointTest, OmitsUnloggedWritesThatCameTooLate) {
  MakeFamilies({});
  Put("default", "early", "1");
  const SequenceNumber early = db_->GetLatestSequenceNumber();
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "create" && call.path.ends_with(".sst")) {
      WriteOptions unlogged;
      unlogged.disableWAL = true;
      EXPECT_TRUE(db_->Put(unlogged, "late", "2").ok());
    }
    return Status::OK();
  });
  SequenceNumber sequence = 0;
  const Status status = Make(0, kCopy, &sequence);
  fs_->SetFaultHook(nullptr);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(GetIn("default", "late"), "2");
  EXPECT_EQ(sequence, early);
  EXPECT_EQ(ContentsOfCopy(), "default: early=1");
}

TEST_F(CheckpointTest, IsDurableWhenItReturns) {
  for (const uint64_t log_size : {uint64_t{0}, kNeverFlush}) {
    MakeDatabase();
    const std::string expected = AllContents();
    ASSERT_TRUE(Make(log_size).ok());
    PowerCut(1, CrashStyle::kDropAll);
    EXPECT_EQ(ContentsOfCopy(), expected);
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
    ASSERT_TRUE(DestroyDB(kCopy, options_).ok());
  }
}

TEST_F(CheckpointTest, ACheckpointOfACheckpointIsEqual) {
  MakeDatabase();
  const std::string expected = AllContents();
  ASSERT_TRUE(Make(kNeverFlush).ok());
  const Names names = names_;
  CloseAll();
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_TRUE(
      DB::Open(options_, kCopy, Descriptors(names), &handles, &db_).ok());
  for (ColumnFamilyHandle* handle : handles) delete handle;
  ASSERT_TRUE(Make(kNeverFlush, "/parent/copy2").ok());
  EXPECT_EQ(ContentsOfCopy("/parent/copy2"), expected);
}

TEST_F(CheckpointTest, RefusesAnExistingDirectory) {
  MakeDatabase();
  ASSERT_TRUE(fs_->CreateDirIfMissing(kCopy).ok());
  for (const char* directory : {kCopy, kTestDirectory}) {
    const auto before = Children(directory);
    const Status status = Make(0, directory);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_EQ(Children(directory).size(), before.size());
  }
  // A slash at the end names the same.
  ASSERT_TRUE(fs_->RemoveDir(kCopy).ok());
  const std::string expected = AllContents();
  ASSERT_TRUE(Make(0, std::string(kCopy) + "/").ok());
  EXPECT_EQ(ContentsOfCopy(), expected);
  EXPECT_FALSE(Make(0, "").ok());
}

TEST_F(CheckpointTest, RemovesFilesOfAnInterruptedCheckpoint) {
  MakeDatabase();
  const std::string scratch = std::string(kCopy) + ".tmp";
  ASSERT_TRUE(fs_->CreateDirIfMissing(scratch).ok());
  for (const char* name : {"/000009.sst", "/MANIFEST-000004", "/CURRENT"}) {
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), "junk", scratch + name, false).ok());
  }
  const std::string expected = AllContents();
  ASSERT_TRUE(Make().ok());
  EXPECT_EQ(ContentsOfCopy(), expected);
  EXPECT_FALSE(IsThere(scratch));
  for (const std::string& name : Children(kCopy)) {
    std::string bytes;
    ASSERT_TRUE(fs_->GetContents(std::string(kCopy) + "/" + name, &bytes).ok());
    EXPECT_NE(bytes, "junk") << name;
  }
}

TEST_F(CheckpointTest, KeepsForeignFiles) {
  MakeDatabase();
  const std::string scratch = std::string(kCopy) + ".tmp";
  ASSERT_TRUE(fs_->CreateDirIfMissing(scratch).ok());
  for (const char* name : {"/notes.txt", "/IDENTITY", "/LOG", "/LOCK"}) {
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), "mine", scratch + name, false).ok());
    const Status status = Make();
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.message().find(name + 1), std::string::npos) << status;
    EXPECT_TRUE(IsThere(scratch + name));
    EXPECT_FALSE(IsThere(kCopy));
    ASSERT_TRUE(fs_->RemoveFile(scratch + name).ok());
  }
  EXPECT_TRUE(Make().ok());
}

// For a failure of each call.
TEST_F(CheckpointTest, AnErrorLeavesNoFilesAndNoDamage) {
  for (const uint64_t log_size : {uint64_t{0}, kNeverFlush}) {
    MakeDatabase();
    FlushFamily("default");
    FlushFamily("a");
    if (log_size != 0) {
      ASSERT_TRUE(PutInAll({"a"}, "memtable", "6").ok());
    }
    const std::string expected = AllContents();
    int failures = 0;
    bool failed = true;
    for (int fail_at = 1; failed; ++fail_at) {
      failed = false;
      int seen = 0;
      std::string what;
      fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
        // The clean-up after it can do its work.
        const bool ours = call.path.find("copy") != std::string::npos ||
                          call.operation == "link" || call.path == "/parent";
        if (failed || !ours || ++seen != fail_at) return Status::OK();
        failed = true;
        what = call.operation + " " + call.path;
        return Status::NoSpace(call.path, "injected");
      });
      const Status status = Make(log_size);
      fs_->SetFaultHook(nullptr);
      SCOPED_TRACE(what);
      EXPECT_EQ(status.ok(), !failed) << status;
      if (!failed) break;
      ++failures;
      EXPECT_TRUE(status.IsNoSpace()) << status;
      EXPECT_FALSE(IsThere(kCopy));
      EXPECT_FALSE(IsThere(std::string(kCopy) + ".tmp"));
      EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    }
    EXPECT_GT(failures, 8);
    EXPECT_EQ(ContentsOfCopy(), expected);
    EXPECT_EQ(AllContents(), expected);
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
    ASSERT_TRUE(DestroyDB(kCopy, options_).ok());
  }
}

// What the database does while the copy is being made.
TEST_F(CheckpointTest, FilesStayUntilTheyAreLinkedOrCopied) {
  const std::vector<std::function<void()>> meanwhile = {
      [this] {  // replaces tables, makes logs obsolete
        ASSERT_TRUE(PutInAll({"default", "a"}, "memtable", "5").ok());
        ASSERT_TRUE(db_->CompactRange({}, Family("a"), nullptr, nullptr).ok());
        ASSERT_TRUE(
            db_->CompactRange({}, Family("default"), nullptr, nullptr).ok());
      },
      [this] { DropAndForget("a"); },
      [this] { Create("b"); },
  };
  for (size_t i = 0; i < meanwhile.size(); ++i) {
    for (const uint64_t log_size : {uint64_t{0}, kNeverFlush}) {
      SCOPED_TRACE(std::to_string(i) + " " + std::to_string(log_size));
      MakeDatabase();
      if (log_size == 0) Put("a", "memtable", "5");
      const std::string expected = AllContents();
      bool done = false;
      fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
        if (call.operation == "create_dir" && !done) {
          done = true;
          meanwhile[i]();
        }
        return Status::OK();
      });
      const Status status = Make(log_size);
      fs_->SetFaultHook(nullptr);
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_TRUE(done);
      names_ = {"a"};
      EXPECT_EQ(ContentsOfCopy(), expected);
      // What was kept for it is gone afterwards.
      EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
      if (i == 0) {
        EXPECT_EQ(Logs().size(), 1u);
      }
      CloseAll();
      ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
      ASSERT_TRUE(DestroyDB(kCopy, options_).ok());
    }
  }
}

TEST_F(CheckpointTest, CopiesTablesWithoutHardLinks) {
  options_.file_system = std::make_shared<NoLinks>(fs_);
  MakeDatabase();
  const std::string expected = AllContents();
  ASSERT_TRUE(Make().ok());
  CloseAll();
  ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  EXPECT_EQ(ContentsOfCopy(), expected);
}

TEST_F(CheckpointTest, LinksTablesWherePossible) {
  const TemporaryDirectory directory;
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, directory.Path("db"), &db).ok());
  ASSERT_TRUE(db->Put(WriteOptions(), "k", "v").ok());
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_TRUE(Checkpoint::Create(db.get(), &checkpoint).ok());
  ASSERT_TRUE(checkpoint->CreateCheckpoint(directory.Path("copy")).ok());
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 1u);
  struct stat original = {};
  struct stat copy = {};
  ASSERT_EQ(stat((directory.Path("db") + files[0].name).c_str(), &original), 0);
  ASSERT_EQ(stat((directory.Path("copy") + files[0].name).c_str(), &copy), 0);
  EXPECT_EQ(original.st_ino, copy.st_ino);
  EXPECT_EQ(copy.st_nlink, 2u);
  db.reset();
  ASSERT_TRUE(DestroyDB(directory.Path("db"), options).ok());
  ASSERT_TRUE(DB::Open(options, directory.Path("copy"), &db).ok());
  std::string value;
  ASSERT_TRUE(db->Get(ReadOptions(), "k", &value).ok());
  EXPECT_EQ(value, "v");
}

TEST_F(CheckpointTest, DoesNotFollowASymlinkAtItsScratchDirectory) {
  const TemporaryDirectory directory;
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, directory.Path("db"), &db).ok());
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  const std::string elsewhere = directory.Path("elsewhere");
  ASSERT_TRUE(fs->CreateDirIfMissing(elsewhere).ok());
  const std::string table = elsewhere + "/000001.sst";
  ASSERT_TRUE(WriteStringToFile(fs.get(), "mine", table, false).ok());
  const std::string scratch = directory.Path("copy.tmp");
  ASSERT_EQ(::symlink(elsewhere.c_str(), scratch.c_str()), 0);
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_TRUE(Checkpoint::Create(db.get(), &checkpoint).ok());
  const Status status = checkpoint->CreateCheckpoint(directory.Path("copy"));
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("symbolic link"), std::string::npos)
      << status;
  EXPECT_TRUE(fs->FileExists(table).ok());
}

// Each batch is whole in it, and what had returned before is there.
TEST_F(CheckpointTest, IsConsistentWhileThreadsWrite) {
  options_.job_runner = nullptr;
  options_.write_buffer_size = 64 << 10;
  MakeFamilies({"a"});
  std::atomic<bool> stop{false};
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      EXPECT_TRUE(PutInAll({"default", "a"}, Key(i), Noise(300, 1)).ok());
      written = i + 1;
    }
  });
  for (int round = 0; round < 6; ++round) {
    const std::string directory = kCopy + std::to_string(round);
    const int before = written;
    const Status status = Make(round % 2 == 0 ? 0 : kNeverFlush, directory);
    EXPECT_TRUE(status.ok()) << status;
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    const Status opened = DB::OpenForReadOnly(
        options_, directory, Descriptors({"a"}), &handles, &db);
    EXPECT_TRUE(opened.ok()) << opened;
    if (!opened.ok()) break;
    const std::string contents = ContentsIn(db.get(), handles[0]);
    EXPECT_EQ(ContentsIn(db.get(), handles[1]), contents);
    std::string value;
    if (before > 0) {
      EXPECT_TRUE(db->Get(ReadOptions(), Key(before - 1), &value).ok());
    }
    for (ColumnFamilyHandle* handle : handles) delete handle;
  }
  stop = true;
  writer.join();
}

TEST_F(CheckpointTest, OfTwoIntoOneDirectoryOneSucceeds) {
  options_.job_runner = nullptr;
  MakeDatabase();
  const std::string expected = AllContents();
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> threads;
    std::vector<Status> statuses(2);
    for (size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] { statuses[i] = Make(kNeverFlush); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_NE(statuses[0].ok(), statuses[1].ok());
    EXPECT_TRUE(statuses[0].IsInvalidArgument() ||
                statuses[1].IsInvalidArgument());
    EXPECT_EQ(ContentsOfCopy(), expected);
    ASSERT_TRUE(DestroyDB(kCopy, options_).ok());
  }
}

}  // namespace
}  // namespace tamis
