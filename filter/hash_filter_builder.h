// SPDX-License-Identifier: Apache-2.0
//
// The part that filters of Hash64 have in common while they are built: keeps
// the hashes of the keys until Finish, without adjacent duplicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "filter/filter_codec.h"

namespace tamis {

// One thread.
class HashFilterBuilder : public FilterBuilder {
 public:
  void Add(const FilterKey& key) final {
    const uint64_t hash = key.Hash64();
    if (hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
  }
  size_t num_keys() const final { return hashes_.size(); }

 protected:
  std::vector<uint64_t> hashes_;  // Finish takes them
};

}  // namespace tamis
