// SPDX-License-Identifier: Apache-2.0
//
// What readers have open stays, and goes when they are done or gone; also when
// messages are lost, late or repeated, and owners change.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "util/base/fake_clock.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

constexpr uint32_t kLeaseSeconds = 9;

struct Client {
  std::shared_ptr<Volume> volume;
  std::unique_ptr<RadosFileSystem> fs;
  std::unique_ptr<FileLock> lock;

  std::unique_ptr<RandomAccessFile> Open(const std::string& path) const {
    std::unique_ptr<RandomAccessFile> file;
    fs->NewRandomAccessFile(path, &file).PermitUncheckedError();
    return file;
  }
  std::unique_ptr<RandomAccessFile> OpenTable(const std::string& path) const {
    std::unique_ptr<RandomAccessFile> file;
    fs->OpenRandomAccessFile(path, {.role = FileRole::kTable}, &file)
        .PermitUncheckedError();
    return file;
  }
};

std::string ContentsOf(const std::string& path) {
  std::string contents;
  while (contents.size() < 5000) contents += path + " ";
  return contents;
}

Status ReadAll(const RandomAccessFile& file, std::string* contents) {
  contents->resize(10'000);
  Slice result;
  const Status status =
      file.Read(0, contents->size(), &result, contents->data());
  contents->resize(result.size());
  return status;
}

class PinsTest : public testing::Test {
 protected:
  Client NewClient() {
    Client client;
    Volume::Options options = SimulatedVolume(clock_);
    options.ownership.lease_seconds = kLeaseSeconds;
    options.ownership.take_over = true;
    options.pins = limits_;
    client.volume = std::make_shared<Volume>(
        std::make_unique<SimulatedClient>(
            &cluster_, "client" + std::to_string(++clients_)),
        options);
    client.fs = std::make_unique<RadosFileSystem>(client.volume, false);
    return client;
  }
  Client NewOwner() {
    Client owner = NewClient();
    EXPECT_EQ(owner.fs->LockFile("/LOCK", &owner.lock), Status::OK());
    return owner;
  }
  static void Create(const Client& owner, const std::string& path) {
    std::unique_ptr<WritableFile> file;
    FileOptions options;
    options.role = FileRole::kTable;
    ASSERT_EQ(owner.fs->OpenWritableFile(path, options, &file), Status::OK());
    ASSERT_EQ(file->Append(ContentsOf(path)), Status::OK());
    ASSERT_EQ(file->Close(), Status::OK());
  }
  void Pass(uint64_t seconds) {
    clock_->SleepForMicroseconds(seconds * 1'000'000);
    cluster_.Advance(seconds);
  }
  static Status Read(const std::unique_ptr<RandomAccessFile>& file) {
    std::string contents;
    return ReadAll(*file, &contents);
  }
  size_t Stripes() const {
    size_t n = 0;
    for (const auto& [name, object] : cluster_.objects()) {
      if (name.pool == Pool::kTables) ++n;
    }
    return n;
  }
  size_t Pins() const {
    size_t n = 0;
    for (const auto& [key, entry] :
         cluster_.objects().at(NamesObject("v")).entries) {
      if (key.starts_with(kPinPrefix)) ++n;
    }
    return n;
  }

  PinLimits limits_;
  SimulatedCluster cluster_{3};
  int clients_ = 0;
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
};

TEST_F(PinsTest, AnOpenFileStaysWithoutItsName) {
  const Client owner = NewOwner();
  Create(owner, "/a");
  Create(owner, "/b");
  const Client reader = NewClient();
  auto a = reader.Open("/a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(Pins(), 1u);
  ASSERT_EQ(owner.fs->RemoveFile("/a"), Status::OK());
  ASSERT_EQ(owner.fs->RemoveFile("/b"), Status::OK());
  EXPECT_EQ(reader.Open("/a"), nullptr);
  for (int i = 0; i < 10; ++i) {
    owner.volume->Tend();
    EXPECT_EQ(Read(a), Status::OK());
    reader.volume->Tend();
    Pass(kLeaseSeconds - 1);
  }
  // /b lost its name after the pin began, and was not open.
  EXPECT_EQ(Stripes(), 1u);
  a.reset();
  reader.volume->Tend();
  EXPECT_EQ(Pins(), 0u);
  owner.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
}

// A table that was listed is opened without being looked up, and has its bytes.
TEST_F(PinsTest, AListedTableStaysForAPeriodOfThePin) {
  const Client owner = NewOwner();
  Create(owner, "/a");
  Create(owner, "/b");
  Create(owner, "/c");
  const Client reader = NewClient();
  auto a = reader.Open("/a");
  std::vector<std::string> names;
  ASSERT_EQ(reader.fs->GetChildren("/", &names), Status::OK());
  ASSERT_EQ(owner.fs->RemoveFile("/b"), Status::OK());
  ASSERT_EQ(owner.fs->RemoveFile("/c"), Status::OK());
  owner.volume->Tend();
  uint64_t size = 0;
  EXPECT_EQ(reader.fs->GetFileSize("/b", &size), Status::OK());
  EXPECT_EQ(size, ContentsOf("/b").size());
  const auto b = reader.OpenTable("/b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(reader.Open("/b"), nullptr);  // no table, for all that is known
  // The pin moves on: what is open stays.
  reader.volume->Tend();
  owner.volume->Tend();
  EXPECT_EQ(Read(b), Status::OK());
  EXPECT_EQ(Stripes(), 2u);
  EXPECT_EQ(reader.OpenTable("/c"), nullptr);
  EXPECT_TRUE(reader.fs->GetFileSize("/c", &size).IsPathNotFound());
}

// As with a database that was destroyed, and made again.
TEST_F(PinsTest, ANameThatLeadsElsewhereEndsWhatIsKnown) {
  const Client owner = NewOwner();
  Create(owner, "/CURRENT");
  Create(owner, "/a");
  const Client reader = NewClient();
  const auto current = reader.Open("/CURRENT");
  std::vector<std::string> names;
  ASSERT_EQ(reader.fs->GetChildren("/", &names), Status::OK());
  ASSERT_EQ(owner.fs->RemoveFile("/a"), Status::OK());
  ASSERT_EQ(owner.fs->RemoveFile("/CURRENT"), Status::OK());
  Create(owner, "/CURRENT");
  EXPECT_NE(reader.OpenTable("/a"), nullptr);
  const auto again = reader.Open("/CURRENT");
  EXPECT_EQ(Read(again), Status::OK());
  EXPECT_EQ(reader.OpenTable("/a"), nullptr);
}

TEST_F(PinsTest, AnOpenFileHoldsNoOther) {
  const Client owner = NewOwner();
  Create(owner, "/old");
  const Client reader = NewClient();
  const auto old = reader.Open("/old");
  for (int i = 0; i < 20; ++i) {
    const std::string path = "/" + std::to_string(i);
    Create(owner, path);
    ASSERT_EQ(owner.fs->RemoveFile(i == 10 ? "/old" : "/LOCK"), Status::OK());
    ASSERT_EQ(owner.fs->RenameFile(path, "/LOCK"), Status::OK());
    reader.volume->Tend();
    owner.volume->Tend();
    EXPECT_EQ(Read(old), Status::OK());
    EXPECT_LE(Stripes(), 4u);
  }
}

// The name was found, and lost, before the reader knows that it has the file.
TEST_F(PinsTest, APinStaysWhereItIsWhileANameIsLookedUp) {
  const Client owner = NewOwner();
  Create(owner, "/a");
  const Client reader = NewClient();
  std::unique_ptr<ReaderPin::Hold> hold;
  FileEntry entry;
  ASSERT_EQ(reader.volume->BeginRead(&hold), Status::OK());
  ASSERT_EQ(reader.volume->names()->Find("/a", &entry), Status::OK());
  ASSERT_EQ(owner.fs->RemoveFile("/a"), Status::OK());
  reader.volume->Tend();
  hold->Found(entry.id);
  owner.volume->Tend();
  EXPECT_EQ(Stripes(), 1u);
  reader.volume->Tend();
  owner.volume->Tend();
  EXPECT_EQ(Stripes(), 1u);
  hold.reset();
  reader.volume->Tend();
  owner.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
}

TEST_F(PinsTest, AReaderThatIsGoneHoldsNothing) {
  const Client owner = NewOwner();
  Create(owner, "/a");
  const Client reader = NewClient();
  const auto a = reader.Open("/a");
  ASSERT_EQ(owner.fs->RemoveFile("/a"), Status::OK());
  owner.volume->Tend();
  Pass(kLeaseSeconds - 1);
  owner.volume->Tend();
  EXPECT_EQ(Read(a), Status::OK());
  Pass(2);
  owner.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
  EXPECT_EQ(Pins(), 0u);
  const Status lost = Read(a);
  EXPECT_TRUE(lost.IsIOError()) << lost.ToString();
  // It is heard of again, and what it opens from then on stays.
  Create(owner, "/b");
  const auto b = reader.Open("/b");
  EXPECT_EQ(Pins(), 1u);
  ASSERT_EQ(owner.fs->RemoveFile("/b"), Status::OK());
  owner.volume->Tend();
  EXPECT_EQ(Read(b), Status::OK());
}

TEST_F(PinsTest, TheNextOwnerKeepsWhatIsPinned) {
  Client owner = NewOwner();
  Create(owner, "/a");
  const Client reader = NewClient();
  const auto a = reader.Open("/a");
  ASSERT_EQ(owner.fs->RemoveFile("/a"), Status::OK());
  owner.lock.reset();
  const Client next = NewOwner();
  next.volume->Tend();
  EXPECT_EQ(Read(a), Status::OK());
  Pass(kLeaseSeconds - 1);
  next.volume->Tend();
  EXPECT_EQ(Read(a), Status::OK());
  Pass(2);
  next.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
}

TEST_F(PinsTest, NothingIsKeptForTooLong) {
  limits_.seconds = 100;
  const Client owner = NewOwner();
  Create(owner, "/a");
  const Client reader = NewClient();
  const auto a = reader.Open("/a");
  ASSERT_EQ(owner.fs->RemoveFile("/a"), Status::OK());
  for (int seconds = 0; seconds < 99; seconds += 3) {
    reader.volume->Tend();
    owner.volume->Tend();
    EXPECT_EQ(Read(a), Status::OK());
    Pass(3);
  }
  Pass(1);
  owner.volume->Tend();
  EXPECT_EQ(Stripes(), 0u);
}

TEST_F(PinsTest, NotTooManyBytesAreKept) {
  limits_.bytes = 2 * ContentsOf("/a").size();
  const Client owner = NewOwner();
  for (const char* path : {"/a", "/b", "/c"}) Create(owner, path);
  const Client reader = NewClient();
  const auto a = reader.Open("/a");
  const auto b = reader.Open("/b");
  const auto c = reader.Open("/c");
  for (const char* path : {"/b", "/a", "/c"}) {
    ASSERT_EQ(owner.fs->RemoveFile(path), Status::OK());
  }
  owner.volume->Tend();
  EXPECT_EQ(Read(a), Status::OK());
  EXPECT_FALSE(Read(b).ok());
  EXPECT_EQ(Read(c), Status::OK());
}

// Pins of what a client has open stay when it becomes the owner, and leaves.
TEST_F(PinsTest, AReaderBecomesTheOwner) {
  Client owner = NewOwner();
  Create(owner, "/a");
  Client reader = NewClient();
  auto a = reader.Open("/a");
  ASSERT_EQ(reader.fs->LockFile("/LOCK", &reader.lock), Status::OK());
  ASSERT_EQ(reader.fs->RemoveFile("/a"), Status::OK());
  reader.volume->Tend();
  EXPECT_EQ(Read(a), Status::OK());
  reader.lock.reset();
  EXPECT_EQ(Pins(), 1u);
  a.reset();
  reader.volume->Tend();
  EXPECT_EQ(Pins(), 0u);
}

// An owner that changes, readers that open, read and close, and messages that
// go wrong. What a reader that was heard of in time has open, it can read.
TEST_F(PinsTest, NothingThatIsOpenIsLost) {
  uint64_t reads = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    cluster_.objects().clear();
    cluster_.SetUnreliability({30, 30, 30});
    Client owner = NewOwner();
    std::vector<std::string> named;
    int created = 0;
    struct Open {
      std::unique_ptr<RandomAccessFile> file;
      std::string path;
    };
    struct Reader {
      Client client;
      std::vector<Open> open;
    };
    std::vector<Reader> readers(3);
    for (Reader& reader : readers) reader.client = NewClient();
    for (int step = 0; step < 400; ++step) {
      Reader& reader = readers[random.Uniform(3)];
      switch (random.Uniform(8)) {
        case 0:
          named.push_back("/" + std::to_string(++created));
          Create(owner, named.back());
          break;
        case 1:
          if (named.empty()) break;
          std::swap(named[random.Uniform(static_cast<uint32_t>(named.size()))],
                    named.back());
          ASSERT_EQ(owner.fs->RemoveFile(named.back()), Status::OK());
          named.pop_back();
          break;
        case 2:
          owner.volume->Tend();
          break;
        case 3:
          if (named.empty()) break;
          reader.open.push_back(
              {nullptr,
               named[random.Uniform(static_cast<uint32_t>(named.size()))]});
          ASSERT_EQ(reader.client.fs->NewRandomAccessFile(
                        reader.open.back().path, &reader.open.back().file),
                    Status::OK());
          break;
        case 4:
          if (!reader.open.empty()) reader.open.erase(reader.open.begin());
          break;
        case 5:
          // Of all: no reader is late.
          for (Reader& one : readers) one.client.volume->Tend();
          Pass(kLeaseSeconds / 3);
          break;
        case 6:
          if (random.Uniform(20) == 0) {
            owner.lock.reset();
            owner = NewOwner();
          }
          break;
        default:
          for (const Open& open : reader.open) {
            std::string contents;
            ASSERT_EQ(ReadAll(*open.file, &contents), Status::OK());
            ASSERT_EQ(contents, ContentsOf(open.path));
            ++reads;
          }
      }
    }
    // Nothing stays for no one.
    for (Reader& reader : readers) reader.open.clear();
    cluster_.LetDelayedArrive();
    cluster_.SetUnreliability({});
    for (int i = 0; i < 3; ++i) {
      for (Reader& reader : readers) reader.client.volume->Tend();
      Pass(kLeaseSeconds + 1);
      owner.volume->Tend();
    }
    EXPECT_EQ(Pins(), 0u);
    EXPECT_EQ(Stripes(), named.size());
  }
  EXPECT_GT(reads, 5'000u);
}

}  // namespace
}  // namespace tamis::rados
