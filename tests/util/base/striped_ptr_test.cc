// SPDX-License-Identifier: Apache-2.0
#include "util/base/striped_ptr.h"

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(StripedPtrTest, TheObjectLivesAsLongAsTheLastPointer) {
  std::weak_ptr<int> observer;
  std::shared_ptr<int> shared;
  {
    StripedPtr<int> striped(std::make_shared<int>(7));
    observer = striped.object();
    EXPECT_EQ(striped.get(), observer.lock().get());
    shared = striped.Share();
    EXPECT_EQ(*shared, 7);
  }
  EXPECT_FALSE(observer.expired());
  std::shared_ptr<int> copy = shared;
  shared.reset();
  EXPECT_FALSE(observer.expired());
  copy.reset();
  EXPECT_TRUE(observer.expired());
}

TEST(StripedPtrTest, WithoutPointersItOwnsTheObjectAlone) {
  std::optional<StripedPtr<int>> striped(std::make_shared<int>(7));
  const std::weak_ptr<int> observer = striped->object();
  striped->Share().reset();
  EXPECT_FALSE(observer.expired());
  StripedPtr<int> moved = std::move(*striped);
  striped.reset();
  EXPECT_EQ(*moved.Share(), 7);
  moved.reset();
  EXPECT_TRUE(observer.expired());
}

// Threads that begin one after the other have different counts, as far as
// there are.
TEST(StripedPtrTest, ThreadsCountApart) {
  const StripedPtr<int> striped(std::make_shared<int>(7));
  std::vector<std::shared_ptr<int>> pointers(2);
  for (auto& pointer : pointers) {
    std::thread([&] { pointer = striped.Share(); }).join();
  }
  EXPECT_EQ(pointers[0], pointers[1]);
  // Each is counted with the owner's own reference and not with the other.
  EXPECT_EQ(pointers[0].use_count(), 2);
  EXPECT_EQ(pointers[1].use_count(), 2);
}

TEST(StripedPtrTest, PointersMayBeDroppedByOtherThreads) {
  struct Counted {
    explicit Counted(std::atomic<int>* ends_in) : ends(ends_in) {}
    ~Counted() { ++*ends; }
    std::atomic<int>* ends;
  };
  std::atomic<int> ends = 0;
  constexpr int kThreads = 4;
  {
    std::optional<StripedPtr<Counted>> striped(
        std::make_shared<Counted>(&ends));
    std::vector<std::shared_ptr<Counted>> kept(kThreads);
    std::vector<std::thread> threads;
    for (auto& keep : kept) {
      threads.emplace_back([&striped, &keep] {
        for (int i = 0; i < 1000; ++i) keep = striped->Share();
      });
    }
    for (std::thread& thread : threads) thread.join();
    striped.reset();
    EXPECT_EQ(ends, 0);
  }
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace tamis
