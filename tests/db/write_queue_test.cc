// SPDX-License-Identifier: Apache-2.0
#include "db/write_queue.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

// A batch of about this many bytes.
WriteBatch BatchOf(size_t bytes) {
  WriteBatch batch;
  EXPECT_TRUE(batch.Put("k", std::string(bytes, 'v')).ok());
  return batch;
}

// Joins from threads of its own, one after the other, so that the order in the
// queue is known. Those that lead keep the lead until Release.
class Waiters {
 public:
  Waiters(WriteQueue* queue, JobRunner* runner)
      : queue_(*queue), runner_(runner) {}
  ~Waiters() {
    released_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  // REQUIRES: another writer leads.
  void Add(WriteBatch* batch, WriteOptions options = {}) {
    writers_.push_back(std::make_unique<WriteQueue::Writer>(batch, options));
    WriteQueue::Writer* writer = writers_.back().get();
    const size_t waiting = queue_.waiting();
    threads_.emplace_back([this, writer] {
      queue_.Join(writer, runner_);
      if (writer->done) return;
      ++led_;
      while (!released_) std::this_thread::yield();
      queue_.Finish(1, Status::OK());
    });
    while (queue_.waiting() == waiting) std::this_thread::yield();
  }
  void Release() { released_ = true; }
  // Waits until all have finished.
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  WriteQueue::Writer* writer(size_t i) { return writers_[i].get(); }
  int led() const { return led_; }

 private:
  WriteQueue& queue_;
  JobRunner* const runner_;
  std::vector<std::unique_ptr<WriteQueue::Writer>> writers_;
  std::vector<std::thread> threads_;
  std::atomic<int> led_{0};
  std::atomic<bool> released_{false};
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

TEST_F(WriteQueueConcurrencyTest, TheTimeInTheQueueIsCountedFromEnableWaitOn) {
  for (const PerfLevel level : {kEnableCount, kEnableWait}) {
    WriteBatch batch = BatchOf(10);
    ASSERT_TRUE(queue_.TryLead());
    std::thread waiting([&] {
      SetPerfLevel(level);
      WriteQueue::Writer writer(&batch, WriteOptions());
      queue_.Join(&writer, runner_.get());
      EXPECT_EQ(get_perf_context()->write_thread_wait_nanos > 0,
                level == kEnableWait);
      queue_.Finish(1, Status::OK());
    });
    while (queue_.waiting() == 0) std::this_thread::yield();
    queue_.Finish(1, Status::OK());
    waiting.join();
  }
}

TEST_F(WriteQueueConcurrencyTest, AWriterThatFindsNoLeaderLeadsAtOnce) {
  WriteBatch batch = BatchOf(10);
  WriteQueue::Writer writer(&batch, WriteOptions());
  queue_.Join(&writer, runner_.get());
  EXPECT_FALSE(writer.done);
  EXPECT_FALSE(queue_.TryLead());
  const auto group = queue_.GroupOf(&writer, families_, 1000);
  ASSERT_EQ(group.count, 1u);
  EXPECT_EQ(group.first, &writer);
  EXPECT_EQ(group.last, &writer);
  EXPECT_EQ(group.bytes, batch.GetDataSize());
  queue_.Finish(1, Status::OK());
  EXPECT_TRUE(queue_.TryLead());
  queue_.Finish(1, Status::OK());
}

TEST_F(WriteQueueConcurrencyTest, APollingWriterLeadsWithoutEnteringTheQueue) {
  WriteQueue queue(&mutex_, UINT32_MAX);
  WriteBatch batch = BatchOf(10);
  ASSERT_TRUE(queue.TryLead());
  std::atomic<bool> joins{false};
  std::atomic<bool> leads{false};
  std::thread thread([&] {
    WriteQueue::Writer writer(&batch, WriteOptions());
    joins = true;
    queue.Join(&writer, /*runner=*/nullptr);  // which a sleeper would need
    EXPECT_FALSE(writer.done);
    leads = true;
    queue.Finish(1, Status::OK());
  });
  while (!joins) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(queue.waiting(), 0u);
  EXPECT_FALSE(leads);
  queue.Finish(1, Status::OK());
  thread.join();
}

TEST_F(WriteQueueConcurrencyTest, AStallRefusesWritersThatMustNotWait) {
  WriteBatch batch = BatchOf(10);
  WriteOptions no_slowdown;
  no_slowdown.no_slowdown = true;
  ASSERT_TRUE(queue_.TryLead());
  Waiters waiters(&queue_, runner_.get());
  // At the front, in the middle and at the end of the queue.
  for (const bool refused : {true, false, true, false, true, true}) {
    waiters.Add(&batch, refused ? no_slowdown : WriteOptions());
  }
  queue_.BeginStall();
  EXPECT_EQ(queue_.waiting(), 2u);
  // So is one that comes later.
  WriteQueue::Writer late(&batch, no_slowdown);
  queue_.Join(&late, runner_.get());
  EXPECT_TRUE(late.done);
  EXPECT_TRUE(late.status.IsIncomplete()) << late.status;
  waiters.Add(&batch);
  EXPECT_EQ(queue_.waiting(), 3u);
  queue_.EndStall();
  waiters.Add(&batch, no_slowdown);
  EXPECT_EQ(queue_.waiting(), 4u);
  waiters.Release();
  queue_.Finish(1, Status::OK());
  waiters.Join();
  EXPECT_EQ(waiters.led(), 4);
  for (const size_t i : {0u, 2u, 4u, 5u}) {
    EXPECT_TRUE(waiters.writer(i)->done);
    EXPECT_TRUE(waiters.writer(i)->status.IsIncomplete());
  }

  // All writers of the queue are refused: the leader is then alone.
  ASSERT_TRUE(queue_.TryLead());
  Waiters others(&queue_, runner_.get());
  others.Add(&batch, no_slowdown);
  queue_.BeginStall();
  EXPECT_EQ(queue_.waiting(), 0u);
  queue_.EndStall();
  queue_.Finish(1, Status::OK());
  EXPECT_TRUE(queue_.TryLead());
  queue_.Finish(1, Status::OK());
}

TEST_F(WriteQueueConcurrencyTest, AGroupEndsBeforeTheFirstBatchThatDoesNotFit) {
  WriteBatch leader_batch = BatchOf(100);
  WriteBatch small = BatchOf(100);
  WriteBatch other = BatchOf(100);
  WriteBatch large = BatchOf(1000);
  WriteBatch behind = BatchOf(1);
  WriteQueue::Writer leader(&leader_batch, WriteOptions());
  Waiters waiters(&queue_, runner_.get());
  queue_.Join(&leader, runner_.get());
  waiters.Add(&small, {.sync = true});
  waiters.Add(&other);
  waiters.Add(&large);
  waiters.Add(&behind);
  // The leader goes whatever its size.
  EXPECT_EQ(queue_.GroupOf(&leader, families_, 1).count, 1u);
  EXPECT_EQ(queue_.GroupOf(&leader, families_, 100'000).count, 5u);
  const auto group = queue_.GroupOf(&leader, families_, 600);
  ASSERT_EQ(group.count, 3u);
  EXPECT_EQ(group.bytes, leader_batch.GetDataSize() + small.GetDataSize() +
                             other.GetDataSize());
  std::vector<const WriteQueue::Writer*> members;
  group.ForEach(
      [&](const WriteQueue::Writer& one) { members.push_back(&one); });
  EXPECT_EQ(members, (std::vector<const WriteQueue::Writer*>{
                         &leader, waiters.writer(0), waiters.writer(1)}));
  queue_.Finish(3, Status::IOError("the disk"));
  // The two that were left lead themselves; the other two got the outcome.
  waiters.Release();
  waiters.Join();
  EXPECT_EQ(waiters.led(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(waiters.writer(i)->done);
    EXPECT_TRUE(waiters.writer(i)->status.IsIOError());
  }
  for (size_t i = 2; i < 4; ++i) {
    EXPECT_FALSE(waiters.writer(i)->done);
    EXPECT_TRUE(waiters.writer(i)->status.ok());
  }
}

TEST_F(WriteQueueConcurrencyTest, AWriterWithoutABatchEndsAGroup) {
  WriteBatch batch = BatchOf(10);
  WriteBatch behind = BatchOf(10);
  WriteQueue::Writer leader(&batch, WriteOptions());
  Waiters waiters(&queue_, runner_.get());
  queue_.Join(&leader, runner_.get());
  waiters.Add(nullptr);
  waiters.Add(&behind);
  EXPECT_EQ(queue_.GroupOf(&leader, families_, 1 << 20).count, 1u);
  queue_.Finish(1, Status::OK());
}

TEST_F(WriteQueueConcurrencyTest, AnUnloggedWriteEndsAGroupOfLoggedOnes) {
  WriteBatch batch = BatchOf(10);
  WriteBatch unlogged = BatchOf(10);
  WriteQueue::Writer leader(&batch, WriteOptions());
  Waiters waiters(&queue_, runner_.get());
  queue_.Join(&leader, runner_.get());
  waiters.Add(&unlogged, {.disableWAL = true});
  EXPECT_EQ(queue_.GroupOf(&leader, families_, 1 << 20).count, 1u);
  queue_.Finish(1, Status::OK());
}

// A writer that comes meanwhile cannot lead before those in the queue.
TEST_F(WriteQueueConcurrencyTest, WritersInTheQueueLeadBeforeThoseThatCome) {
  WriteBatch batch = BatchOf(10);
  Waiters waiters(&queue_, runner_.get());
  ASSERT_TRUE(queue_.TryLead());
  waiters.Add(nullptr);
  waiters.Add(&batch);
  queue_.Finish(1, Status::OK());
  EXPECT_FALSE(queue_.TryLead());  // the first was chosen, awake or not
  EXPECT_EQ(queue_.waiting(), 1u);
  while (waiters.led() == 0) std::this_thread::yield();
  EXPECT_EQ(waiters.led(), 1);
  EXPECT_FALSE(queue_.TryLead());
  waiters.Release();
  waiters.Join();
  EXPECT_EQ(waiters.led(), 2);
  EXPECT_TRUE(queue_.TryLead());
  queue_.Finish(1, Status::OK());
}

// Tells a function about each wait, before it begins.
class ObservedRunner final : public WrappedJobRunner {
 public:
  explicit ObservedRunner(std::function<void()> waits)
      : WrappedJobRunner(NewThreadJobRunner(1, 1)), waits_(std::move(waits)) {}
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    waits_();
    WrappedJobRunner::Wait(lock, changed, predicate);
  }

 private:
  const std::function<void()> waits_;
};

// Counts the groups that end between the time that a writer is in the queue and
// the end of its own group. Each of the other threads may have a writer before
// it, and one more leads when it comes. Writers that do not poll wait as often
// as possible; those that poll little mix with those that wait.
TEST_F(WriteQueueConcurrencyTest, AWaitingWriterIsOvertakenByFewGroups) {
  constexpr int kThreads = 5;
  for (const uint32_t pauses : {0u, 30u}) {
    WriteQueue queue(&mutex_, pauses);
    std::atomic<int> ended{0};  // groups; stored by leaders only
    thread_local int ended_at_wait = -1;
    ObservedRunner runner([&] { ended_at_wait = ended; });
    std::atomic<int> waited{0};
    std::atomic<int> most{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 500; ++i) {
          WriteBatch batch = BatchOf(static_cast<size_t>(i % 50));
          // Some groups end early, and some writers only lead.
          WriteQueue::Writer writer(t == 0 && i % 3 == 0 ? nullptr : &batch,
                                    {.disableWAL = (i + t) % 7 == 0});
          ended_at_wait = -1;
          queue.Join(&writer, &runner);
          int before = ended;
          if (writer.done) {
            before = std::stoi(std::string(writer.status.message()));
          } else {
            size_t count = 1;
            if (writer.batch != nullptr) {
              count = queue.GroupOf(&writer, families_, 500).count;
            }
            if (i % 16 == 0) std::this_thread::yield();
            ++ended;
            queue.Finish(count, Status::IOError(std::to_string(before)));
          }
          if (ended_at_wait < 0) continue;
          ++waited;
          int now = most;
          const int mine = before - ended_at_wait;
          while (mine > now && !most.compare_exchange_weak(now, mine)) {
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LT(most, kThreads) << waited << " waits, " << pauses << " pauses";
    if (pauses == 0) {
      EXPECT_GT(waited, 0);
    }
  }
}

TEST_F(WriteQueueConcurrencyTest, EveryWriterIsDoneExactlyOnce) {
  constexpr int kThreads = 6;
  constexpr int kWrites = 300;
  for (const uint32_t pauses : {0u, 100u}) {
    WriteQueue queue(&mutex_, pauses);
    int groups = 0;  // those of leaders only
    int done = 0;
    std::atomic<int> followers{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kWrites; ++i) {
          WriteBatch batch = BatchOf(static_cast<size_t>(i % 50));
          WriteQueue::Writer writer(&batch, WriteOptions());
          queue.Join(&writer, runner_.get());
          if (writer.done) {
            ++followers;
            continue;
          }
          const auto group = queue.GroupOf(&writer, families_, 500);
          std::this_thread::yield();
          done += static_cast<int>(group.count);
          ++groups;
          queue.Finish(group.count, Status::OK());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(done, kThreads * kWrites);
    EXPECT_EQ(groups + followers, done);
  }
}

TEST_F(WriteQueueConcurrencyTest, ABarrierExcludesWritersAndReleasesTheMutex) {
  constexpr int kThreads = 3;
  int inside = 0;
  int barriers = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        WriteBatch batch = BatchOf(10);
        WriteQueue::Writer writer(&batch, WriteOptions());
        queue_.Join(&writer, runner_.get());
        if (writer.done) continue;
        ++inside;
        // A leader takes the mutex while barriers wait.
        { MutexLock lock(&mutex_); }
        EXPECT_EQ(inside, 1);
        --inside;
        queue_.Finish(queue_.GroupOf(&writer, families_, 500).count,
                      Status::OK());
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 300; ++i) {
      MutexLock lock(&mutex_);
      const WriteBarrier barrier(&queue_, runner_.get());
      EXPECT_EQ(inside, 0);
      ++barriers;
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(barriers, 300);
}

}  // namespace
}  // namespace tamis
