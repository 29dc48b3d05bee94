// SPDX-License-Identifier: Apache-2.0
//
// A FileSystemWrapper passes on every call, with its arguments and its result.
#include "tamis/file_system_wrapper.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Notes the calls, and fails them all alike.
class Noting final : public FileSystem {
 public:
  std::vector<std::string> calls;

  const char* Name() const override { return "Noting"; }
  uint64_t FlushedBytesAtRisk() const override { return 77; }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>*) override {
    return Note("NewSequentialFile", path);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>*) override {
    return Note("NewRandomAccessFile", path);
  }
  Status OpenRandomAccessFile(const std::string& path, const FileOptions& how,
                              std::unique_ptr<RandomAccessFile>*) override {
    return Note("OpenRandomAccessFile", path,
                std::to_string(how.expected_size));
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>*) override {
    return Note("NewWritableFile", path);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& how,
                          std::unique_ptr<WritableFile>*) override {
    return Note("OpenWritableFile", path, std::to_string(how.expected_size));
  }
  Status FileExists(const std::string& path) override {
    return Note("FileExists", path);
  }
  Status GetChildren(const std::string& path,
                     std::vector<std::string>*) override {
    return Note("GetChildren", path);
  }
  Status GetFileSize(const std::string& path, uint64_t*) override {
    return Note("GetFileSize", path);
  }
  Status GetFileModificationTime(const std::string& path, uint64_t*) override {
    return Note("GetFileModificationTime", path);
  }
  Status IsSymbolicLink(const std::string& path, bool*) override {
    return Note("IsSymbolicLink", path);
  }
  Status GetAbsolutePath(const std::string& path, std::string*) override {
    return Note("GetAbsolutePath", path);
  }
  Status RemoveFile(const std::string& path) override {
    return Note("RemoveFile", path);
  }
  Status NumFileLinks(const std::string& path, uint64_t*) override {
    return Note("NumFileLinks", path);
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return Note("Truncate", path, std::to_string(size));
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return Note("RenameFile", from, to);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return Note("LinkFile", from, to);
  }
  Status SyncFile(const std::string& path) override {
    return Note("SyncFile", path);
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return Note("CreateDirIfMissing", path);
  }
  Status CreateSharedDirectory(const std::string& path) override {
    return Note("CreateSharedDirectory", path);
  }
  Status RemoveDir(const std::string& path) override {
    return Note("RemoveDir", path);
  }
  Status SyncDirectory(const std::string& path) override {
    return Note("SyncDirectory", path);
  }
  Status WatchDirectory(const std::string& path, std::function<void()> changed,
                        std::unique_ptr<DirectoryWatch>*) override {
    changed();
    return Note("WatchDirectory", path);
  }
  Status GetDirectoryVersion(const std::string& path, std::string*) override {
    return Note("GetDirectoryVersion", path);
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>*) override {
    return Note("LockFile", path);
  }
  Status IsLocked(const std::string& path, bool*) override {
    return Note("IsLocked", path);
  }

 private:
  Status Note(const std::string& call, const std::string& path,
              const std::string& more = "") {
    calls.push_back(call + " " + path + (more.empty() ? "" : " " + more));
    return Status::IOError(call, path);
  }
};

TEST(FileSystemWrapperTest, PassesOnEveryCall) {
  const auto noting = std::make_shared<Noting>();
  FileSystemWrapper wrapper(noting);
  EXPECT_EQ(wrapper.target(), noting.get());
  EXPECT_STREQ(wrapper.Name(), "Noting");
  EXPECT_EQ(wrapper.FlushedBytesAtRisk(), 77u);
  std::unique_ptr<SequentialFile> sequential;
  std::unique_ptr<RandomAccessFile> random;
  std::unique_ptr<WritableFile> writable;
  std::unique_ptr<DirectoryWatch> watch;
  std::unique_ptr<FileLock> lock;
  std::vector<std::string> names;
  std::string text;
  uint64_t number = 0;
  bool flag = false;
  bool called = false;
  FileOptions sized;
  sized.expected_size = 5;
  // What was called, and what came back.
  const auto expect = [&](const Status& status, const std::string& call,
                          const std::string& path,
                          const std::string& more = "") {
    EXPECT_EQ(status, Status::IOError(call, path));
    ASSERT_FALSE(noting->calls.empty());
    EXPECT_EQ(noting->calls.back(),
              call + " " + path + (more.empty() ? "" : " " + more));
  };
  expect(wrapper.NewSequentialFile("a", &sequential), "NewSequentialFile", "a");
  expect(wrapper.NewRandomAccessFile("b", &random), "NewRandomAccessFile", "b");
  expect(wrapper.OpenRandomAccessFile("c", sized, &random),
         "OpenRandomAccessFile", "c", "5");
  expect(wrapper.NewWritableFile("d", &writable), "NewWritableFile", "d");
  expect(wrapper.OpenWritableFile("e", sized, &writable), "OpenWritableFile",
         "e", "5");
  expect(wrapper.FileExists("f"), "FileExists", "f");
  expect(wrapper.GetChildren("g", &names), "GetChildren", "g");
  expect(wrapper.GetFileSize("h", &number), "GetFileSize", "h");
  expect(wrapper.GetFileModificationTime("i", &number),
         "GetFileModificationTime", "i");
  expect(wrapper.IsSymbolicLink("j", &flag), "IsSymbolicLink", "j");
  expect(wrapper.GetAbsolutePath("k", &text), "GetAbsolutePath", "k");
  expect(wrapper.RemoveFile("l"), "RemoveFile", "l");
  expect(wrapper.NumFileLinks("m", &number), "NumFileLinks", "m");
  expect(wrapper.Truncate("n", 9), "Truncate", "n", "9");
  expect(wrapper.RenameFile("o", "o2"), "RenameFile", "o", "o2");
  expect(wrapper.LinkFile("p", "p2"), "LinkFile", "p", "p2");
  expect(wrapper.SyncFile("q"), "SyncFile", "q");
  expect(wrapper.CreateDirIfMissing("r"), "CreateDirIfMissing", "r");
  expect(wrapper.CreateSharedDirectory("s"), "CreateSharedDirectory", "s");
  expect(wrapper.RemoveDir("t"), "RemoveDir", "t");
  expect(wrapper.SyncDirectory("u"), "SyncDirectory", "u");
  expect(wrapper.WatchDirectory(
             "v", [&] { called = true; }, &watch),
         "WatchDirectory", "v");
  EXPECT_TRUE(called);
  expect(wrapper.GetDirectoryVersion("w", &text), "GetDirectoryVersion", "w");
  expect(wrapper.LockFile("x", &lock), "LockFile", "x");
  expect(wrapper.IsLocked("y", &flag), "IsLocked", "y");
  EXPECT_EQ(noting->calls.size(), 25u);
}

}  // namespace
}  // namespace tamis
