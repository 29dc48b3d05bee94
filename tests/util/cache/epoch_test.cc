// SPDX-License-Identifier: Apache-2.0
#include "util/cache/epoch.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/mutex.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

// What it counts in outlives the domain, whose end frees what is left.
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

TEST(EpochTest, FreesAtOnceWithoutReaders) {
  int freed = 0;
  EpochDomain domain;
  domain.Retire(&freed, &Add, 10);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(domain.waiting_bytes(), 0u);
  // Readers that left do not count either.
  { const Guard guard(&domain); }
  Reader(&domain).Leave();
  domain.Retire(&freed, &Add, 10);
  EXPECT_EQ(freed, 2);
}

TEST(EpochTest, WaitsForReadersThatWereInsideAtTheRetire) {
  int freed = 0;
  EpochDomain domain;
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

TEST(EpochTest, DoesNotWaitForLaterReaders) {
  int freed = 0;
  EpochDomain domain;
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
TEST(EpochTest, OverlappingReadersDoNotPreventReclamation) {
  int freed = 0;
  EpochDomain domain;
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

TEST(EpochTest, ARetireUnderAGuardWaitsForThatGuard) {
  int freed = 0;
  EpochDomain domain;
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

TEST(EpochTest, ReclaimsByItselfAfterEnoughRetires) {
  int freed = 0;
  int many = 0;
  EpochDomain domain;
  auto reader = std::make_unique<Reader>(&domain);
  domain.Retire(&freed, &Add, 1);
  domain.Reclaim();
  // Some reader is always inside, but never the first one again.
  const Reader later(&domain);
  reader.reset();
  domain.Retire(&many, &Add, 1 << 20);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(many, 0);
}

TEST(EpochTest, DomainsAreIndependent) {
  int freed = 0;
  EpochDomain one;
  EpochDomain two;
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

TEST(EpochTest, TheEndOfADomainFreesPendingObjects) {
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

// What a Retire looks at follows the threads that live.
TEST(EpochTest, EndedThreadsLeaveNoSlot) {
  EpochDomain domain;
  { const Guard guard(&domain); }
  for (int round = 0; round < 2; ++round) {
    {
      std::vector<std::unique_ptr<Reader>> readers;
      for (int i = 0; i < 500; ++i) {
        readers.push_back(std::make_unique<Reader>(&domain));
      }
      EXPECT_EQ(domain.slots(), 501u);
      // In another order than they came.
      for (size_t i = 0; i < readers.size(); i += 2) readers[i].reset();
      EXPECT_EQ(domain.slots(), 251u);
      int freed = 0;
      domain.Retire(&freed, &Add, 1);
      readers.clear();
      domain.Reclaim();
      EXPECT_EQ(freed, 1);
    }
    EXPECT_EQ(domain.slots(), 1u);
  }
}

TEST(EpochTest, ThreadsEndWhileAnotherRetires) {
  std::atomic<bool> done{false};
  std::atomic<int> freed{0};
  EpochDomain domain;
  int retired = 0;
  const auto add = [](void* count) {
    ++*static_cast<std::atomic<int>*>(count);
  };
  std::thread starts([&domain, &done] {
    for (int i = 0; i < 500; ++i) {
      std::thread one([&domain] { const Guard guard(&domain); });
      std::thread two([&domain] { const Guard guard(&domain); });
      one.join();
      two.join();
    }
    done = true;
  });
  for (; !done; ++retired) domain.Retire(&freed, add, 1000);
  starts.join();
  domain.Reclaim();
  EXPECT_EQ(freed, retired);
  EXPECT_EQ(domain.slots(), 0u);
}

TEST(EpochTest, AThreadForgetsDestroyedDomains) {
  std::thread([] {
    EpochDomain stays;
    { const Guard guard(&stays); }
    for (int i = 0; i < 2000; ++i) {
      EpochDomain goes;
      const Guard guard(&goes);
      const Guard again(&stays);
      ASSERT_LE(EpochDomain::domains_of_this_thread(), 6u);
    }
    EXPECT_EQ(stays.slots(), 1u);
  }).join();
}

TEST(EpochTest, AThreadUsesThousandsOfDomainsInTurn) {
  std::vector<std::unique_ptr<EpochDomain>> domains(3000);
  for (auto& domain : domains) domain = std::make_unique<EpochDomain>();
  std::thread([&domains] {
    for (int round = 0; round < 2; ++round) {
      for (const auto& domain : domains) {
        const Guard guard(domain.get());
        const Guard other(domains.front().get());
        int freed = 0;
        domain->Retire(&freed, &Add, 1);
        EXPECT_EQ(freed, 0);
      }
    }
    EXPECT_EQ(EpochDomain::domains_of_this_thread(), domains.size());
    for (const auto& domain : domains) EXPECT_EQ(domain->slots(), 1u);
  }).join();
  for (const auto& domain : domains) EXPECT_EQ(domain->slots(), 0u);
}

// Its destructor runs after the thread's slots were given back, as those of
// statics do in the main thread.
struct AtThreadEnd {
  ~AtThreadEnd() {
    if (run) run();
  }
  std::function<void()> run;
};

TEST(EpochTest, GuardsAfterTheEndOfAThreadLeaveNoSlot) {
  EpochDomain one;
  EpochDomain two;
  int rounds = 0;
  std::thread([&] {
    thread_local AtThreadEnd at_end;
    at_end.run = [&] {
      EXPECT_EQ(one.slots(), 0u);
      EXPECT_EQ(EpochDomain::domains_of_this_thread(), 0u);
      for (; rounds < 100; ++rounds) {
        int freed = 0;
        {
          const Guard outer(&one);
          {
            const Guard other(&two);
            const Guard inner(&one);
            one.Retire(&freed, &Add, 1);
            two.Retire(&freed, &Add, 1);
          }
          two.Reclaim();
          EXPECT_EQ(freed, 1);
          one.Reclaim();
          EXPECT_EQ(freed, 1) << "the outer Guard is still there";
          EXPECT_EQ(one.slots(), 1u);
        }
        one.Reclaim();
        EXPECT_EQ(freed, 2);
        Guard early(&two);
        early.Leave();
        EXPECT_EQ(one.slots() + two.slots(), 0u);
      }
    };
    const Guard guard(&one);
  }).join();
  EXPECT_EQ(rounds, 100);
  EXPECT_EQ(one.slots() + two.slots(), 0u);
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

TEST(EpochTest, DeletersMayTakeLocksAndRetireMore) {
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
TEST(EpochTest, FreedObjectsAreNeverRead) {
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
  // A Retire frees at most 128 objects that earlier readers delayed.
  domain.Reclaim();
  EXPECT_EQ(domain.waiting_bytes(), 0u);
}

// A callback of a reader may call exit(), which destroys static objects.
TEST(EpochDeathTest, ADomainEndsAfterExitInsideAGuard) {
  const auto exit_inside = [] {
    static EpochDomain domain;
    const Guard guard(&domain);
    std::exit(0);
  };
  EXPECT_EXIT(exit_inside(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tamis
