// SPDX-License-Identifier: Apache-2.0
//
// Immortal<T>() returns an object that is created on first use and never
// destroyed, so that background work and static destructors may use it until
// the process ends.
//
// A function-local static would deadlock after fork(): if another thread is
// initializing it, the child waits forever for a thread it does not have. Here
// no thread waits for another. Several threads may create an object; all use
// the first one finished.
#pragma once

#include <atomic>
#include <memory>

namespace tamis {

// Returns the only object of type T. Throws the exceptions of T(). Any thread.
template <typename T>
T* Immortal() {
  static constinit std::atomic<T*> kept{nullptr};
  T* object = kept.load(std::memory_order_acquire);
  if (object != nullptr) return object;
  auto made = std::make_unique<T>();
  if (kept.compare_exchange_strong(object, made.get(),
                                   std::memory_order_acq_rel,
                                   std::memory_order_acquire)) {
    object = made.release();
  }
  return object;
}

}  // namespace tamis
