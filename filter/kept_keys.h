// SPDX-License-Identifier: Apache-2.0
//
// The keys of a range filter that is being built, with the number of bytes that
// each shares with the one before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "util/coding/shared_prefix.h"

namespace tamis {

// One thread.
class KeptKeys {
 public:
  static constexpr size_t kBytesMax = size_t{256} << 20;

  explicit KeptKeys(size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

  // Keeps a key, unless it is equal to the last one. Once the keys have more
  // bytes than bytes_max, frees all, and stays empty. REQUIRES: not less than
  // the last key.
  void Add(const Slice& key) {
    if (gave_up_) return;
    size_t shared = key.size();
    if (!ends_.empty()) {
      const Slice last = (*this)[size() - 1];
      shared = SharedPrefixLength(last, key);
      if (shared == key.size() && shared == last.size()) return;
      shared_.front() =
          std::min(shared_.front(), static_cast<uint32_t>(shared));
    }
    shared_.push_back(static_cast<uint32_t>(shared));
    bytes_.append(key.data(), key.size());
    ends_.push_back(bytes_.size());
    if (bytes_.size() > bytes_max_) GiveUp();
  }

  bool empty() const { return ends_.empty(); }
  size_t size() const { return ends_.size(); }
  Slice operator[](size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, ends_[i] - begin};
  }
  // Returns the number of bytes that a key shares with the one before it, the
  // first key with all others. REQUIRES: i < size()
  uint32_t shared(size_t i) const { return shared_[i]; }
  // In bytes.
  size_t ApproximateMemoryUsage() const {
    return bytes_.capacity() + ends_.capacity() * sizeof(uint64_t) +
           shared_.capacity() * sizeof(uint32_t);
  }
  // Returns what all keys begin with. REQUIRES: not empty
  Slice prefix() const { return {bytes_.data(), shared_.front()}; }

 private:
  void GiveUp() {
    gave_up_ = true;
    // Assigning empty ones would keep the memory.
    std::string().swap(bytes_);
    std::vector<uint64_t>().swap(ends_);
    std::vector<uint32_t>().swap(shared_);
  }

  const size_t bytes_max_;
  bool gave_up_ = false;
  std::string bytes_;  // of the keys, one after the other
  std::vector<uint64_t> ends_;
  std::vector<uint32_t> shared_;
};

}  // namespace tamis
