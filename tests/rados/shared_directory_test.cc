// SPDX-License-Identifier: Apache-2.0
//
// Workers of remote compactions are guests in a directory of the volume: what
// they may do, and that nothing of them is left.
#include "rados/shared_directory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/job_runner.h"

#include "rados/rados_file_system.h"
#include "rados/volume_admin.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/worker_service.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {
namespace {

class SharedDirectoryTest : public testing::Test {
 protected:
  // Of a process of its own.
  std::shared_ptr<RadosFileSystem> NewClient() {
    Volume::Options options = SimulatedVolume(clock_);
    options.ownership.take_over = true;
    options.ownership.blocklist = false;
    volumes_.push_back(std::make_shared<Volume>(
        std::make_unique<SimulatedClient>(
            &cluster_, "client" + std::to_string(volumes_.size() + 1)),
        options));
    return std::make_shared<RadosFileSystem>(volumes_.back(), false);
  }
  std::shared_ptr<RadosFileSystem> NewOwner() {
    auto owner = NewClient();
    locks_.emplace_back();
    EXPECT_EQ(owner->LockFile("/LOCK", &locks_.back()), Status::OK());
    return owner;
  }
  static Status Create(FileSystem* fs, const std::string& path,
                       std::unique_ptr<WritableFile>* file) {
    FileOptions options;
    options.role = FileRole::kTable;
    return fs->OpenWritableFile(path, options, file);
  }
  static void Write(FileSystem* fs, const std::string& path,
                    const std::string& contents) {
    std::unique_ptr<WritableFile> file;
    ASSERT_EQ(Create(fs, path, &file), Status::OK());
    ASSERT_EQ(file->Append(contents), Status::OK());
    ASSERT_EQ(file->Sync(), Status::OK());
    ASSERT_EQ(file->Close(), Status::OK());
  }
  static std::string Read(FileSystem* fs, const std::string& path) {
    std::string contents;
    const Status status = ReadFileToString(fs, path, &contents);
    return status.ok() ? contents : status.ToString();
  }
  static std::vector<std::string> Children(FileSystem* fs,
                                           const std::string& path) {
    std::vector<std::string> names;
    EXPECT_EQ(fs->GetChildren(path, &names), Status::OK()) << path;
    return names;
  }
  void TendAll() {
    for (const auto& volume : volumes_) volume->Tend();
  }
  // The objects besides the volume's own and those of files with a name.
  size_t ObjectsOfNobody() {
    SimulatedClient looker(&cluster_, "looker");
    VolumeFacts facts;
    EXPECT_EQ(ReadVolume(&looker, "v", &facts), Status::OK());
    size_t n = 0;
    for (const auto& [name, object] : cluster_.objects()) {
      bool known = name.name == "v";
      for (const auto& [path, entry] : facts.names) {
        known |= !entry.id.empty() && name.name.starts_with("v/" + entry.id);
      }
      if (!known) ++n;
    }
    return n;
  }

