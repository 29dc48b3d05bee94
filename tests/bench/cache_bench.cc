// SPDX-License-Identifier: Apache-2.0
//
// The cost of finding resident blocks, with one thread and with two:
//   tamis_micro_bench --benchmark_filter='Epoch|Cache'
// The argument is the number of blocks of 4 KiB, which are found in random
// order. CacheInsert inserts that number of blocks into a cache for an eighth
// of them, so that each insertion evicts a block.
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "util/base/random.h"
#include "util/cache/block_cache.h"
#include "util/cache/epoch.h"

namespace tamis {
namespace {

constexpr size_t kBlockBytes = 4096;

std::unique_ptr<EpochDomain> shared_domain;

void SetUpDomain(const benchmark::State&) {
  shared_domain = std::make_unique<EpochDomain>();
}
void TearDownDomain(const benchmark::State&) { shared_domain.reset(); }

void EpochEnterAndLeave(benchmark::State& state) {
  for (auto _ : state) {
    const EpochDomain::Guard guard(shared_domain.get());
    benchmark::DoNotOptimize(&guard);
  }
}
BENCHMARK(EpochEnterAndLeave)
    ->Setup(SetUpDomain)
    ->Teardown(TearDownDomain)
    ->ThreadRange(1, 2);

void EpochRetire(benchmark::State& state) {
  for (auto _ : state) {
    shared_domain->Retire(
        nullptr, [](void*) {}, kBlockBytes);
  }
}
BENCHMARK(EpochRetire)
    ->Setup(SetUpDomain)
    ->Teardown(TearDownDomain)
    ->ThreadRange(1, 2);

// The argument is the number of threads that were inside and have ended.
void EpochRetireAfterThreads(benchmark::State& state) {
  const auto threads = static_cast<ptrdiff_t>(state.range(0));
  EpochDomain domain;
  {
    std::latch all_inside(threads);
    std::vector<std::jthread> inside;
    for (ptrdiff_t i = 0; i < threads; ++i) {
      inside.emplace_back([&domain, &all_inside] {
        const EpochDomain::Guard guard(&domain);
        all_inside.arrive_and_wait();
      });
    }
  }
  for (auto _ : state)
    domain.Retire(
        nullptr, [](void*) {}, kBlockBytes);
}
BENCHMARK(EpochRetireAfterThreads)->Arg(0)->Arg(2000);

// The argument is the number of domains that one thread enters in turn.
void EpochEnterInTurn(benchmark::State& state) {
  std::vector<std::unique_ptr<EpochDomain>> domains;
  for (int64_t i = 0; i < state.range(0); ++i) {
    domains.push_back(std::make_unique<EpochDomain>());
  }
  size_t next = 0;
  for (auto _ : state) {
    const EpochDomain::Guard guard(domains[next].get());
    next = next + 1 < domains.size() ? next + 1 : 0;
  }
}
BENCHMARK(EpochEnterInTurn)->Arg(1)->Arg(2)->Arg(5000);

struct Resident {
  Resident(size_t count, size_t capacity)
      : cache(capacity), slots(std::make_unique<BlockSlot[]>(count)) {
    for (size_t i = 0; i < count; ++i) Insert(i);
    Random random(301);
    for (size_t i = 0; i < (1 << 16); ++i) {
      order.push_back(static_cast<uint32_t>(random.Uniform(count)));
    }
  }
  void Insert(size_t i) {
    cache.Insert(&slots[i], nullptr,
                 PinnedBytes::Own(std::string(kBlockBytes, 'b')));
  }

  BlockCache cache;
  std::unique_ptr<BlockSlot[]> slots;
  std::vector<uint32_t> order;
};

std::unique_ptr<Resident> shared_resident;

void SetUpAll(const benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  shared_resident = std::make_unique<Resident>(count, count * kBlockBytes * 2);
}
void SetUpEighth(const benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  shared_resident = std::make_unique<Resident>(count, count * kBlockBytes / 8);
}
void TearDownResident(const benchmark::State&) { shared_resident.reset(); }

size_t FirstOf(const benchmark::State& state) {
  return static_cast<size_t>(state.thread_index()) * 1000;
}

// A look at the block's first byte, as every reader has it.
void CacheLookup(benchmark::State& state) {
  Resident& resident = *shared_resident;
  size_t i = FirstOf(state);
  size_t sum = 0;
  for (auto _ : state) {
    const EpochDomain::Guard guard(resident.cache.epochs());
    const BlockBuffer* const block = BlockCache::Lookup(
        resident.slots[resident.order[i++ % resident.order.size()]]);
    sum += static_cast<unsigned char>(block->bytes()[0]);
  }
  benchmark::DoNotOptimize(sum);
}

void CachePin(benchmark::State& state) {
  Resident& resident = *shared_resident;
  size_t i = FirstOf(state);
  size_t sum = 0;
  for (auto _ : state) {
    const PinnedBytes block = resident.cache.Pin(
        resident.slots[resident.order[i++ % resident.order.size()]]);
    sum += static_cast<unsigned char>(block.bytes()[0]);
  }
  benchmark::DoNotOptimize(sum);
}

// The block's own allocation and 4 KiB of writing included.
void CacheInsert(benchmark::State& state) {
  Resident& resident = *shared_resident;
  const auto count = static_cast<size_t>(state.range(0));
  size_t i = FirstOf(state);
  for (auto _ : state) resident.Insert(i++ % count);
}

#define TAMIS_CACHE_BENCH(name, set_up) \
  BENCHMARK(name)                       \
      ->Setup(set_up)                   \
      ->Teardown(TearDownResident)      \
      ->Arg(1000)                       \
      ->Arg(75000)                      \
      ->ThreadRange(1, 2)

TAMIS_CACHE_BENCH(CacheLookup, SetUpAll);
TAMIS_CACHE_BENCH(CachePin, SetUpAll);
TAMIS_CACHE_BENCH(CacheInsert, SetUpEighth);

}  // namespace
}  // namespace tamis
