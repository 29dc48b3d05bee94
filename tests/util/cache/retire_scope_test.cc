// SPDX-License-Identifier: Apache-2.0
#include "util/cache/retire_scope.h"

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

// An object that counts its destructions, with a reference in the scope.
class Counted {
 public:
  explicit Counted(std::atomic<int>* count) : count_(*count) {}
  ~Counted() { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& count_;
};

void RetireOne(RetireScope* scope, EpochDomain* domain,
               std::atomic<int>* count) {
  scope->Retire(domain, RetireScope::NewRoom(),
                std::make_shared<Counted>(count), 10);
}

TEST(RetireScopeTest, ReleasesWhenNoReaderIsInside) {
  EpochDomain domain;
  RetireScope scope;
  std::atomic<int> released{0};
  RetireOne(&scope, &domain, &released);
  EXPECT_EQ(released, 1);
  {
    const Guard guard(&domain);
    for (int i = 0; i < 10; ++i) RetireOne(&scope, &domain, &released);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(domain.waiting_bytes(), 100u);
  }
  domain.Reclaim();
  EXPECT_EQ(released, 11);
}

TEST(RetireScopeTest, ItsEndWaitsForNoReader) {
  EpochDomain domain;
  std::atomic<int> released{0};
  const Guard guard(&domain);
  std::optional<RetireScope> one(std::in_place);
  RetireScope other;
  for (int i = 0; i < 5; ++i) {
    RetireOne(&*one, &domain, &released);
    RetireOne(&other, &domain, &released);
  }
  EXPECT_EQ(released, 0);
  one.reset();
  EXPECT_EQ(released, 5);
}

TEST(RetireScopeTest, WhatTheDomainStillListsIsReleasedOnce) {
  std::atomic<int> released{0};
  EpochDomain domain;
  {
    const Guard guard(&domain);
    RetireScope scope;
    RetireOne(&scope, &domain, &released);
  }
  EXPECT_EQ(released, 1);
  domain.Reclaim();
  EXPECT_EQ(released, 1);
  EXPECT_EQ(domain.waiting_bytes(), 0u);
}

TEST(RetireScopeTest, AReferenceElsewhereKeepsTheObject) {
  EpochDomain domain;
  std::atomic<int> released{0};
  auto object = std::make_shared<Counted>(&released);
  {
    RetireScope scope;
    scope.Retire(&domain, RetireScope::NewRoom(), object, 10);
  }
  EXPECT_EQ(released, 0);
  object.reset();
  EXPECT_EQ(released, 1);
}

// Scopes end while other threads enter, leave and reclaim.
TEST(RetireScopeTest, EveryObjectIsReleasedBeforeItsScopeHasEnded) {
  constexpr int kScopes = 500;
  constexpr int kObjects = 20;
  EpochDomain domain;
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  std::latch started{3};
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      started.count_down();
      while (!stop.load()) {
        { const Guard guard(&domain); }
        domain.Reclaim();
      }
    });
  }
  started.wait();
  int late = 0;
  for (int s = 0; s < kScopes; ++s) {
    std::atomic<int> released{0};
    {
      RetireScope scope;
      for (int i = 0; i < kObjects; ++i) RetireOne(&scope, &domain, &released);
    }
    if (released != kObjects) ++late;
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace tamis
