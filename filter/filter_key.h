// SPDX-License-Identifier: Apache-2.0
//
// A user key with cached hashes. A point read creates one and probes the
// filters of every table with it, so each hash is computed at most once.
//
// On the stack only; one thread.
#pragma once

#include <cstdint>

#include "tamis/slice.h"

#include "util/coding/hash.h"

namespace tamis {

class FilterKey {
 public:
  // user_key must outlive *this.
  explicit FilterKey(const Slice& user_key) : user_key_(user_key) {}
  // What filters use of a key.
  struct Hashes {
    uint64_t hash64 = 0;
    uint32_t hash32[2] = {0, 0};  // by flavor
  };
  // A key of which only the hashes are left: user_key() is empty.
  explicit FilterKey(const Hashes& hashes)
      : hash64_(hashes.hash64),
        hash32_{hashes.hash32[0], hashes.hash32[1]},
        has_hash64_(true),
        has_hash32_{true, true} {}
  FilterKey(const FilterKey&) = delete;
  FilterKey& operator=(const FilterKey&) = delete;

  Slice user_key() const { return user_key_; }

  // Returns whether Hash64 has been computed.
  bool has_hash64() const { return has_hash64_; }
  uint64_t Hash64() const {
    if (!has_hash64_) {
      hash64_ = tamis::Hash64(user_key_);
      has_hash64_ = true;
    }
    return hash64_;
  }

  uint32_t Hash32(Hash32Flavor flavor) const {
    const auto i = static_cast<unsigned>(flavor);
    if (!has_hash32_[i]) {
      hash32_[i] = tamis::Hash32(user_key_.data(), user_key_.size(),
                                 kBloomHash32Seed, flavor);
      has_hash32_[i] = true;
    }
    return hash32_[i];
  }

  Hashes AllHashes() const {
    return {Hash64(),
            {Hash32(Hash32Flavor::kUnsignedTail),
             Hash32(Hash32Flavor::kSignedTail)}};
  }

 private:
  const Slice user_key_;
  mutable uint64_t hash64_ = 0;
  mutable uint32_t hash32_[2] = {0, 0};
  mutable bool has_hash64_ = false;
  mutable bool has_hash32_[2] = {false, false};
};

}  // namespace tamis
