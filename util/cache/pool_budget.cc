// SPDX-License-Identifier: Apache-2.0
#include "util/cache/pool_budget.h"

#include <algorithm>
#include <memory>
#include <new>

namespace tamis {

namespace {

// Of the capacity: what may be taken beyond it, how much headroom there may be,
// and what may drain at a time.
constexpr size_t kSlackShare = 32;
constexpr size_t kHeadroomShareMax = 8;
constexpr size_t kDrainShareMax = 8;
// Of a block's bytes: by how much one that found room lowers the headroom.
constexpr size_t kHeadroomGain = 64;

// A block outside of the pool that waits for readers.
struct Waiting {
  const BlockBuffer* block;
  std::atomic<size_t>* outside;
  size_t bytes;
};

void FreeOutside(void* object) {
  const std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(object));
  waiting->block->Unref();
  waiting->outside->fetch_sub(waiting->bytes, std::memory_order_relaxed);
}

}  // namespace

// What there is no memory to remember stays counted: it is never freed.
void PoolBudget::Retire(const BlockBuffer* block, size_t charge,
                        EpochDomain* epochs) {
  const size_t outside = Outside(*block, charge);
  if (block->in_pool()) {
    // Gone, perhaps, when this returns.
    epochs->Retire(const_cast<BlockBuffer*>(block), &BlockBuffer::UnrefObject,
                   charge);
    outside_.fetch_sub(outside, std::memory_order_relaxed);
  } else {
    auto* const waiting = new (std::nothrow) Waiting{block, &outside_, outside};
    if (waiting != nullptr) epochs->Retire(waiting, &FreeOutside, charge);
  }
}

size_t PoolBudget::Bound() const {
  const size_t capacity = capacity_.load(std::memory_order_relaxed);
  return capacity + capacity / kSlackShare;
}

size_t PoolBudget::Beyond() const {
  const size_t taken =
      pool_.reserved_bytes() + outside_.load(std::memory_order_relaxed);
  return taken - std::min(taken, Bound());
}

void PoolBudget::LimitPool() {
  const size_t bound = Bound();
  pool_.SetLimit(bound -
                 std::min(bound, outside_.load(std::memory_order_relaxed)));
}

bool PoolBudget::Fits(const BlockBuffer& block, size_t charge, size_t* drain) {
  *drain = 0;
  LimitPool();
  // Threads may take a change of the headroom from each other: it finds its
  // height all the same.
  const size_t headroom = headroom_.load(std::memory_order_relaxed);
  if (block.in_pool()) {
    if (headroom > 0) {
      headroom_.store(headroom - std::min(headroom, charge / kHeadroomGain),
                      std::memory_order_relaxed);
    }
    return true;
  }
  const size_t beyond = Beyond();
  const size_t capacity = capacity_.load(std::memory_order_relaxed);
  if (block.refused_by_pool() && headroom < capacity / kHeadroomShareMax) {
    headroom_.store(headroom + charge, std::memory_order_relaxed);
  } else {
    *drain = std::min(beyond, capacity / kDrainShareMax);
  }
  return beyond == 0;
}

size_t PoolBudget::SetCapacity(size_t capacity) {
  capacity_.store(capacity, std::memory_order_relaxed);
  LimitPool();
  return Beyond();
}

}  // namespace tamis
