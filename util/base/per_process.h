// SPDX-License-Identifier: Apache-2.0
//
// PerProcess<T>() returns an object that is created on first use in a process
// and never destroyed. A forked child gets its own: that of the parent is left
// as it is, because another thread may have held its mutex. No thread waits for
// another; see util/base/immortal.h.
#pragma once

#include <atomic>
#include <memory>

#include "util/base/process.h"

namespace tamis {

// Returns the process's object. Throws the exceptions of T(). Any thread.
template <typename T>
T* PerProcess() {
  struct Kept {
    const OwnerProcess owner;
    T object;
  };
  static constinit std::atomic<Kept*> kept{nullptr};
  Kept* found = kept.load(std::memory_order_acquire);
  while (found == nullptr || !found->owner.IsCurrent()) {
    auto made = std::make_unique<Kept>();
    // Threads that race here all use the same one.
    if (kept.compare_exchange_strong(found, made.get(),
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      if (found != nullptr) IgnoreLeakOf(found);
      found = made.release();
    }
  }
  return &found->object;
}

}  // namespace tamis
