// SPDX-License-Identifier: Apache-2.0
//
// What every FileSystem must do.
#include "tamis/file_system.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/locked.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

struct Kind {
  const char* name;
  std::function<std::shared_ptr<FileSystem>()> make;
  // Whether CreateDirIfMissing creates the directories above, too.
  bool creates_parents = false;
};

class FileSystemTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    fs_ = GetParam().make();
    const std::string pattern =
        (std::filesystem::temp_directory_path() / "tamis_fs_XXXXXX").string();
    if (std::string(GetParam().name) == "Posix") {
      std::string name = pattern;
      ASSERT_NE(::mkdtemp(name.data()), nullptr);
      real_ = name;
      dir_ = name;
    } else {
      dir_ = "/test";
      ASSERT_TRUE(fs_->CreateDirIfMissing(dir_).ok());
    }
  }
  void TearDown() override {
    std::error_code ignored;
    if (!real_.empty()) std::filesystem::remove_all(real_, ignored);
  }

  std::string Path(const std::string& name) const { return dir_ + "/" + name; }
  void Write(const std::string& name, const std::string& contents) {
    const Status status =
        WriteStringToFile(fs_.get(), contents, Path(name), /*sync=*/true);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::string Read(const std::string& name) {
    std::string contents;
    const Status status = ReadFileToString(fs_.get(), Path(name), &contents);
    return status.ok() ? contents : status.ToString();
  }

  std::shared_ptr<FileSystem> fs_;
  std::string real_;
  std::string dir_;
};

TEST_P(FileSystemTest, WrittenBytesAreRead) {
  for (const size_t n : {0u, 1u, 65535u, 65536u, 65537u, 300000u}) {
    const std::string contents(n, 'w');
    Write("file", contents);
    EXPECT_EQ(Read("file"), contents);
    uint64_t size = 0;
    ASSERT_TRUE(fs_->GetFileSize(Path("file"), &size).ok());
    EXPECT_EQ(size, n);
  }
}

TEST_P(FileSystemTest, AppendsOfAnySizeArriveInOrder) {
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile(Path("log"), &file).ok());
  std::string expected;
  for (const size_t n : {1u, 65535u, 1u, 100000u, 7u, 65536u, 0u, 3u}) {
    const std::string piece(n, static_cast<char>('a' + expected.size() % 26));
    ASSERT_TRUE(file->Append(piece).ok());
    expected += piece;
    EXPECT_EQ(file->GetFileSize(), expected.size());
  }
  ASSERT_TRUE(file->Flush().ok());
  EXPECT_EQ(Read("log"), expected);
  ASSERT_TRUE(file->Append("end").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("log"), expected + "end");
}

// A database that is opened for a few writes does not map its log.
TEST_P(FileSystemTest, TheFirstStoresLeaveNoZerosBehind) {
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile(Path("log"), &file).ok());
  std::string expected;
  for (const std::string piece : {"a", "few", "", "small", "records"}) {
    char* const room = file->Reserve(piece.size() + 9);
    if (room == nullptr) GTEST_SKIP() << "nothing is stored in place here";
    piece.copy(room, piece.size());
    file->Commit(piece.size());
    expected += piece;
    EXPECT_EQ(Read("log"), expected);
    EXPECT_EQ(file->GetFileSize(), expected.size());
  }
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(file->Reserve(1), nullptr);
  ASSERT_TRUE(file->Append("end").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("log"), expected + "end");
}

TEST_P(FileSystemTest, StoresInPlaceAreAppends) {
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile(Path("log"), &file).ok());
  std::string expected;
  const auto store = [&](size_t n) {
    const std::string piece(n, static_cast<char>('a' + expected.size() % 26));
    char* const room = file->Reserve(n + 9);
    if (room == nullptr) {
      ASSERT_TRUE(file->Append(piece).ok());
    } else {
      EXPECT_EQ(std::string(room, n + 9), std::string(n + 9, '\0'));
      piece.copy(room, n);
      file->Commit(n);
    }
    expected += piece;
    EXPECT_EQ(file->GetFileSize(), expected.size());
  };
  for (int i = 0; i < 10; ++i) store(100);  // beyond those that are written
  for (const size_t n : {1u, 4095u, 1u, 100000u, 7u, 1u << 20, 3u << 20, 3u}) {
    store(n);
  }
  ASSERT_TRUE(file->Flush().ok());
  // Zeros may follow until the file is synced or closed.
  EXPECT_EQ(Read("log").substr(0, expected.size()), expected);
  ASSERT_TRUE(file->Append("appended").ok());
  expected += "appended";
  store(50);
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Read("log"), expected);
  EXPECT_EQ(file->Reserve(1), nullptr);
  store(50);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("log"), expected);

  // Nothing but stores, then closed.
  ASSERT_TRUE(fs_->NewWritableFile(Path("log"), &file).ok());
  expected.clear();
  store(5000);
  store(10);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("log"), expected);
}

