// SPDX-License-Identifier: Apache-2.0
//
// What NewMemFileSystem has beyond what every FileSystem must do, which
// file_system_test.cc tests for it, too.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/file_system.h"

namespace tamis {
namespace {

TEST(MemFileSystemTest, EveryPathBeginsAtTheRoot) {
  const auto fs = NewMemFileSystem();
  ASSERT_EQ(fs->CreateDirIfMissing("a/b//c"), Status::OK());
  EXPECT_EQ(fs->FileExists("/a/./b/c/"), Status::OK());
  std::string absolute;
  ASSERT_EQ(fs->GetAbsolutePath("a//b", &absolute), Status::OK());
  EXPECT_EQ(absolute, "/a/b");
  ASSERT_EQ(fs->GetAbsolutePath("", &absolute), Status::OK());
  EXPECT_EQ(absolute, "/");
  EXPECT_TRUE(fs->RemoveDir("/a").IsIOError());
  EXPECT_TRUE(fs->RemoveFile("/a").IsIOError());
  EXPECT_TRUE(fs->RenameFile("/a", "/a/b/c/d").IsIOError());
  EXPECT_EQ(fs->FileExists("/a/b/c"), Status::OK());
}

TEST(MemFileSystemTest, TheRootStays) {
  const auto fs = NewMemFileSystem();
  std::vector<std::string> names;
  EXPECT_EQ(fs->GetChildren("/", &names), Status::OK());
  EXPECT_TRUE(names.empty());
  EXPECT_TRUE(fs->RemoveDir("/").IsIOError());
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(fs->NewWritableFile("/", &file).IsIOError());
  EXPECT_TRUE(fs->RenameFile("/", "/a").IsIOError());
}

TEST(MemFileSystemTest, ADirectoryOfFilesAloneHasNoFilesBelowThem) {
  const auto fs = NewMemFileSystem();
  ASSERT_EQ(WriteStringToFile(fs.get(), "x", "/file", /*sync=*/false),
            Status::OK());
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(fs->NewWritableFile("/file/below", &file).IsPathNotFound());
  EXPECT_TRUE(fs->CreateDirIfMissing("/file/below").IsIOError());
  EXPECT_TRUE(fs->Truncate("/file", 2).IsInvalidArgument());
}

TEST(MemFileSystemTest, AVersionChangesWithTheNames) {
  const auto fs = NewMemFileSystem();
  ASSERT_EQ(fs->CreateDirIfMissing("/d"), Status::OK());
  std::string before;
  ASSERT_EQ(fs->GetDirectoryVersion("/d", &before), Status::OK());
  const auto changed = [&] {
    std::string now;
    EXPECT_EQ(fs->GetDirectoryVersion("/d", &now), Status::OK());
    return std::exchange(before, now) != now;
  };
  EXPECT_FALSE(changed());
  ASSERT_EQ(WriteStringToFile(fs.get(), "x", "/d/a", /*sync=*/false),
            Status::OK());
  EXPECT_TRUE(changed());
  ASSERT_EQ(WriteStringToFile(fs.get(), "y", "/d/a", /*sync=*/false),
            Status::OK());
  EXPECT_FALSE(changed());
  ASSERT_EQ(fs->RenameFile("/d/a", "/d/b"), Status::OK());
  EXPECT_TRUE(changed());
  ASSERT_EQ(fs->RenameFile("/d/b", "/c"), Status::OK());
  EXPECT_TRUE(changed());
  ASSERT_EQ(fs->LinkFile("/c", "/d/c"), Status::OK());
  EXPECT_TRUE(changed());
  ASSERT_EQ(fs->RemoveFile("/d/c"), Status::OK());
  EXPECT_TRUE(changed());
}

TEST(MemFileSystemTest, AFileHasTheTimeOfItsLastChange) {
  const auto fs = NewMemFileSystem();
  ASSERT_EQ(WriteStringToFile(fs.get(), "x", "/a", /*sync=*/false),
            Status::OK());
  uint64_t seconds = 0;
  ASSERT_EQ(fs->GetFileModificationTime("/a", &seconds), Status::OK());
  EXPECT_GT(seconds, 1'700'000'000u);
}

// A reader sees a prefix of what is appended meanwhile.
TEST(MemFileSystemTest, ThreadsReadWhatAnotherAppends) {
  const auto fs = NewMemFileSystem();
  std::unique_ptr<WritableFile> file;
  ASSERT_EQ(fs->NewWritableFile("/log", &file), Status::OK());
  constexpr uint64_t kPieces = 3000;
  const std::string piece = "0123456789abcdefghijklmnopqrstuvwxyz+";
  std::atomic<bool> wrong{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      std::unique_ptr<RandomAccessFile> reader;
      if (!fs->NewRandomAccessFile("/log", &reader).ok()) wrong = true;
      std::string scratch(1000, '\0');
      for (uint64_t end = 0; end < kPieces * piece.size();) {
        Slice got;
        if (!reader->Read(end, scratch.size(), &got, scratch.data()).ok()) {
          wrong = true;
          return;
        }
        for (size_t i = 0; i < got.size(); ++i) {
          if (got[i] != piece[(end + i) % piece.size()]) wrong = true;
        }
        end += got.size();
      }
    });
  }
  for (uint64_t i = 0; i < kPieces; ++i) {
    ASSERT_EQ(file->Append(piece), Status::OK());
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace tamis
