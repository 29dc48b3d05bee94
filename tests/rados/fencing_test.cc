// SPDX-License-Identifier: Apache-2.0
//
// What a former owner of a volume can still do, and how it finds out; and what
// does not end an owner. Without the cluster's blocklist, unless a test is of
// that.
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {
namespace {

constexpr uint64_t kLeaseSeconds = 10;

struct Owner {
  SimulatedClient* client = nullptr;
  std::shared_ptr<Volume> volume;
  std::unique_ptr<RadosFileSystem> fs;
  std::unique_ptr<FileLock> lock;

  Status Lock() { return fs->LockFile("/LOCK", &lock); }
};

class FencingTest : public testing::Test {
 protected:
  Owner New(bool take_over = false, bool blocklist = false) {
    Owner owner;
    auto client = std::make_unique<SimulatedClient>(
        &cluster_, "client" + std::to_string(++clients_));
    owner.client = client.get();
    Volume::Options options = SimulatedVolume(std::make_shared<FakeClock>());
    options.ownership.lease_seconds = kLeaseSeconds;
    options.ownership.take_over = take_over;
    options.ownership.blocklist = blocklist;
    owner.volume = std::make_shared<Volume>(std::move(client), options);
    owner.fs = std::make_unique<RadosFileSystem>(owner.volume, false);
    return owner;
  }
  static std::unique_ptr<WritableFile> Create(const Owner& owner,
                                              const std::string& path) {
    std::unique_ptr<WritableFile> file;
    EXPECT_EQ(owner.fs->NewWritableFile(path, &file), Status::OK());
    return file;
  }
  static std::string Read(const Owner& owner, const std::string& path) {
    std::string contents;
    const Status status = ReadFileToString(owner.fs.get(), path, &contents);
    return status.ok() ? contents : status.ToString();
  }

  SimulatedCluster cluster_{7};
  int clients_ = 0;
};

TEST_F(FencingTest, AFormerOwnerChangesNothing) {
  Owner first = New();
  ASSERT_EQ(first.Lock(), Status::OK());
  const auto log = Create(first, "/log");
  ASSERT_EQ(log->Append("synced"), Status::OK());
  ASSERT_EQ(log->Sync(), Status::OK());
  const auto late = Create(first, "/late");

  Owner second = New();
  EXPECT_TRUE(second.Lock().IsIOError());
  cluster_.Advance(kLeaseSeconds + 1);
  ASSERT_EQ(second.Lock(), Status::OK());
  EXPECT_GT(second.lock->epoch(), first.lock->epoch());

  // It does not know yet.
  ASSERT_EQ(log->Append(", and more"), Status::OK());
  EXPECT_TRUE(log->Sync().IsIOFenced());
  EXPECT_TRUE(log->Append("x").IsIOFenced());
  EXPECT_TRUE(log->Close().IsIOFenced());
  ASSERT_EQ(late->Append("first bytes"), Status::OK());
  EXPECT_TRUE(late->Sync().IsIOFenced());
  EXPECT_TRUE(first.fs->RemoveFile("/log").IsIOFenced());
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(first.fs->NewWritableFile("/new", &file).IsIOFenced());
  uint64_t size = 0;
  EXPECT_TRUE(first.fs->GetFileSize("/log", &size).IsIOFenced());

  EXPECT_EQ(Read(second, "/log"), "synced");
  EXPECT_EQ(Read(second, "/late"), "");
}

// The names are refused first, when no file was written to.
TEST_F(FencingTest, AFormerOwnerChangesNoName) {
  Owner first = New();
  ASSERT_EQ(first.Lock(), Status::OK());
  Create(first, "/a")->Close().PermitUncheckedError();
  Owner second = New(/*take_over=*/true);
  ASSERT_EQ(second.Lock(), Status::OK());
  EXPECT_TRUE(first.fs->RenameFile("/a", "/b").IsIOFenced());
  EXPECT_EQ(second.fs->FileExists("/a"), Status::OK());
}

// What is under way when another client takes over arrives late.
TEST_F(FencingTest, WhatIsUnderWayIsRefused) {
  for (int stripes = 0; stripes < 3; ++stripes) {
    SCOPED_TRACE(stripes);
    Owner first = New(/*take_over=*/true);
    ASSERT_EQ(first.Lock(), Status::OK());
    const std::string path = "/log" + std::to_string(stripes);
    auto log = Create(first, path);
    const std::string synced(static_cast<size_t>(stripes) * kStripeBytes + 100,
                             's');
    ASSERT_EQ(log->Append(synced), Status::OK());
    ASSERT_EQ(log->Sync(), Status::OK());
    ASSERT_EQ(log->Append(std::string(kStripeBytes + 100, 'u')), Status::OK());
    ASSERT_EQ(log->Flush(), Status::OK());
    first.client->CutOff();

    Owner second = New(/*take_over=*/true);
    ASSERT_EQ(second.Lock(), Status::OK());
    const std::string found = Read(second, path);
    ASSERT_GE(found.size(), synced.size());
    EXPECT_EQ(found.substr(0, synced.size()), synced);
    cluster_.LetDelayedArrive();
    EXPECT_EQ(Read(second, path) == found, true);
    uint64_t size = 0;
    EXPECT_EQ(second.fs->GetFileSize(path, &size), Status::OK());
    EXPECT_EQ(size, found.size());
    log.reset();
  }
  EXPECT_GT(cluster_.late_refused(), 0u);
}

TEST_F(FencingTest, TheLossIsToldOnce) {
  Owner first = New();
  ASSERT_EQ(first.Lock(), Status::OK());
  int told = 0;
  Status why;
  first.lock->WhenLost([&](const Status& status) {
    ++told;
    why = status;
  });
  first.volume->Tend();
  EXPECT_EQ(told, 0);
  Owner second = New(/*take_over=*/true);
  ASSERT_EQ(second.Lock(), Status::OK());
  first.volume->Tend();
  first.volume->Tend();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(why.IsIOFenced());
  EXPECT_NE(why.ToString().find("epoch 2 took the volume over from epoch 1"),
            std::string::npos)
      << why;
  // At once, to those who ask later.
  first.lock->WhenLost(nullptr);
  first.lock->WhenLost([&](const Status& /*status*/) { ++told; });
  EXPECT_EQ(told, 2);
}

// Nobody has the lease any more, and nobody else wanted it.
TEST_F(FencingTest, ALeaseThatRanOutIsTakenAgain) {
  Owner owner = New();
  ASSERT_EQ(owner.Lock(), Status::OK());
  cluster_.Advance(10 * kLeaseSeconds);
  owner.volume->Tend();
  EXPECT_EQ(Create(owner, "/a")->Close(), Status::OK());
  EXPECT_TRUE(New().Lock().IsIOError()) << "the lease was not renewed";
}

TEST_F(FencingTest, ALeaseIsRenewed) {
  Owner owner = New();
  ASSERT_EQ(owner.Lock(), Status::OK());
  for (int i = 0; i < 10; ++i) {
    cluster_.Advance(kLeaseSeconds / 2);
    owner.volume->Tend();
    EXPECT_TRUE(New().Lock().IsIOError());
  }
}

// Another owner came and went while this one was away.
TEST_F(FencingTest, AFreeLeaseIsNoOwnership) {
  Owner first = New();
  ASSERT_EQ(first.Lock(), Status::OK());
  cluster_.Advance(2 * kLeaseSeconds);
  {
    Owner second = New();
    ASSERT_EQ(second.Lock(), Status::OK());
  }
  first.volume->Tend();
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(first.fs->NewWritableFile("/a", &file).IsIOFenced());
  // Nor does it keep the lease from the next one.
  EXPECT_EQ(New().Lock(), Status::OK());
}

TEST_F(FencingTest, AnOwnerMayComeBack) {
  Owner first = New(/*take_over=*/true);
  ASSERT_EQ(first.Lock(), Status::OK());
  Owner second = New(/*take_over=*/true);
  ASSERT_EQ(second.Lock(), Status::OK());
  first.volume->Tend();
  first.lock.reset();
  ASSERT_EQ(first.Lock(), Status::OK());
  EXPECT_EQ(Create(first, "/a")->Close(), Status::OK());
  EXPECT_EQ(first.lock->epoch(), 3u);
}

TEST_F(FencingTest, TheBlocklistIsNoticedAtOnce) {
  Owner first = New();
  ASSERT_EQ(first.Lock(), Status::OK());
  Owner second = New(/*take_over=*/true, /*blocklist=*/true);
  ASSERT_EQ(second.Lock(), Status::OK());
  EXPECT_TRUE(cluster_.IsBlocklisted("client1"));
  EXPECT_TRUE(first.fs->RemoveFile("/LOCK").IsIOFenced());
}

// An owner that left is not put on it.
TEST_F(FencingTest, TheBlocklistIsForOwnersThatAreInTheWay) {
  Owner first = New();
  ASSERT_EQ(first.Lock(), Status::OK());
  first.lock.reset();
  Owner second = New(/*take_over=*/false, /*blocklist=*/true);
  ASSERT_EQ(second.Lock(), Status::OK());
  EXPECT_FALSE(cluster_.IsBlocklisted("client1"));
}

// A forked child ends its copies of files, locks and volumes, and the cluster
// hears nothing of that.
TEST_F(FencingTest, AForkedChildLeavesTheOwnerAlone) {
  int calls = 0;  // outlives the client, which counts
  Owner owner = New();
  ASSERT_EQ(owner.Lock(), Status::OK());
  auto file = Create(owner, "/a");
  ASSERT_EQ(file->Append("abc"), Status::OK());
  ASSERT_EQ(file->Flush(), Status::OK());  // is under way
  owner.client->SetHook([&](const std::string&, const ObjectName&) {
    ++calls;
    return StoreResult();
  });
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    file.reset();
    owner.lock.reset();
    owner.fs.reset();
    owner.volume.reset();
    ::_exit(calls);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file->Close(), Status::OK());
}

}  // namespace
}  // namespace tamis::rados