TEST_P(FileSystemTest, ReadsStopAtTheEndOfTheFile) {
  Write("file", "0123456789");
  char scratch[32];
  Slice result;
  std::unique_ptr<RandomAccessFile> random;
  ASSERT_TRUE(fs_->NewRandomAccessFile(Path("file"), &random).ok());
  const struct {
    uint64_t offset;
    size_t n;
    const char* expected;
  } kCases[] = {{0, 10, "0123456789"}, {3, 4, "3456"}, {8, 10, "89"},
                {10, 5, ""},           {99, 5, ""},    {5, 0, ""}};
  for (const auto& c : kCases) {
    ASSERT_TRUE(random->Read(c.offset, c.n, &result, scratch).ok());
    EXPECT_EQ(result, Slice(c.expected)) << c.offset;
  }
  std::unique_ptr<SequentialFile> sequential;
  ASSERT_TRUE(fs_->NewSequentialFile(Path("file"), &sequential).ok());
  ASSERT_TRUE(sequential->Read(2, &result, scratch).ok());
  EXPECT_EQ(result, Slice("01"));
  ASSERT_TRUE(sequential->Skip(5).ok());
  ASSERT_TRUE(sequential->Read(20, &result, scratch).ok());
  EXPECT_EQ(result, Slice("789"));
  ASSERT_TRUE(sequential->Read(20, &result, scratch).ok());
  EXPECT_TRUE(result.empty());
}

TEST_P(FileSystemTest, AMissingFileIsPathNotFoundAndNamed) {
  std::unique_ptr<SequentialFile> sequential;
  std::unique_ptr<RandomAccessFile> random;
  std::unique_ptr<WritableFile> writable;
  std::unique_ptr<FileLock> lock;
  std::vector<std::string> names;
  uint64_t size;
  const std::string path = Path("missing");
  const Status statuses[] = {
      fs_->NewSequentialFile(path, &sequential),
      fs_->NewRandomAccessFile(path, &random),
      fs_->NewWritableFile(path + "/file", &writable),
      fs_->FileExists(path),
      fs_->GetChildren(path, &names),
      fs_->GetFileSize(path, &size),
      fs_->RemoveFile(path),
      fs_->NumFileLinks(path, &size),
      fs_->Truncate(path, 0),
      fs_->RenameFile(path, Path("other")),
      fs_->LinkFile(path, Path("other")),
      fs_->SyncFile(path),
      fs_->RemoveDir(path),
      fs_->SyncDirectory(path),
      fs_->LockFile(path + "/LOCK", &lock),
      GetParam().creates_parents ? fs_->RemoveFile(path)
                                 : fs_->CreateDirIfMissing(path + "/below"),
  };
  for (const Status& status : statuses) {
    EXPECT_TRUE(status.IsPathNotFound()) << status;
    EXPECT_NE(status.message().find(path), std::string::npos) << status;
  }
}

TEST_P(FileSystemTest, LinksAreCounted) {
  Write("a", "1");
  uint64_t links = 0;
  ASSERT_TRUE(fs_->NumFileLinks(Path("a"), &links).ok());
  EXPECT_EQ(links, 1u);
  ASSERT_TRUE(fs_->CreateDirIfMissing(Path("d")).ok());
  ASSERT_TRUE(fs_->LinkFile(Path("a"), Path("d/b")).ok());
  ASSERT_TRUE(fs_->NumFileLinks(Path("a"), &links).ok());
  EXPECT_EQ(links, 2u);
  ASSERT_TRUE(fs_->RemoveFile(Path("a")).ok());
  ASSERT_TRUE(fs_->NumFileLinks(Path("d/b"), &links).ok());
  EXPECT_EQ(links, 1u);
}

