// SPDX-License-Identifier: Apache-2.0
//
// User comparators for tests.
#pragma once

#include <string>

#include "tamis/comparator.h"

namespace tamis {

// By length, then bytes: neither a prefix nor a key head determines the order.
class ByLength : public Comparator {
 public:
  const char* Name() const override { return "test.ByLength"; }
  int Compare(const Slice& a, const Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

}  // namespace tamis
