// SPDX-License-Identifier: Apache-2.0
//
// A database works with a comparator whose shortened keys are not in its order.
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/comparators.h"

namespace tamis {
namespace {

// Shortens every key to one that is after all others.
class ShortensTooFar : public NamedComparator {
 public:
  ShortensTooFar() : NamedComparator("test.ShortensTooFar") {}
  void FindShortestSeparator(std::string* start, const Slice&) const override {
    *start = "~";
  }
};

class ComparatorFaultsTest : public DBTest {};

TEST_F(ComparatorFaultsTest, ASeparatorBeyondTheLimitIsNotUsed) {
  const ShortensTooFar comparator;
  options_.comparator = &comparator;
  Open();
  constexpr int kKeys = 300;
  PutMany(kKeys, 200);
  Flush();
  for (int i = 0; i < kKeys; ++i) {
    ASSERT_EQ(Get(Key(i)), Noise(200, static_cast<uint64_t>(i)));
  }
  db_.reset();
}

}  // namespace
}  // namespace tamis
