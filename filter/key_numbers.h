// SPDX-License-Identifier: Apache-2.0
//
// Maps the keys of a filter to numbers, in order and as densely as the bytes
// that occur allow: decimal digits become digits of base 10.
//
//   keys     user/0071, user/0350, user/1934      prefix "user/"
//   seen     position 0: 0 1     1: 0 3 9    2: 3 5 7    3: 0 1 4
//   digits   0 0 2 1   0 1 1 0   1 2 0 2          rank among those seen
//   number   digits in mixed radix: 2, 3, 3, 3
//
// The end of a key ranks before all bytes. Positions count from the first one
// after the prefix, as many as fit into 64 bits, 64 at most. Keys that differ
// only after these have equal numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "util/base/check.h"
#include "util/coding/coding.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

inline constexpr size_t kNumberPositionsMax = 64;
// The stored form of a position.
inline constexpr size_t kNumberPositionBytes = 41;

// The keys of a filter, in order; each is stored as what differs from the one
// before. One thread.
class SortedKeys {
 public:
  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  const std::string& prefix() const { return prefix_; }
  // Returns the bytes of the longest key after the prefix.
  size_t longest_rest() const { return longest_ - prefix_.size(); }
  const std::string& last() const { return last_; }
  size_t ApproximateMemoryUsage() const { return bytes_.capacity(); }

  // REQUIRES: greater than the last one.
  void Add(const Slice& key) {
    const size_t shared = count_ == 0 ? 0 : SharedPrefixLength(last_, key);
    if (count_ == 0) {
      prefix_ = key.ToString();
    } else {
      prefix_.resize(std::min(prefix_.size(), shared));
    }
    longest_ = std::max(longest_, key.size());
    last_.assign(key.data(), key.size());
    // Later bytes never count: the prefix only becomes shorter.
    const size_t end =
        std::min(key.size(), prefix_.size() + kNumberPositionsMax);
    PutVarint64(&bytes_, std::min(shared, end));
    PutVarint64(&bytes_, end - std::min(shared, end));
    bytes_.append(key.data() + std::min(shared, end),
                  end - std::min(shared, end));
    ++count_;
  }

  // Calls visit(rest, shared) for each key: what follows the prefix, and how
  // many bytes of that the key before has, too.
  template <typename Visit>
  void ForEach(Visit visit) const {
    Decoder in(bytes_);
    std::string key;
    for (size_t i = 0; i < count_; ++i) {
      const auto shared = static_cast<size_t>(in.Varint64());
      const auto rest = static_cast<size_t>(in.Varint64());
      key.resize(shared);
      const Slice added = in.Bytes(rest);
      key.append(added.data(), added.size());
      TAMIS_DCHECK(in.ok());
      visit(Slice(key.data() + prefix_.size(), key.size() - prefix_.size()),
            i == 0 ? 0 : shared - std::min(shared, prefix_.size()));
    }
  }

 private:
  std::string prefix_;  // of all keys
  std::string last_;
  std::string bytes_;
  size_t longest_ = 0;
  size_t count_ = 0;
};

// The positions that count, and the numbers of keys. Const once made; any
// thread.
class KeyNumbers {
 public:
  explicit KeyNumbers(const SortedKeys& keys);

  size_t positions() const { return weights_.size(); }
  // Returns the numbers of the keys, ascending, without duplicates.
  std::vector<uint64_t> Of(const SortedKeys& keys) const;
  // Appends what KeyNumberReader reads: kNumberPositionBytes for each position.
  void AppendTo(std::string* out) const;

 private:
  // Takes positions as long as their numbers fit. Keys of `shortest` bytes
  // after the prefix end first.
  void Take(const std::vector<std::bitset<256>>& seen, size_t shortest);

  size_t shortest_ = 0;
  std::vector<std::bitset<256>> seen_;
  std::vector<std::array<uint16_t, 256>> ranks_;
  std::vector<uint64_t> weights_;  // of the digits
};

}  // namespace tamis
