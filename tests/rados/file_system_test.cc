// SPDX-License-Identifier: Apache-2.0
//
// A RadosFileSystem over a simulated cluster: files and directories as
// elsewhere, whatever happens to messages, and no object is left of what was
// removed.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rados/file_writer.h"
#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/effort.h"
#include "util/base/fake_clock.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

class RadosFileSystemTest : public testing::Test {
 protected:
  struct Process {
    std::shared_ptr<Volume> volume;
    std::unique_ptr<RadosFileSystem> fs;
  };

  Process NewProcess(bool flush_waits = false) {
    auto client = std::make_unique<SimulatedClient>(
        &cluster_, "client" + std::to_string(++processes_));
    Process process;
    process.volume =
        std::make_shared<Volume>(std::move(client), SimulatedVolume(clock_));
    process.fs = std::make_unique<RadosFileSystem>(process.volume, flush_waits);
    return process;
  }
  // In a process that owns the volume.
  void LockVolume() { ASSERT_EQ(fs().LockFile("/LOCK", &lock_), Status::OK()); }
  RadosFileSystem& fs() { return *process_.fs; }
  std::unique_ptr<WritableFile> Create(const std::string& path,
                                       FileRole role = FileRole::kOther) {
    FileOptions options;
    options.role = role;
    std::unique_ptr<WritableFile> file;
    EXPECT_EQ(fs().OpenWritableFile(path, options, &file), Status::OK());
    return file;
  }
  void Write(const std::string& path, const std::string& contents,
             FileRole role = FileRole::kOther) {
    const auto file = Create(path, role);
    ASSERT_EQ(file->Append(contents), Status::OK());
    ASSERT_EQ(file->Close(), Status::OK());
  }
  std::string Read(const std::string& path) {
    return ReadBy(process_.fs.get(), path);
  }
  static std::string ReadBy(FileSystem* fs, const std::string& path) {
    std::string contents;
    const Status status = ReadFileToString(fs, path, &contents);
    return status.ok() ? contents : status.ToString();
  }
  std::vector<std::string> Children(const std::string& directory) {
    std::vector<std::string> names;
    EXPECT_EQ(fs().GetChildren(directory, &names), Status::OK());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Of files, in any pool.
  size_t Stripes() const {
    return static_cast<size_t>(std::count_if(
        cluster_.objects().begin(), cluster_.objects().end(),
        [](const auto& each) { return each.first.pool != Pool::kNames; }));
  }

  SimulatedCluster cluster_{1};
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  int processes_ = 0;
  Process process_ = NewProcess();
  std::unique_ptr<FileLock> lock_;
};

std::string Bytes(size_t n, uint64_t seed) {
  Random random(seed);
  std::string bytes(n, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

TEST_F(RadosFileSystemTest, FilesLieInStripesOfTheirPool) {
  LockVolume();
  const std::string table = Bytes(9 << 20, 1);
  Write("/t", table, FileRole::kTable);
  Write("/l", "log", FileRole::kLog);
  EXPECT_EQ(Read("/t"), table);
  EXPECT_EQ(Read("/l"), "log");
  uint64_t size = 0;
  EXPECT_EQ(fs().GetFileSize("/t", &size), Status::OK());
  EXPECT_EQ(size, table.size());
  size_t of_tables = 0;
  size_t of_logs = 0;
  for (const auto& [name, object] : cluster_.objects()) {
    if (name.pool == Pool::kTables) ++of_tables;
    if (name.pool == Pool::kLogs) ++of_logs;
    EXPECT_LE(object.bytes.size(), kStripeBytes);
  }
  EXPECT_EQ(of_tables, 3u);
  EXPECT_EQ(of_logs, 1u);  // LOCK is empty
}

TEST_F(RadosFileSystemTest, ReadsAnyRange) {
  LockVolume();
  const std::string contents = Bytes((8 << 20) + 17, 2);
  Write("/f", contents);
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_EQ(fs().NewRandomAccessFile("/f", &file), Status::OK());
  std::string scratch(contents.size() + 10, '\0');
  for (const uint64_t offset :
       {uint64_t{0}, kStripeBytes - 3, kStripeBytes, 2 * kStripeBytes + 10,
        contents.size() - 1, contents.size(), contents.size() + 5}) {
    for (const size_t n : {size_t{1}, size_t{7}, size_t{5} << 20}) {
      Slice got;
      ASSERT_EQ(file->Read(offset, n, &got, scratch.data()), Status::OK());
      const std::string expected =
          offset < contents.size() ? contents.substr(offset, n) : std::string();
      ASSERT_EQ(got.ToString(), expected) << offset << ", " << n;
    }
  }
  std::unique_ptr<SequentialFile> sequential;
  ASSERT_EQ(fs().NewSequentialFile("/f", &sequential), Status::OK());
  Slice got;
  ASSERT_EQ(sequential->Read(10, &got, scratch.data()), Status::OK());
  ASSERT_EQ(sequential->Skip(kStripeBytes), Status::OK());
  ASSERT_EQ(sequential->Read(10, &got, scratch.data()), Status::OK());
  EXPECT_EQ(got.ToString(), contents.substr(kStripeBytes + 10, 10));
}

TEST_F(RadosFileSystemTest, DirectoriesAreAsElsewhere) {
  LockVolume();
  EXPECT_TRUE(fs().FileExists("/db").IsPathNotFound());
  EXPECT_TRUE(fs().CreateDirIfMissing("/a/b").ok());
  ASSERT_EQ(fs().CreateDirIfMissing("/db"), Status::OK());
  ASSERT_EQ(fs().CreateDirIfMissing("/db/"), Status::OK());
  Write("/db/x", "1");
  Write("//db//y", "2");
  ASSERT_EQ(fs().CreateDirIfMissing("/db/sub"), Status::OK());
  Write("/db/sub/z", "3");
  EXPECT_EQ(Children("/db"), (std::vector<std::string>{"sub", "x", "y"}));
  EXPECT_TRUE(fs().RemoveDir("/db").IsIOError());
  EXPECT_TRUE(fs().CreateDirIfMissing("/db/x").IsIOError());
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(fs().NewWritableFile("/none/x", &file).IsPathNotFound());
  EXPECT_TRUE(fs().NewWritableFile("/db", &file).IsIOError());
  // With all that is below.
  ASSERT_EQ(fs().RenameFile("/db", "/other"), Status::OK());
  EXPECT_EQ(Read("/other/sub/z"), "3");
  EXPECT_TRUE(fs().FileExists("/db/x").IsPathNotFound());
  EXPECT_TRUE(fs().RenameFile("/other", "/other/sub/o").IsIOError());
  std::vector<std::string> names;
  EXPECT_TRUE(fs().GetChildren("/db", &names).IsPathNotFound());
}

TEST_F(RadosFileSystemTest, NamesAreReplacedAndLinked) {
  LockVolume();
  Write("/a", "one");
  Write("/b", "two");
  ASSERT_EQ(fs().LinkFile("/a", "/c"), Status::OK());
  EXPECT_TRUE(fs().LinkFile("/a", "/b").IsIOError());
  uint64_t links = 0;
  ASSERT_EQ(fs().NumFileLinks("/c", &links), Status::OK());
  EXPECT_EQ(links, 2u);
  ASSERT_EQ(fs().RenameFile("/b", "/a"), Status::OK());
  EXPECT_EQ(Read("/a"), "two");
  EXPECT_EQ(Read("/c"), "one");
  EXPECT_TRUE(fs().FileExists("/b").IsPathNotFound());
  EXPECT_TRUE(fs().RenameFile("/b", "/a").IsPathNotFound());
  EXPECT_TRUE(fs().RemoveFile("/b").IsPathNotFound());
}

TEST_F(RadosFileSystemTest, AFileIsClosedUnderEveryNameThatItHas) {
  LockVolume();
  const auto file = Create("/a");
  ASSERT_EQ(file->Append("abc"), Status::OK());
  ASSERT_EQ(fs().LinkFile("/a", "/b"), Status::OK());
  ASSERT_EQ(fs().RenameFile("/a", "/c"), Status::OK());
  EXPECT_TRUE(fs().SyncFile("/b").IsNotSupported());
  ASSERT_EQ(file->Close(), Status::OK());
  EXPECT_EQ(fs().SyncFile("/b"), Status::OK());
  EXPECT_EQ(Read("/b"), "abc");
  EXPECT_EQ(Read("/c"), "abc");
}

TEST_F(RadosFileSystemTest, OthersReadAndDoNotChange) {
  LockVolume();
  ASSERT_EQ(fs().CreateDirIfMissing("/db"), Status::OK());
  const auto file = Create("/db/f");
  ASSERT_EQ(file->Append("abc"), Status::OK());
  ASSERT_EQ(file->Sync(), Status::OK());
  const Process other = NewProcess();
  EXPECT_EQ(ReadBy(other.fs.get(), "/db/f"), "abc");
  uint64_t size = 0;
  ASSERT_EQ(other.fs->GetFileSize("/db/f", &size), Status::OK());
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(other.fs->CreateDirIfMissing("/db"), Status::OK());
  bool locked = false;
  EXPECT_EQ(other.fs->IsLocked("/LOCK", &locked), Status::OK());
  EXPECT_TRUE(locked);

  EXPECT_TRUE(other.fs->RemoveFile("/db/f").IsIOError());
  EXPECT_TRUE(other.fs->CreateDirIfMissing("/new").IsIOError());
  std::unique_ptr<FileLock> lock;
  const Status refused = other.fs->LockFile("/LOCK", &lock);
  EXPECT_TRUE(refused.IsIOError() && !refused.IsIOFenced()) << refused;
  EXPECT_NE(refused.ToString().find("client1"), std::string::npos) << refused;
  lock_.reset();
  EXPECT_EQ(other.fs->IsLocked("/LOCK", &locked), Status::OK());
  EXPECT_FALSE(locked);
  EXPECT_EQ(other.fs->LockFile("/LOCK", &lock), Status::OK());
}

TEST_F(RadosFileSystemTest, LocksAreOfPaths) {
  LockVolume();
  std::unique_ptr<FileLock> second;
  EXPECT_TRUE(fs().LockFile("/LOCK", &second).IsIOError());
  ASSERT_EQ(fs().LockFile("/other", &second), Status::OK());
  lock_.reset();
  // The volume is still owned.
  Write("/f", "x");
  second.reset();
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(fs().NewWritableFile("/f", &file).IsIOError());
}

TEST_F(RadosFileSystemTest, RemovedFilesStayForAWhile) {
  Volume::Options options = SimulatedVolume(clock_);
  options.trash_seconds = 60;
  process_.volume = std::make_shared<Volume>(
      std::make_unique<SimulatedClient>(&cluster_, "patient"), options);
  process_.fs = std::make_unique<RadosFileSystem>(process_.volume, false);
  LockVolume();
  Write("/f", "abc");
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_EQ(fs().NewRandomAccessFile("/f", &file), Status::OK());
  ASSERT_EQ(fs().RemoveFile("/f"), Status::OK());
  process_.volume->Tend();
  char scratch[3];
  Slice got;
  EXPECT_EQ(file->Read(0, 3, &got, scratch), Status::OK());
  clock_->SleepForMicroseconds(61'000'000);
  process_.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
  // An error, and no end of the file.
  EXPECT_TRUE(file->Read(0, 3, &got, scratch).IsIOError());
}

// Also of a file that was never closed, and of one with a stripe of which the
// first request has not arrived.
TEST_F(RadosFileSystemTest, NothingIsLeftOfRemovedFiles) {
  LockVolume();
  Write("/a", Bytes(9 << 20, 3));
  Write("/b", "");
  {
    const auto open = Create("/c");
    ASSERT_EQ(open->Append(Bytes(5 << 20, 4)), Status::OK());
    ASSERT_EQ(open->Flush(), Status::OK());
  }
  ASSERT_EQ(fs().LinkFile("/a", "/d"), Status::OK());
  for (const char* path : {"/a", "/b", "/c"}) {
    ASSERT_EQ(fs().RemoveFile(path), Status::OK());
  }
  process_.volume->Tend();
  EXPECT_EQ(Stripes(), 3u);  // /d
  ASSERT_EQ(fs().RemoveFile("/d"), Status::OK());
  process_.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
  // Nor of its place in the trash.
  const auto& entries = cluster_.objects().at(NamesObject("v")).entries;
  EXPECT_EQ(entries.size(), 1u) << "LOCK";
}

// The next owner removes what the one before was about to remove.
TEST_F(RadosFileSystemTest, TrashIsInherited) {
  LockVolume();
  Write("/a", "abc");
  ASSERT_EQ(fs().RemoveFile("/a"), Status::OK());
  lock_.reset();
  EXPECT_EQ(Stripes(), 1u);
  process_ = NewProcess();
  LockVolume();
  process_.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
}

TEST_F(RadosFileSystemTest, ADamagedNameIsCorruption) {
  LockVolume();
  Write("/a", "abc");
  lock_.reset();
  cluster_.objects().at(NamesObject("v")).entries["n/a"] = "closed logs";
  const Process other = NewProcess();
  std::unique_ptr<SequentialFile> file;
  const Status status = other.fs->NewSequentialFile("/a", &file);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find("volume v, n/a"), std::string::npos);
  std::unique_ptr<FileLock> lock;
  EXPECT_TRUE(other.fs->LockFile("/LOCK", &lock).IsCorruption());
}

TEST_F(RadosFileSystemTest, FlushPutsNoMoreAtRiskThanItSays) {
  for (const bool flush_waits : {false, true}) {
    cluster_.objects().clear();
    process_ = NewProcess(flush_waits);
    LockVolume();
    const uint64_t at_risk = fs().FlushedBytesAtRisk();
    EXPECT_EQ(at_risk > 0, !flush_waits);
    std::unique_ptr<WritableFile> file;
    ASSERT_EQ(fs().NewWritableFile("/log", &file), Status::OK());
    Random random(1);
    uint64_t flushed = 0;
    for (int i = 0; i < 60; ++i) {
      const std::string record(random.Uniform(600'000), 'x');
      ASSERT_EQ(file->Append(record), Status::OK());
      ASSERT_EQ(file->Flush(), Status::OK());
      flushed += record.size();
      uint64_t size = 0;
      ASSERT_EQ(fs().GetFileSize("/log", &size), Status::OK());
      ASSERT_LE(flushed - size, at_risk);
    }
    EXPECT_GT(flushed, FileWriter::kAtRiskMax);
    file.reset();
    lock_.reset();
  }
}

// A model of files as strings, while messages get lost, late and repeated.
TEST_F(RadosFileSystemTest, UnreliableMessagesChangeNothing) {
  for (uint64_t seed = 1; seed <= SeedCount(40); ++seed) {
    SCOPED_TRACE(seed);
    cluster_.objects().clear();
    process_ = NewProcess(/*flush_waits=*/seed % 2 == 0);
    LockVolume();
    cluster_.SetUnreliability({4, 4, 4});
    Random random(seed);
    std::map<std::string, std::string> model;
    for (int i = 0; i < 60; ++i) {
      const std::string path = "/f" + std::to_string(random.Uniform(6));
      const std::string other = "/f" + std::to_string(random.Uniform(6));
      if (random.OneIn(4) && model.contains(path)) {
        ASSERT_EQ(fs().RemoveFile(path), Status::OK());
        model.erase(path);
      } else if (random.OneIn(4) && model.contains(path) && path != other) {
        ASSERT_EQ(fs().RenameFile(path, other), Status::OK());
        model[other] = model[path];
        model.erase(path);
      } else {
        const auto file = Create(path);
        std::string contents;
        const uint64_t appends = random.Uniform(12);
        for (uint64_t n = 0; n < appends; ++n) {
          const std::string more =
              Bytes(random.Uniform(random.OneIn(6) ? 2 << 20 : 300),
                    static_cast<uint64_t>(i) + n);
          ASSERT_EQ(file->Append(more), Status::OK());
          if (random.OneIn(2)) {
            ASSERT_EQ(file->Flush(), Status::OK());
          }
          contents += more;
        }
        ASSERT_EQ(file->Close(), Status::OK());
        model[path] = contents;
      }
      if (random.OneIn(4)) process_.volume->Tend();
    }
    cluster_.LetDelayedArrive();
    cluster_.SetUnreliability({});
    lock_.reset();
    process_ = NewProcess();
    LockVolume();
    for (const auto& [path, contents] : model) {
      ASSERT_EQ(Read(path) == contents, true) << path;
    }
    EXPECT_EQ(Children("/").size(), model.size() + 1);
    lock_.reset();
  }
}

}  // namespace
}  // namespace tamis::rados
