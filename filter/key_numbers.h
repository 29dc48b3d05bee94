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
// The size of a position in its stored form (key_number_reader.h).
inline constexpr size_t kNumberPositionBytes = 41;

// The bytes that keys have at one position.
struct SeenBytes {
  bool Has(uint8_t byte) const {
    return (words[byte / 64u] >> (byte % 64) & 1) != 0;
  }
  void Add(char c) {
    const auto byte = static_cast<uint8_t>(c);
    words[byte / 64u] |= uint64_t{1} << (byte % 64);
  }
  std::array<uint64_t, 4> words{};
};

// The keys of a filter, in order; each is stored as what differs from the one
// before. One thread.
class SortedKeys {
 public:
  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  const std::string& prefix() const { return prefix_; }
  // Return how many bytes the shortest and the longest key have after the
  // prefix.
  size_t shortest_rest() const { return shortest_ - prefix_.size(); }
  size_t longest_rest() const { return longest_ - prefix_.size(); }
  // Returns the set of bytes that keys have at a position after the prefix.
  // REQUIRES: position < kNumberPositionsMax.
  const SeenBytes& seen(size_t position) const { return seen_[position]; }
  const std::string& last() const { return last_; }
  size_t ApproximateMemoryUsage() const { return bytes_.capacity(); }

  // REQUIRES: greater than the last one.
  void Add(const Slice& key);

  // Calls visit(shared, rest) for each key, in order. `shared` is the number of
  // bytes after the prefix that the key shares with the key before. `rest` are
  // the bytes after these, as far as they count.
  template <typename Visit>
  void ForEach(Visit visit) const {
    Decoder in(bytes_);
    for (size_t i = 0; i < count_; ++i) {
      const size_t shared = in.Varint32();
      Slice rest = in.Bytes(in.Varint32());
      TAMIS_DCHECK(in.ok());
      if (i == 0) rest.remove_prefix(prefix_.size());
      visit(i == 0 ? 0 : shared - prefix_.size(), rest);
    }
  }

 private:
  // REQUIRES: size < prefix_.size().
  void ShortenPrefix(size_t size);

  std::string prefix_;  // of all keys
  std::string last_;
  std::string bytes_;
  std::array<SeenBytes, kNumberPositionsMax> seen_;
  size_t shortest_ = 0;
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
  const size_t shortest_;  // bytes of the shortest key after the prefix
  std::vector<SeenBytes> seen_;
  std::vector<std::array<uint16_t, 256>> ranks_;
  std::vector<uint64_t> weights_;  // of the digits
};

}  // namespace tamis