TEST_P(FileSystemTest, FilesAreCut) {
  Write("a", "12345");
  ASSERT_TRUE(fs_->Truncate(Path("a"), 2).ok());
  std::string contents;
  ASSERT_TRUE(ReadFileToString(fs_.get(), Path("a"), &contents).ok());
  EXPECT_EQ(contents, "12");
  ASSERT_TRUE(fs_->Truncate(Path("a"), 0).ok());
  uint64_t size = 1;
  ASSERT_TRUE(fs_->GetFileSize(Path("a"), &size).ok());
  EXPECT_EQ(size, 0u);
}

TEST_P(FileSystemTest, DirectoriesAreMadeListedAndRemoved) {
  ASSERT_TRUE(fs_->CreateDirIfMissing(Path("d")).ok());
  ASSERT_TRUE(fs_->CreateDirIfMissing(Path("d")).ok());
  Write("d/a", "");
  Write("d/b", "");
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren(Path("d"), &names).ok());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(fs_->RemoveDir(Path("d")).IsIOError());
  ASSERT_TRUE(fs_->RemoveFile(Path("d/a")).ok());
  ASSERT_TRUE(fs_->RemoveFile(Path("d/b")).ok());
  ASSERT_TRUE(fs_->SyncDirectory(Path("d")).ok());
  ASSERT_TRUE(fs_->RemoveDir(Path("d")).ok());
  EXPECT_TRUE(fs_->FileExists(Path("d")).IsPathNotFound());
  Write("f", "");
  EXPECT_FALSE(fs_->CreateDirIfMissing(Path("f")).ok());
}

TEST_P(FileSystemTest, RenameReplacesItsTarget) {
  Write("from", "new");
  Write("to", "old");
  ASSERT_TRUE(fs_->RenameFile(Path("from"), Path("to")).ok());
  EXPECT_EQ(Read("to"), "new");
  EXPECT_TRUE(fs_->FileExists(Path("from")).IsPathNotFound());
}

TEST_P(FileSystemTest, ARenameOntoItselfOrItsLinkChangesNothing) {
  Write("a", "contents");
  ASSERT_TRUE(fs_->LinkFile(Path("a"), Path("b")).ok());
  ASSERT_TRUE(fs_->RenameFile(Path("a"), Path("a")).ok());
  ASSERT_TRUE(fs_->RenameFile(Path("a"), Path("b")).ok());
  EXPECT_EQ(Read("a"), "contents");
  EXPECT_EQ(Read("b"), "contents");
  uint64_t links = 0;
  ASSERT_TRUE(fs_->NumFileLinks(Path("a"), &links).ok());
  EXPECT_EQ(links, 2u);
  Write("c", "other");
  ASSERT_TRUE(fs_->RenameFile(Path("c"), Path("b")).ok());
  ASSERT_TRUE(fs_->NumFileLinks(Path("a"), &links).ok());
  EXPECT_EQ(links, 1u);
  EXPECT_EQ(Read("b"), "other");
}

TEST_P(FileSystemTest, DirectoriesAreRenamedWithWhatTheyHave) {
  ASSERT_TRUE(fs_->CreateDirIfMissing(Path("from")).ok());
  Write("from/a", "1");
  ASSERT_TRUE(fs_->RenameFile(Path("from"), Path("to")).ok());
  EXPECT_EQ(Read("to/a"), "1");
  EXPECT_TRUE(fs_->FileExists(Path("from")).IsPathNotFound());
  Write("file", "2");
  EXPECT_FALSE(fs_->RenameFile(Path("file"), Path("to")).ok());
  EXPECT_EQ(Read("file"), "2");
}

TEST_P(FileSystemTest, ALinkIsASecondNameForOneFile) {
  Write("from", "contents");
  ASSERT_TRUE(fs_->LinkFile(Path("from"), Path("to")).ok());
  EXPECT_EQ(Read("to"), "contents");
  ASSERT_TRUE(fs_->RemoveFile(Path("from")).ok());
  EXPECT_EQ(Read("to"), "contents");
  Write("to", "changed");
  ASSERT_TRUE(fs_->LinkFile(Path("to"), Path("again")).ok());
  Write("to", "once more");
  EXPECT_EQ(Read("again"), "once more");
}

