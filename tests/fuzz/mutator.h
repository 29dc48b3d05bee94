// SPDX-License-Identifier: Apache-2.0
//
// Shared by mutators: seeded choices, and a change of a few bytes, made by the
// fuzzer. The same seed and fuzzer give the same mutation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tamis/slice.h"

#include "util/base/random.h"

namespace tamis {

class Mutator {
 public:
  // Changes data[0, size), which has room for max_size bytes, and returns the
  // new size: LLVMFuzzerMutate.
  using ChangeBytes = size_t (*)(uint8_t* data, size_t size, size_t max_size);

  Mutator(uint64_t seed, ChangeBytes change_bytes)
      : random_(seed), change_bytes_(change_bytes) {}

  // In [0, n). REQUIRES: n > 0
  size_t Below(size_t n) { return static_cast<size_t>(random_.Uniform(n)); }
  bool OneIn(size_t n) { return random_.OneIn(n); }

  // At most kGrowthMax bytes longer.
  static constexpr size_t kGrowthMax = 64;
  void Change(std::string* bytes) {
    const size_t size = bytes->size();
    bytes->resize(size + kGrowthMax);
    bytes->resize(std::min(
        bytes->size(),
        change_bytes_(static_cast<uint8_t*>(static_cast<void*>(bytes->data())),
                      size, size + kGrowthMax)));
  }

  // A limit of the integers, or a number near `old`.
  uint64_t Number(uint64_t old) {
    switch (Below(4)) {
      case 0:
        return random_.Next() >> Below(64);
      case 1:
        return (uint64_t{1} << Below(64)) - Below(2);
      case 2:
        return old ^ (uint64_t{1} << Below(64));
      default:
        return old + Below(9) - 4;
    }
  }

  // Removes one element, doubles one, or swaps two.
  template <typename T>
  void Shuffle(std::vector<T>* all) {
    if (all->empty()) return;
    const size_t i = Below(all->size());
    const size_t j = Below(all->size());
    switch (Below(3)) {
      case 0:
        all->erase(all->begin() + static_cast<std::ptrdiff_t>(i));
        return;
      case 1: {
        T copy = (*all)[i];
        all->insert(all->begin() + static_cast<std::ptrdiff_t>(j),
                    std::move(copy));
        return;
      }
      default:
        if (i != j) std::swap((*all)[i], (*all)[j]);
    }
  }

 private:
  Random random_;
  const ChangeBytes change_bytes_;
};

}  // namespace tamis
