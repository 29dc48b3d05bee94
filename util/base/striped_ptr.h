// SPDX-License-Identifier: Apache-2.0
//
// A StripedPtr hands out shared_ptrs to one object that many threads take and
// drop. The threads count their references in different cache lines, and so do
// not wait for each other as they do at the one count of a shared_ptr.
//
//   StripedPtr ─┬─▶ owner [ count | shared_ptr ]─┐
//               ├─▶ owner [ count | shared_ptr ]─┼─▶ object
//               └─▶ owner [ count | shared_ptr ]─┘
//
// There are four owners for each processor, since threads meet at one by
// chance, and at most 16. An owner lives while the StripedPtr does or pointers
// that count in it exist, and the object while an owner does.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "util/base/thread_number.h"

namespace tamis {

// The number of owners. Asks the system once: the answer is in a file.
inline size_t StripesOfProcess() {
  constexpr size_t kStripesMax = 16;
  static constinit std::atomic<size_t> known{0};
  size_t stripes = known.load(std::memory_order_relaxed);
  if (stripes == 0) {
    stripes = std::bit_ceil(std::clamp<size_t>(
        4 * size_t{std::thread::hardware_concurrency()}, 1, kStripesMax));
    known.store(stripes, std::memory_order_relaxed);
  }
  return stripes;
}

template <typename T>
class StripedPtr {
 public:
  // May throw std::bad_alloc. REQUIRES: object is not nullptr.
  explicit StripedPtr(std::shared_ptr<T> object) : object_(std::move(object)) {
    const size_t stripes = StripesOfProcess();
    stripes_.reserve(stripes);
    for (size_t i = 0; i < stripes; ++i) {
      auto owner = std::make_shared<Owner>(object_);
      T* const shown = object_.get();
      stripes_.emplace_back(std::move(owner), shown);
    }
  }
  StripedPtr(StripedPtr&&) = default;
  StripedPtr(const StripedPtr&) = delete;
  StripedPtr& operator=(const StripedPtr&) = delete;

  // Drops the object. REQUIRES: no other call follows.
  void reset() {
    stripes_.clear();
    object_.reset();
  }

  T* get() const { return object_.get(); }
  // Counts where all others of it do.
  const std::shared_ptr<T>& object() const { return object_; }
  // Returns a pointer that counts where the calling thread does. Any thread may
  // drop it. Any thread.
  std::shared_ptr<T> Share() const {
    return stripes_[ThreadNumber() & (stripes_.size() - 1)];
  }

 private:
  static constexpr size_t kCacheLine = 64;
  // make_shared puts the count in front of the Owner, whose alignment gives it
  // a cache line of its own.
  struct alignas(kCacheLine) Owner {
    explicit Owner(std::shared_ptr<T> object_in)
        : object(std::move(object_in)) {}
    std::shared_ptr<T> object;
  };

  std::shared_ptr<T> object_;
  std::vector<std::shared_ptr<T>> stripes_;  // a power of two
};

}  // namespace tamis
