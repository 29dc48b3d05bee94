// SPDX-License-Identifier: Apache-2.0
//
// A volume under threads: answers come from threads of their own, in any order,
// while files are written, read and closed, and the owner is replaced.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/clock.h"
#include "tamis/db.h"

#include "rados/rados_file_system.h"
#include "rados/volume.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/effort.h"
#include "tests/support/kept_lines.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

// A client of a simulated cluster for any threads. One of its own finishes what
// does not wait.
class ThreadedClient final : public ObjectStore {
 public:
  // `mutex` is that of the cluster.
  ThreadedClient(SimulatedCluster* cluster, std::mutex* mutex,
                 std::string address)
      : client_(cluster, std::move(address)), mutex_(*mutex) {
    thread_ = std::thread([this] { Run(); });
  }
  ~ThreadedClient() override {
    stop_ = true;
    thread_.join();
  }
  ThreadedClient(const ThreadedClient&) = delete;
  ThreadedClient& operator=(const ThreadedClient&) = delete;

  StoreResult Apply(const ObjectName& object,
                    const ObjectWrite& write) override {
    return Call([&] { return client_.Apply(object, write); });
  }
  void ApplyAsync(const ObjectName& object, const ObjectWrite& write,
                  std::function<void(StoreResult)> done) override {
    const std::lock_guard lock(mutex_);
    client_.ApplyAsync(object, write, Later(std::move(done)));
  }
  StoreResult Read(const ObjectName& object, uint64_t offset, size_t n,
                   char* to, size_t* got) override {
    return Call([&] { return client_.Read(object, offset, n, to, got); });
  }
  void ReadAsync(const ObjectName& object, uint64_t offset, size_t n, char* to,
                 std::function<void(StoreResult, size_t)> done) override {
    const std::lock_guard lock(mutex_);
    client_.ReadAsync(
        object, offset, n, to,
        [this, done = std::move(done)](const StoreResult& result, size_t got) {
          ended_.emplace_back([done, result, got] { done(result, got); });
        });
  }
  StoreResult GetSize(const ObjectName& object, uint64_t* size) override {
    return Call([&] { return client_.GetSize(object, size); });
  }
  StoreResult GetAttribute(const ObjectName& object,
                           const std::string& attribute,
                           std::string* value) override {
    return Call([&] { return client_.GetAttribute(object, attribute, value); });
  }
  StoreResult GetEntry(const ObjectName& object, const std::string& key,
                       std::string* value) override {
    return Call([&] { return client_.GetEntry(object, key, value); });
  }
  StoreResult GetEntries(const ObjectName& object, const std::string& prefix,
                         std::map<std::string, std::string>* entries) override {
    return Call([&] { return client_.GetEntries(object, prefix, entries); });
  }
  StoreResult ListObjects(Pool pool, const std::string& prefix,
                          std::vector<std::string>* names) override {
    return Call([&] { return client_.ListObjects(pool, prefix, names); });
  }
  StoreResult TakeLease(const ObjectName& object, const std::string& cookie,
                        uint32_t seconds) override {
    return Call([&] { return client_.TakeLease(object, cookie, seconds); });
  }
  StoreResult ReleaseLease(const ObjectName& object,
                           const std::string& cookie) override {
    return Call([&] { return client_.ReleaseLease(object, cookie); });
  }
  StoreResult GetLeaseHolder(const ObjectName& object,
                             LeaseHolder* holder) override {
    return Call([&] { return client_.GetLeaseHolder(object, holder); });
  }
  StoreResult BreakLease(const ObjectName& object,
                         const LeaseHolder& holder) override {
    return Call([&] { return client_.BreakLease(object, holder); });
  }
  StoreResult Watch(const ObjectName& object, std::function<void()> changed,
                    std::unique_ptr<StoreWatch>* watch) override {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<StoreWatch> made;
    StoreResult begun = client_.Watch(object, std::move(changed), &made);
    if (begun.ok()) {
      *watch = std::make_unique<LockedWatch>(&mutex_, std::move(made));
    }
    return begun;
  }
  void NotifyAsync(const ObjectName& object,
                   std::function<void(StoreResult, size_t)> done) override {
    const std::lock_guard lock(mutex_);
    client_.NotifyAsync(object, [this, done = std::move(done)](
                                    const StoreResult& result, size_t watches) {
      ended_.emplace_back([done, result, watches] { done(result, watches); });
    });
  }
  std::string address() const override { return client_.address(); }
  StoreResult Blocklist(const std::string& address) override {
    return Call([&] { return client_.Blocklist(address); });
  }
  void WaitToRetry(uint32_t /*attempt*/) override { std::this_thread::yield(); }

 private:
  // Calls are made with the mutex, so that its end waits for one.
  class LockedWatch final : public StoreWatch {
   public:
    LockedWatch(std::mutex* mutex, std::unique_ptr<StoreWatch> watch)
        : mutex_(*mutex), watch_(std::move(watch)) {}
    ~LockedWatch() override {
      const std::lock_guard lock(mutex_);
      watch_.reset();
    }
    LockedWatch(const LockedWatch&) = delete;
    LockedWatch& operator=(const LockedWatch&) = delete;

    bool IsAlive() const override {
      const std::lock_guard lock(mutex_);
      return watch_->IsAlive();
    }
    void Answer() override {
      const std::lock_guard lock(mutex_);
      watch_->Answer();
    }

   private:
    std::mutex& mutex_;
    std::unique_ptr<StoreWatch> watch_;
  };

