// SPDX-License-Identifier: Apache-2.0
#include "db/write_queue.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// A batch of about this many bytes.
WriteBatch BatchOf(size_t bytes) {
  WriteBatch batch;
  EXPECT_TRUE(batch.Put("k", std::string(bytes, 'v')).ok());
  return batch;
}

// Joins from threads of its own, one after the other, so that the order in the
// queue is known.
class Waiters {
 public:
  Waiters(Mutex* mutex, WriteQueue* queue, JobRunner* runner)
      : mutex_(*mutex), queue_(*queue), runner_(runner) {}
  ~Waiters() {
    for (std::thread& thread : threads_) thread.join();
  }
  // REQUIRES: the queue is not empty, so that it has to wait.
  void Add(WriteBatch* batch, bool sync) {
    WriteOptions options;
    options.sync = sync;
    writers_.push_back(std::make_unique<WriteQueue::Writer>(batch, options));
    WriteQueue::Writer* writer = writers_.back().get();
    std::atomic<bool> joining{false};
    threads_.emplace_back([this, writer, &joining] {
      MutexLock lock(&mutex_);
      joining = true;  // nobody else can join before this one waits
      queue_.Join(writer, runner_);
      if (!writer->done) {
        ++led_;
        queue_.Finish(1, Status::OK());
      }
    });
    while (!joining) std::this_thread::yield();
  }
  WriteQueue::Writer* writer(size_t i) { return writers_[i].get(); }
  int led() const { return led_; }

 private:
  Mutex& mutex_;
  WriteQueue& queue_;
  JobRunner* const runner_;
  std::vector<std::unique_ptr<WriteQueue::Writer>> writers_;
  std::vector<std::thread> threads_;
  std::atomic<int> led_{0};
};

class WriteQueueConcurrencyTest : public testing::Test {
 protected:
  WriteQueueConcurrencyTest()
      : runner_(NewThreadJobRunner(1, 1)), queue_(&mutex_) {}
  const std::shared_ptr<JobRunner> runner_;
  Mutex mutex_;
  WriteQueue queue_;
  const ColumnFamilySet families_;  // none
};

TEST_F(WriteQueueConcurrencyTest, AFrontWriterLeadsAtOnce) {
  WriteBatch batch = BatchOf(10);
  WriteQueue::Writer writer(&batch, WriteOptions());
  MutexLock lock(&mutex_);
  queue_.Join(&writer, runner_.get());
  EXPECT_FALSE(writer.done);
  const auto group = queue_.GroupOf(&writer, families_, 1000);
  ASSERT_EQ(group.count, 1u);
  EXPECT_EQ(group.first, &writer);
  EXPECT_EQ(group.last, &writer);
  EXPECT_EQ(group.bytes, batch.GetDataSize());
  queue_.Finish(1, Status::OK());
}

TEST_F(WriteQueueConcurrencyTest, AGroupEndsBeforeTheFirstBatchThatDoesNotFit) {
  WriteBatch leader_batch = BatchOf(100);
  WriteBatch small = BatchOf(100);
  WriteBatch other = BatchOf(100);
  WriteBatch large = BatchOf(1000);
  WriteBatch behind = BatchOf(1);
  WriteQueue::Writer leader(&leader_batch, WriteOptions());
  Waiters waiters(&mutex_, &queue_, runner_.get());
  {
    MutexLock lock(&mutex_);
    queue_.Join(&leader, runner_.get());
  }
  waiters.Add(&small, true);
  waiters.Add(&other, false);
  waiters.Add(&large, false);
  waiters.Add(&behind, false);
  {
    MutexLock lock(&mutex_);
    // The leader goes whatever its size.
    EXPECT_EQ(queue_.GroupOf(&leader, families_, 1).count, 1u);
    const auto group = queue_.GroupOf(&leader, families_, 600);
    ASSERT_EQ(group.count, 3u);
    EXPECT_EQ(group.bytes, leader_batch.GetDataSize() + small.GetDataSize() +
                               other.GetDataSize());
    std::vector<const WriteQueue::Writer*> members;
    group.ForEach(
        [&](const WriteQueue::Writer& one) { members.push_back(&one); });
    EXPECT_EQ(members, (std::vector<const WriteQueue::Writer*>{
                           &leader, waiters.writer(0), waiters.writer(1)}));
    EXPECT_EQ(queue_.GroupOf(&leader, families_, 100'000).count, 5u);
    queue_.Finish(3, Status::IOError("the disk"));
  }
  // The two that were left lead themselves; the other two got the outcome.
  while (waiters.led() < 2) std::this_thread::yield();
  MutexLock lock(&mutex_);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(waiters.writer(i)->done);
    EXPECT_TRUE(waiters.writer(i)->status.IsIOError());
  }
  for (size_t i = 2; i < 4; ++i) {
    EXPECT_TRUE(waiters.writer(i)->status.ok());
  }
}

TEST_F(WriteQueueConcurrencyTest, AWriterWithoutABatchEndsAGroup) {
  WriteBatch batch = BatchOf(10);
  WriteBatch behind = BatchOf(10);
  WriteQueue::Writer leader(&batch, WriteOptions());
  Waiters waiters(&mutex_, &queue_, runner_.get());
  {
    MutexLock lock(&mutex_);
    queue_.Join(&leader, runner_.get());
  }
  waiters.Add(nullptr, false);
  waiters.Add(&behind, false);
  MutexLock lock(&mutex_);
  EXPECT_EQ(queue_.GroupOf(&leader, families_, 1 << 20).count, 1u);
  queue_.Finish(1, Status::OK());
}

TEST_F(WriteQueueConcurrencyTest, EveryWriterIsDoneExactlyOnce) {
  constexpr int kThreads = 6;
  constexpr int kWrites = 300;
  int groups = 0;
  int done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kWrites; ++i) {
        WriteBatch batch = BatchOf(static_cast<size_t>(i % 50));
        WriteQueue::Writer writer(&batch, WriteOptions());
        MutexLock lock(&mutex_);
        queue_.Join(&writer, runner_.get());
        if (writer.done) continue;
        const auto group = queue_.GroupOf(&writer, families_, 500);
        {
          MutexUnlock unlock(&mutex_);
          std::this_thread::yield();
        }
        done += static_cast<int>(group.count);
        ++groups;
        queue_.Finish(group.count, Status::OK());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kWrites);
  EXPECT_LE(groups, done);
}

}  // namespace
}  // namespace tamis