TEST_P(FileSystemTest, ALinkReplacesNothing) {
  Write("from", "new");
  Write("to", "old");
  const Status status = fs_->LinkFile(Path("from"), Path("to"));
  EXPECT_TRUE(status.IsIOError()) << status;
  EXPECT_EQ(Read("to"), "old");
  ASSERT_TRUE(fs_->CreateDirIfMissing(Path("d")).ok());
  EXPECT_FALSE(fs_->LinkFile(Path("d"), Path("e")).ok());
}

TEST_P(FileSystemTest, OpeningForWritingEmptiesTheFile) {
  Write("file", "contents");
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile(Path("file"), &file).ok());
  EXPECT_EQ(Read("file"), "");
  EXPECT_EQ(file->GetFileSize(), 0u);
}

TEST_P(FileSystemTest, AnOpenFileSurvivesItsRemoval) {
  Write("file", "contents");
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(fs_->NewRandomAccessFile(Path("file"), &file).ok());
  ASSERT_TRUE(fs_->RemoveFile(Path("file")).ok());
  Write("file", "other");
  char scratch[16];
  Slice result;
  ASSERT_TRUE(file->Read(0, sizeof(scratch), &result, scratch).ok());
  EXPECT_EQ(result, Slice("contents"));
}

TEST_P(FileSystemTest, AShrunkFileIsReadToItsEnd) {
  Write("file", std::string(1000, 'o'));
  std::unique_ptr<RandomAccessFile> at_random;
  std::unique_ptr<SequentialFile> in_order;
  ASSERT_TRUE(fs_->NewRandomAccessFile(Path("file"), &at_random).ok());
  ASSERT_TRUE(fs_->NewSequentialFile(Path("file"), &in_order).ok());
  Write("file", std::string(10, 'n'));
  char scratch[1000];
  Slice got;
  ASSERT_TRUE(at_random->Read(4, 1000, &got, scratch).ok());
  EXPECT_EQ(got, Slice("nnnnnn"));
  for (const uint64_t offset : {10u, 11u, 1000u}) {
    ASSERT_TRUE(at_random->Read(offset, 10, &got, scratch).ok());
    EXPECT_TRUE(got.empty()) << offset;
  }
  ASSERT_TRUE(in_order->Skip(500).ok());
  ASSERT_TRUE(in_order->Read(500, &got, scratch).ok());
  EXPECT_TRUE(got.empty());
}

TEST_P(FileSystemTest, ALockIsHeldUntilItIsDestroyed) {
  std::unique_ptr<FileLock> first;
  std::unique_ptr<FileLock> second;
  bool locked = true;
  ASSERT_TRUE(fs_->IsLocked(Path("LOCK"), &locked).ok());
  EXPECT_FALSE(locked);
  EXPECT_TRUE(fs_->FileExists(Path("LOCK")).IsPathNotFound());
  ASSERT_TRUE(fs_->LockFile(Path("LOCK"), &first).ok());
  const Status status = fs_->LockFile(Path("LOCK"), &second);
  EXPECT_TRUE(SaysLocked(status)) << status;
  EXPECT_NE(status.message().find(Path("LOCK")), std::string::npos);
  for (int n = 0; n < 2; ++n) {  // asking does not take it away
    ASSERT_TRUE(fs_->IsLocked(Path("LOCK"), &locked).ok());
    EXPECT_TRUE(locked);
  }
  first.reset();
  ASSERT_TRUE(fs_->IsLocked(Path("LOCK"), &locked).ok());
  EXPECT_FALSE(locked);
  EXPECT_TRUE(fs_->LockFile(Path("LOCK"), &second).ok());
}

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest,
                         ::testing::Values(Kind{"Posix", NewPosixFileSystem},
                                           Kind{"Mem", NewMemFileSystem, true},
                                           Kind{"Simulated",
                                                NewSimulatedFileSystem}),
                         [](const auto& kind) { return kind.param.name; });

TEST(PosixFileSystemTest, AFullDeviceIsNoSpaceAndStaysSo) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const auto fs = NewPosixFileSystem();
  std::unique_ptr<WritableFile> file;
  const Status opened = fs->NewWritableFile("/dev/full", &file);
  if (!opened.ok()) GTEST_SKIP() << opened;
  ASSERT_TRUE(file->Append("small").ok());
  EXPECT_TRUE(file->Flush().IsNoSpace());
  EXPECT_TRUE(file->Append("more").IsNoSpace());
  EXPECT_TRUE(file->Sync().IsNoSpace());
  EXPECT_TRUE(file->Close().IsNoSpace());
}

}  // namespace
}  // namespace tamis