  template <typename Work>
  StoreResult Call(const Work& work) {
    const std::lock_guard lock(mutex_);
    return work();
  }
  // Answers are given without the mutex: what they call may need it.
  std::function<void(StoreResult)> Later(
      std::function<void(StoreResult)> done) {
    return [this, done = std::move(done)](const StoreResult& result) {
      ended_.emplace_back([done, result] { done(result); });
    };
  }
  void Run() {
    while (!stop_) {
      std::vector<std::function<void()>> ended;
      {
        const std::lock_guard lock(mutex_);
        client_.FinishOne();
        ended.swap(ended_);
      }
      for (const auto& answer : ended) answer();
      if (ended.empty()) std::this_thread::yield();
    }
  }

  SimulatedClient client_;
  std::mutex& mutex_;
  std::vector<std::function<void()>> ended_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class VolumeThreadsTest : public testing::Test {
 protected:
  std::unique_ptr<RadosFileSystem> NewProcess(bool take_over = false) {
    Volume::Options options;
    options.name = "v";
    options.ownership.take_over = take_over;
    options.ownership.blocklist = false;
    options.trash_seconds = 0;
    options.clock = NewSystemClock();
    return std::make_unique<RadosFileSystem>(
        std::make_shared<Volume>(
            std::make_unique<ThreadedClient>(
                &cluster_, &mutex_, "client" + std::to_string(++clients_)),
            options),
        /*flush_waits=*/false);
  }

  SimulatedCluster cluster_{1};
  std::mutex mutex_;
  int clients_ = 0;
};

TEST_F(VolumeThreadsTest, FilesAreWhatWasAppended) {
  cluster_.SetUnreliability({50, 50, 50});
  const auto fs = NewProcess();
  std::unique_ptr<FileLock> lock;
  ASSERT_EQ(fs->LockFile("/LOCK", &lock), Status::OK());
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      Random random(t);
      for (int round = 0; round < Rounds(40); ++round) {
        const std::string path =
            "/" + std::to_string(t) + "." + std::to_string(round);
        std::unique_ptr<WritableFile> file;
        ASSERT_EQ(fs->NewWritableFile(path, &file), Status::OK());
        std::string contents;
        for (int i = 0; i < 200; ++i) {
          const std::string more(random.Uniform(60'000),
                                 static_cast<char>('a' + i % 26));
          ASSERT_EQ(file->Append(more), Status::OK());
          contents += more;
          if (random.OneIn(2)) {
            ASSERT_EQ(file->Flush(), Status::OK());
          }
          if (random.OneIn(20)) {
            ASSERT_EQ(file->Sync(), Status::OK());
          }
        }
        ASSERT_EQ(file->Close(), Status::OK());
        std::string found;
        ASSERT_EQ(ReadFileToString(fs.get(), path, &found), Status::OK());
        ASSERT_TRUE(found == contents) << path;
        ASSERT_EQ(fs->RemoveFile(path), Status::OK());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The thread of the volume tells the database.
TEST_F(VolumeThreadsTest, ADatabaseIsFencedUnderItsThreads) {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.file_system = NewProcess();
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, "/db", &db), Status::OK());
  std::atomic<uint64_t> acknowledged = 0;
  std::vector<Status> ends(3);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < ends.size(); ++t) {
    threads.emplace_back([&, t] {
      WriteOptions synced;
      synced.sync = true;
      std::string value;
      while (ends[t].ok() || ends[t].IsNotFound()) {
        ends[t] = t == 0 ? db->Get({}, "1-0", &value)
                         : db->Put(synced, std::to_string(t) + "-0",
                                   std::string(1000, 'v'));
        if (t != 0 && ends[t].ok()) ++acknowledged;
      }
    });
  }
  while (acknowledged < 300) std::this_thread::yield();
  Options next = options;
  next.file_system = NewProcess(/*take_over=*/true);
  std::unique_ptr<DB> taken;
  ASSERT_EQ(DB::Open(next, "/db", &taken), Status::OK());
  for (std::thread& thread : threads) thread.join();
  for (const Status& end : ends) EXPECT_TRUE(end.IsIOFenced()) << end;
  EXPECT_TRUE(db->Close().IsIOFenced());
  std::string value;
  EXPECT_EQ(taken->Get({}, "1-0", &value), Status::OK());
  EXPECT_EQ(taken->Put({}, "a", "b"), Status::OK());
}

// It looks by itself once in an hour, so that only the cluster can tell it.
TEST_F(VolumeThreadsTest, AFollowerIsToldOfSyncedWrites) {
  Options options;
  options.create_if_missing = true;
  options.file_system = NewProcess();
  std::unique_ptr<DB> primary;
  ASSERT_EQ(DB::Open(options, "/db", &primary), Status::OK());
  Options following = options;
  following.file_system = NewProcess();
  following.info_log = std::make_shared<KeptLines>();
  following.follower_refresh_catchup_period_ms = 3'600'000;
  std::unique_ptr<DB> follower;
  ASSERT_EQ(DB::OpenAsFollower(following, "/unused", "/db", &follower),
            Status::OK());
  WriteOptions synced;
  synced.sync = true;
  for (int i = 0; i < 20; ++i) {
    const std::string key = std::to_string(i);
    ASSERT_EQ(primary->Put(synced, key, "v"), Status::OK());
    std::string value;
    Status got;
    do {
      std::this_thread::yield();
      got = follower->Get({}, key, &value);
    } while (got.IsNotFound());
    ASSERT_EQ(got, Status::OK());
  }
  ASSERT_EQ(primary->Flush({}), Status::OK());
}

}  // namespace
}  // namespace tamis::rados
