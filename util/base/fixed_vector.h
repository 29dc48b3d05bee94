// SPDX-License-Identifier: Apache-2.0
//
// A FixedVector is a vector of at most N objects, stored inline. Unused slots
// are not constructed. T need not be movable. One thread.
//
//   FixedVector   [ T | T | T | - | - ]   N slots, size() objects
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "util/base/check.h"

namespace tamis {

template <typename T, size_t N>
class FixedVector {
 public:
  FixedVector() {}  // NOLINT: = default would zero the slots
  ~FixedVector() {
    while (size_ > 0) std::destroy_at(data() + --size_);
  }
  FixedVector(const FixedVector&) = delete;
  FixedVector& operator=(const FixedVector&) = delete;

  // REQUIRES: size() < N
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    TAMIS_DCHECK(size_ < N);
    T* const made =
        new (places_ + size_ * sizeof(T)) T(std::forward<Args>(args)...);
    ++size_;
    return *made;
  }

  size_t size() const { return size_; }
  // REQUIRES: i < size()
  T& operator[](size_t i) { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

 private:
  T* data() { return std::launder(reinterpret_cast<T*>(places_)); }

  alignas(T) std::byte places_[N * sizeof(T)];
  size_t size_ = 0;
};

}  // namespace tamis