  SimulatedCluster cluster_{1};
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::vector<std::shared_ptr<Volume>> volumes_;
  std::vector<std::unique_ptr<FileLock>> locks_;
};

TEST_F(SharedDirectoryTest, OwnerLinksWhatAGuestHasMade) {
  const auto owner = NewOwner();
  const auto guest = NewClient();
  ASSERT_EQ(owner->CreateDirIfMissing("/db"), Status::OK());
  ASSERT_EQ(owner->CreateSharedDirectory("/db/job"), Status::OK());
  std::unique_ptr<WritableFile> open;
  ASSERT_EQ(Create(guest.get(), "/db/job/1", &open), Status::OK());
  ASSERT_EQ(open->Append("one"), Status::OK());
  EXPECT_TRUE(owner->LinkFile("/db/job/1", "/db/7").IsIOError());
  ASSERT_EQ(open->Close(), Status::OK());
  Write(guest.get(), "/db/job/2", "two");
  for (const auto& fs : {owner, guest}) {
    EXPECT_EQ(Children(fs.get(), "/db/job"),
              (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(Read(fs.get(), "/db/job/1"), "one");
    EXPECT_EQ(fs->FileExists("/db/job/2"), Status::OK());
    EXPECT_TRUE(fs->FileExists("/db/job/3").IsPathNotFound());
    uint64_t size = 0;
    EXPECT_EQ(fs->GetFileSize("/db/job/2", &size), Status::OK());
    EXPECT_EQ(size, 3u);
  }
  ASSERT_EQ(owner->LinkFile("/db/job/1", "/db/7"), Status::OK());
  EXPECT_EQ(owner->SyncFile("/db/7"), Status::OK());
  EXPECT_TRUE(owner->RemoveDir("/db/job").IsIOError());
  ASSERT_EQ(owner->RemoveFile("/db/job/1"), Status::OK());
  ASSERT_EQ(owner->RemoveFile("/db/job/2"), Status::OK());
  ASSERT_EQ(owner->RemoveDir("/db/job"), Status::OK());
  TendAll();
  TendAll();  // without the pins of files that were read
  for (const auto& fs : {owner, guest}) {
    EXPECT_EQ(Read(fs.get(), "/db/7"), "one");
    EXPECT_EQ(Children(fs.get(), "/db"), (std::vector<std::string>{"7"}));
  }
  EXPECT_EQ(ObjectsOfNobody(), 0u);
}

TEST_F(SharedDirectoryTest, GuestsMakeNothingElsewhere) {
  const auto owner = NewOwner();
  const auto guest = NewClient();
  ASSERT_EQ(owner->CreateDirIfMissing("/db"), Status::OK());
  ASSERT_EQ(owner->CreateSharedDirectory("/db/job"), Status::OK());
  Write(guest.get(), "/db/job/1", "one");
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(Create(guest.get(), "/db/1", &file).IsIOError());
  EXPECT_TRUE(Create(guest.get(), "/1", &file).IsIOError());
  EXPECT_TRUE(guest->RemoveFile("/db/job/1").IsIOError());
  EXPECT_TRUE(guest->RenameFile("/db/job/1", "/db/job/2").IsIOError());
  EXPECT_TRUE(guest->LinkFile("/db/job/1", "/db/2").IsIOError());
  EXPECT_TRUE(guest->CreateSharedDirectory("/db/other").IsIOError());
  EXPECT_TRUE(guest->RemoveDir("/db/job").IsIOError());
  EXPECT_TRUE(owner->CreateSharedDirectory("/db/job").IsIOError());
  EXPECT_EQ(Read(owner.get(), "/db/job/1"), "one");
}

// What a guest of a former owner still sends is refused, and what it made goes.
TEST_F(SharedDirectoryTest, NextOwnerEndsIt) {
  const auto first = NewOwner();
  const auto guest = NewClient();
  ASSERT_EQ(first->CreateDirIfMissing("/db"), Status::OK());
  ASSERT_EQ(first->CreateSharedDirectory("/db/job"), Status::OK());
  Write(guest.get(), "/db/job/1", "one");
  std::unique_ptr<WritableFile> open;
  ASSERT_EQ(Create(guest.get(), "/db/job/2", &open), Status::OK());
  ASSERT_EQ(open->Append("two"), Status::OK());
  ASSERT_EQ(open->Sync(), Status::OK());

  const auto second = NewOwner();
  EXPECT_EQ(Children(second.get(), "/db"), std::vector<std::string>());
  EXPECT_TRUE(open->Close().IsIOFenced());
  std::unique_ptr<WritableFile> file;
  // Its directory has no name any more.
  EXPECT_FALSE(Create(guest.get(), "/db/job/3", &file).ok());
  volumes_.back()->Tend();
  EXPECT_EQ(ObjectsOfNobody(), 0u);
  // Nor does the former owner get any of it.
  EXPECT_FALSE(first->LinkFile("/db/job/1", "/db/7").ok());
}

// A guest that has looked the directory up before it was removed.
TEST_F(SharedDirectoryTest, RemovedDirectoryTakesNoFiles) {
  const auto owner = NewOwner();
  ASSERT_EQ(owner->CreateSharedDirectory("/job"), Status::OK());
  const auto guest = NewClient();
  std::unique_ptr<WritableFile> open;
  ASSERT_EQ(Create(guest.get(), "/job/1", &open), Status::OK());
  ASSERT_EQ(owner->RemoveFile("/job/1"), Status::OK());
  ASSERT_EQ(owner->RemoveDir("/job"), Status::OK());
  ASSERT_EQ(open->Append("one"), Status::OK());
  EXPECT_TRUE(open->Close().IsIOFenced());
  open.reset();
  // The bytes came behind the removal: an operator finds them.
  TendAll();
  SimulatedClient looker(&cluster_, "looker");
  std::vector<ObjectName> orphans;
  ASSERT_EQ(FindOrphans(&looker, "v", &orphans), Status::OK());
  ASSERT_EQ(RemoveObjects(&looker, orphans), Status::OK());
  EXPECT_EQ(ObjectsOfNobody(), 0u);
}

TEST_F(SharedDirectoryTest, OrphansAreNotThoseOfGuests) {
  const auto owner = NewOwner();
  ASSERT_EQ(owner->CreateSharedDirectory("/job"), Status::OK());
  const auto guest = NewClient();
  std::unique_ptr<WritableFile> open;
  ASSERT_EQ(Create(guest.get(), "/job/1", &open), Status::OK());
  ASSERT_EQ(open->Append("one"), Status::OK());
  ASSERT_EQ(open->Sync(), Status::OK());
  Write(guest.get(), "/job/2", "two");
  SimulatedClient looker(&cluster_, "looker");
  std::vector<ObjectName> orphans;
  ASSERT_EQ(FindOrphans(&looker, "v", &orphans), Status::OK());
  EXPECT_EQ(orphans.size(), 0u);
  ASSERT_EQ(open->Close(), Status::OK());
  EXPECT_EQ(Read(owner.get(), "/job/1"), "one");
}

// A database, whose tables a worker on another machine compacts.
TEST_F(SharedDirectoryTest, WorkerOfAnotherClientCompacts) {
  const auto service = std::make_shared<WorkerService>();
  Options options;
  options.create_if_missing = true;
  options.clock = clock_;
  options.job_runner = NewDeterministicJobRunner(1);
  options.file_system = NewClient();
  options.compaction_service = service;
  options.disable_auto_compactions = true;
  service->overrides = WorkerObjectsOf(options);
  service->overrides.file_system = NewClient();
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, "/db", &db), Status::OK());
  const auto fill = [&](int round) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(db->Put({}, "k" + std::to_string(1000 + i * round),
                        std::to_string(round)),
                Status::OK());
    }
    ASSERT_EQ(db->Flush({}), Status::OK());
  };
  for (int round = 1; round <= 6; ++round) {
    fill(round);
    if (round % 2 != 0) continue;
    ASSERT_EQ(db->CompactRange({}, nullptr, nullptr), Status::OK());
    EXPECT_EQ(service->told(CompactionServiceJobStatus::kSuccess), round / 2);
    TendAll();
    TendAll();  // without the pins of files that were read
    EXPECT_EQ(ObjectsOfNobody(), 0u);
  }
  // A former owner's worker ends with its owner.
  fill(7);
  fill(8);
  std::unique_ptr<DB> second;
  service->before = [&](auto*) {
    Options next = options;
    next.compaction_service = nullptr;
    next.file_system = NewClient();
    ASSERT_EQ(DB::Open(next, "/db", &second), Status::OK());
  };
  Status of_worker;
  service->after = [&](const Status& status, auto*) {
    of_worker = status;
    return status.ok() ? CompactionServiceJobStatus::kSuccess
                       : CompactionServiceJobStatus::kFailure;
  };
  EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).IsIOFenced());
  EXPECT_FALSE(of_worker.ok());
  EXPECT_EQ(service->told(CompactionServiceJobStatus::kSuccess), 3);
  std::string value;
  ASSERT_EQ(second->Get({}, "k1008", &value), Status::OK());
  EXPECT_EQ(value, "8");
  EXPECT_EQ(second->VerifyChecksum(), Status::OK());
  db.reset();
  TendAll();
  EXPECT_EQ(ObjectsOfNobody(), 0u);
}

}  // namespace
}  // namespace tamis::rados
