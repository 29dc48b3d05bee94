// SPDX-License-Identifier: Apache-2.0
//
// Objects that are made when they are first asked for and never destroyed, so
// that background work and statics of the program may use them to the very end.
//
// A static variable of a function would do, but for fork(): a child that is
// forked while another thread initializes it waits forever for that thread,
// which the child does not have. Here no thread waits for another. Several may
// make the object, and all use that of the first one to finish.
#pragma once

#include <atomic>
#include <memory>

namespace tamis {

// The only one of its type. Any thread. May throw what T() throws.
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
