// SPDX-License-Identifier: Apache-2.0
#include "util/cache/pool_budget.h"

#include <algorithm>
#include <memory>
#include <new>

namespace tamis {

namespace {

// Fractions (1/n) of the capacity: slack beyond it, maximum headroom, and
// maximum to drain at a time.
constexpr size_t kSlackShare = 32;
constexpr size_t kHeadroomShareMax = 8;
constexpr size_t kDrainShareMax = 8;
// Fraction (1/n) of an accepted block's bytes that lowers the headroom.
constexpr size_t kHeadroomGain = 64;

// A block outside the pool that was retired.
struct Waiting {
  const BlockBuffer* block;
  std::atomic<size_t>* outside;
  size_t bytes;
};

void FreeOutside(void* object) {
  const std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(object));
  waiting->block->Unref();
  const size_t before =
      waiting->outside->fetch_sub(waiting->bytes, std::memory_order_relaxed);
  TAMIS_CHECK(before >= waiting->bytes);
}

}  // namespace

// If memory to record the block runs out, it is never freed and stays counted.
void PoolBudget::Retire(const BlockBuffer* block, size_t charge,
                        EpochDomain* epochs) {
  const size_t outside = Outside(*block, charge);
  if (block->in_pool()) {
    // The block may already be freed when this returns.
    epochs->Retire(const_cast<BlockBuffer*>(block), &BlockBuffer::UnrefObject,
                   charge);
    outside_.fetch_sub(outside, std::memory_order_relaxed);
  } else {
    auto* const waiting = new (std::nothrow) Waiting{block, &outside_, outside};
    if (waiting != nullptr) epochs->Retire(waiting, &FreeOutside, charge);
  }
}

size_t PoolBudget::Limit(size_t capacity) {
  const size_t bound = capacity + capacity / kSlackShare;
  const size_t outside = outside_.load(std::memory_order_relaxed);
  pool_.SetLimit(bound - std::min(bound, outside));
  const size_t taken = pool_.reserved_bytes() + outside;
  return taken - std::min(taken, bound);
}

bool PoolBudget::Fits(const BlockBuffer& block, size_t charge, size_t capacity,
                      size_t* drain) {
  *drain = 0;
  const size_t beyond = Limit(capacity);
  // Racing threads may lose each other's changes to the headroom; it converges
  // anyway.
  const size_t headroom = headroom_.load(std::memory_order_relaxed);
  if (block.in_pool()) {
    if (headroom > 0) {
      headroom_.store(headroom - std::min(headroom, charge / kHeadroomGain),
                      std::memory_order_relaxed);
    }
    return true;
  }
  if (block.refused_by_pool() && headroom < capacity / kHeadroomShareMax) {
    headroom_.store(headroom + charge, std::memory_order_relaxed);
  } else {
    *drain = std::min(beyond, capacity / kDrainShareMax);
  }
  return beyond == 0;
}

}  // namespace tamis
