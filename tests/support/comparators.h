// SPDX-License-Identifier: Apache-2.0
//
// User comparators for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tamis/comparator.h"

namespace tamis {

// Orders bytewise under the given name, and shortens no keys. A derived class
// defines only what differs, as a rule the order.
class NamedComparator : public Comparator {
 public:
  explicit NamedComparator(std::string name) : name_(std::move(name)) {}
  const char* Name() const override { return name_.c_str(); }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const std::string name_;
};

// The reverse bytewise order, of which the library knows nothing more.
class Backwards : public NamedComparator {
 public:
  Backwards() : NamedComparator("test.Backwards") {}
  int Compare(const Slice& a, const Slice& b) const override {
    return b.compare(a);
  }
};

// Letters of either case are the same key.
class CaseInsensitive : public NamedComparator {
 public:
  CaseInsensitive() : NamedComparator("test.CaseInsensitive") {}
  int Compare(const Slice& a, const Slice& b) const override {
    const size_t n = std::min(a.size(), b.size());
    for (size_t i = 0; i < n; ++i) {
      const int difference = Lower(a[i]) - Lower(b[i]);
      if (difference != 0) return difference;
    }
    return a.size() < b.size() ? -1 : (a.size() > b.size() ? 1 : 0);
  }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return true; }

 private:
  static int Lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : static_cast<uint8_t>(c);
  }
};

// By length, then bytes: neither a prefix nor a key head determines the order.
class ByLength : public NamedComparator {
 public:
  ByLength() : NamedComparator("test.ByLength") {}
  int Compare(const Slice& a, const Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
};

}  // namespace tamis
