// SPDX-License-Identifier: Apache-2.0
//
// The built-in comparators. Their key shortening determines the bytes of index
// blocks; for bytewise order it matches RocksDB's.
#include "tamis/comparator.h"

#include <algorithm>
#include <cstdint>

#include "util/base/immortal.h"
#include "util/coding/shared_prefix.h"
#include "util/extensions/equal_keys.h"

namespace tamis {

namespace {

// Whether the thread called the default of the function since this was cleared.
thread_local constinit bool default_was_called = false;

uint8_t ByteAt(const Slice& s, size_t i) { return static_cast<uint8_t>(s[i]); }

// Increments the byte at i and truncates after it.
void IncrementAndCut(std::string* s, size_t i) {
  (*s)[i] = static_cast<char>(ByteAt(*s, i) + 1);
  s->resize(i + 1);
}

class BytewiseComparatorImpl final : public Comparator {
 public:
  const char* Name() const override { return "leveldb.BytewiseComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  bool Equal(const Slice& a, const Slice& b) const override { return a == b; }

  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    const size_t i = SharedPrefixLength(*start, limit);
    if (i == std::min(start->size(), limit.size())) return;
    const uint8_t low = ByteAt(*start, i);
    const uint8_t high = ByteAt(limit, i);
    if (low >= high) return;
    if (i + 1 < limit.size() || low + 1 < high) {
      IncrementAndCut(start, i);
      return;
    }
    // Incrementing byte i would yield the limit itself; increment a later byte.
    for (size_t j = i + 1; j < start->size(); ++j) {
      if (ByteAt(*start, j) < 0xff) {
        IncrementAndCut(start, j);
        return;
      }
    }
  }

  void FindShortSuccessor(std::string* key) const override {
    for (size_t i = 0; i < key->size(); ++i) {
      if (ByteAt(*key, i) < 0xff) {
        IncrementAndCut(key, i);
        return;
      }
    }
  }

  bool CanKeysWithDifferentByteContentsBeEqual() const override {
    return false;
  }
};

class ReverseBytewiseComparatorImpl final : public Comparator {
 public:
  const char* Name() const override {
    return "rocksdb.ReverseBytewiseComparator";
  }
  int Compare(const Slice& a, const Slice& b) const override {
    return b.compare(a);
  }
  bool Equal(const Slice& a, const Slice& b) const override { return a == b; }

  // In reverse order, a prefix of *start comes after it, and before the limit
  // if it includes the first byte in which the two differ.
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    const size_t i = SharedPrefixLength(*start, limit);
    if (i == std::min(start->size(), limit.size())) return;
    if (ByteAt(*start, i) > ByteAt(limit, i)) start->resize(i + 1);
  }

  // Any prefix is a valid successor, even the empty one; the key is kept.
  void FindShortSuccessor(std::string*) const override {}

  bool CanKeysWithDifferentByteContentsBeEqual() const override {
    return false;
  }
};

}  // namespace

bool Comparator::CanKeysWithDifferentByteContentsBeEqual() const {
  default_was_called = true;
  return true;
}

EqualKeys EqualKeysOf(const Comparator& comparator) {
  default_was_called = false;
  if (!comparator.CanKeysWithDifferentByteContentsBeEqual()) {
    return EqualKeys::kHaveEqualBytes;
  }
  return default_was_called ? EqualKeys::kNotDeclared : EqualKeys::kMayDiffer;
}

const Comparator* BytewiseComparator() {
  return Immortal<const BytewiseComparatorImpl>();
}

const Comparator* ReverseBytewiseComparator() {
  return Immortal<const ReverseBytewiseComparatorImpl>();
}

}  // namespace tamis
