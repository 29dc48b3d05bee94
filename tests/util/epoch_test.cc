// SPDX-License-Identifier: Apache-2.0
#include "util/epoch.h"

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "util/mutex.h"
#include "util/random.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

void Add(void* count) { ++*static_cast<int*>(count); }

// Inside from its making to Leave().
class Reader {
 public:
  explicit Reader(EpochDomain* domain)
      : thread_([this, domain] {
          const Guard guard(domain);
          entered_.count_down();
          leave_.wait();
        }) {
    entered_.wait();
  }
  ~Reader() {
    if (thread_.joinable()) Leave();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void Leave() {
    leave_.count_down();
    thread_.join();
  }

 private:
  std::latch entered_{1};
  std::latch leave_{1};
  std::thread thread_;
};

TEST(EpochTest, FreesAtOnceWhenNobodyIsInside) {
  EpochDomain domain;
  int freed = 0;
  domain.Retire(&freed, &Add, 10);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(domain.waiting_bytes(), 0u);
  // Nor do those who left count.
  { const Guard guard(&domain); }
  Reader(&domain).Leave();
  domain.Retire(&freed, &Add, 10);
  EXPECT_EQ(freed, 2);
}

TEST(EpochTest, WaitsForWhoWasInsideAtTheRetire) {
  EpochDomain domain;
  int freed = 0;
  Reader reader(&domain);
  domain.Retire(&freed, &Add, 10);
  domain.Retire(&freed, &Add, 20);
  domain.Reclaim();
  EXPECT_EQ(freed, 0);
  EXPECT_EQ(domain.waiting_bytes(), 30u);
  reader.Leave();
  EXPECT_EQ(freed, 0);
  domain.Reclaim();
  EXPECT_EQ(freed, 2);
  EXPECT_EQ(domain.waiting_bytes(), 0u);
}

TEST(EpochTest, DoesNotWaitForWhoCameLater) {
  EpochDomain domain;
  int freed = 0;
  std::optional<Reader> before(&domain);
  domain.Retire(&freed, &Add, 1);
  domain.Reclaim();
  const Reader after(&domain);
  before.reset();
  domain.Reclaim();
  EXPECT_EQ(freed, 1);
  domain.Retire(&freed, &Add, 1);
  domain.Reclaim();
  EXPECT_EQ(freed, 1);
}

// Readers that always overlap must not keep it for ever.
TEST(EpochTest, OverlappingReadersLetItGo) {
  EpochDomain domain;
  int freed = 0;
  auto reader = std::make_unique<Reader>(&domain);
  int retired = 0;
  for (int i = 0; i < 200; ++i) {
    domain.Retire(&freed, &Add, 1000);
    ++retired;
    auto next = std::make_unique<Reader>(&domain);
    reader = std::move(next);
  }
  // All but the last batches.
  EXPECT_GT(freed, 0);
  EXPECT_GE(freed, retired - 2 * 64);
}

TEST(EpochTest, WhoRetiresInsideWaitsForItself) {
  EpochDomain domain;
  int freed = 0;
  {
    const Guard outer(&domain);
    {
      const Guard inner(&domain);
      domain.Retire(&freed, &Add, 1);
    }
    domain.Reclaim();
    EXPECT_EQ(freed, 0) << "the outer Guard is still there";
  }
  domain.Reclaim();
  EXPECT_EQ(freed, 1);
}

TEST(EpochTest, LooksByItselfOnceEnoughCameTogether) {
  EpochDomain domain;
  int freed = 0;
  auto reader = std::make_unique<Reader>(&domain);
  domain.Retire(&freed, &Add, 1);
  domain.Reclaim();
  // Somebody is always inside, but never again who was there at the first.
  const Reader later(&domain);
  reader.reset();
  int many = 0;
  domain.Retire(&many, &Add, 1 << 20);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(many, 0);
}

TEST(EpochTest, DomainsAreIndependent) {
  EpochDomain one;
  EpochDomain two;
  int freed = 0;
  const Guard in_one(&one);
  for (int i = 0; i < 10; ++i) {
    const Guard in_two(&two);
    const Guard again_in_one(&one);
  }
  two.Retire(&freed, &Add, 1);
  EXPECT_EQ(freed, 1);
  one.Retire(&freed, &Add, 1);
  EXPECT_EQ(freed, 1);
}

TEST(EpochTest, TheEndOfADomainFreesWhatWaits) {
  int freed = 0;
  {
    EpochDomain domain;
    {
      const Guard guard(&domain);
      domain.Retire(&freed, &Add, 1);
    }
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

// Threads outlive domains and domains outlive threads, at the same address.
TEST(EpochTest, ThreadsAndDomainsEndInAnyOrder) {
  std::optional<EpochDomain> domain;
  for (int i = 0; i < 100; ++i) {
    domain.emplace();
    int freed = 0;
    const Guard* guard = new Guard(&*domain);
    Reader(&*domain).Leave();
    domain->Retire(&freed, &Add, 1);
    EXPECT_EQ(freed, 0);
    delete guard;
    domain->Reclaim();
    EXPECT_EQ(freed, 1);
    domain.reset();
  }
  std::thread outlives;
  {
    EpochDomain short_lived;
    std::latch used(1);
    outlives = std::thread([&short_lived, &used] {
      { const Guard guard(&short_lived); }
      used.count_down();
      EpochDomain next;
      const Guard guard(&next);
    });
    used.wait();
  }
  outlives.join();
}

struct Chain {
  EpochDomain* domain;
  Mutex* mutex;
  std::unique_ptr<Chain> rest;
  int* freed;
};

void FreeChain(void* object) {
  const std::unique_ptr<Chain> chain(static_cast<Chain*>(object));
  const MutexLock lock(chain->mutex);
  ++*chain->freed;
  if (chain->rest != nullptr) {
    EpochDomain* const domain = chain->domain;
    domain->Retire(
        chain->rest.release(),
        [](void* rest) {
          // The lock of the caller is held when it is freed at once.
          const std::unique_ptr<Chain> last(static_cast<Chain*>(rest));
          ++*last->freed;
        },
        1);
  }
}

TEST(EpochTest, WhatIsFreedMayTakeLocksAndRetireMore) {
  int freed = 0;
  Mutex mutex;
  for (const bool by_the_end : {false, true}) {
    freed = 0;
    {
      EpochDomain domain;
      auto chain = std::make_unique<Chain>(Chain{
          &domain, &mutex,
          std::make_unique<Chain>(Chain{&domain, &mutex, nullptr, &freed}),
          &freed});
      {
        const Guard guard(&domain);
        domain.Retire(chain.release(), &FreeChain, 1);
      }
      EXPECT_EQ(freed, 0);
      if (!by_the_end) {
        domain.Reclaim();
        EXPECT_EQ(freed, 2);
      }
    }
    EXPECT_EQ(freed, 2);
  }
}

// What a reader finds is never freed under it: a freed node is spoilt first,
// and ThreadSanitizer and AddressSanitizer watch.
TEST(EpochTest, NobodyLooksAtWhatIsFreed) {
  struct Node {
    uint64_t value;
    uint64_t twin;
  };
  constexpr int kPlaces = 8;
  EpochDomain domain;
  std::atomic<Node*> places[kPlaces] = {};
  for (auto& place : places) place.store(new Node{0, 0});
  const auto free = [](void* object) {
    auto* const node = static_cast<Node*>(object);
    node->twin = ~node->value;
    delete node;
  };
  std::vector<std::thread> threads;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    threads.emplace_back([&, seed] {
      Random random(seed);
      for (int i = 0; i < 4000; ++i) {
        auto& place = places[random.Uniform(kPlaces)];
        if (random.OneIn(4)) {
          auto* const node = new Node{seed, seed};
          Node* const old = place.exchange(node, std::memory_order_acq_rel);
          domain.Retire(old, free, sizeof(Node));
        } else {
          const Guard guard(&domain);
          const Node* const node = place.load(std::memory_order_acquire);
          if (random.OneIn(100)) std::this_thread::yield();
          EXPECT_EQ(node->value, node->twin);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (auto& place : places) domain.Retire(place.load(), free, sizeof(Node));
  EXPECT_EQ(domain.waiting_bytes(), 0u);
}

}  // namespace
}  // namespace tamis
