// SPDX-License-Identifier: Apache-2.0
#include "util/base/fixed_vector.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Can neither be copied nor moved, and writes down its end.
class Witness {
 public:
  Witness(std::string name, std::vector<std::string>* ended)
      : name_(std::move(name)), ended_(ended) {}
  ~Witness() { ended_->push_back(name_); }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  std::vector<std::string>* const ended_;
};

TEST(FixedVectorTest, ConstructsInPlaceAndDestroysInReverseOrder) {
  std::vector<std::string> ended;
  {
    FixedVector<Witness, 3> all;
    EXPECT_EQ(all.size(), 0u);
    EXPECT_EQ(all.begin(), all.end());
    const Witness& first = all.emplace_back("first", &ended);
    all.emplace_back("second", &ended);
    EXPECT_EQ(all.size(), 2u);
    EXPECT_EQ(&all[0], &first);
    EXPECT_EQ(all.begin() + 2, all.end());
    std::string names;
    for (const Witness& one : all) names += one.name() + " ";
    EXPECT_EQ(names, "first second ");
    EXPECT_TRUE(ended.empty());
  }
  EXPECT_EQ(ended, (std::vector<std::string>{"second", "first"}));
}

TEST(FixedVectorTest, KeepsTheAlignmentOfItsObjects) {
  struct alignas(64) Line {
    char byte = 'b';
  };
  FixedVector<Line, 2> lines;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(&lines.emplace_back()) % 64, 0u);
  }
}

}  // namespace
}  // namespace tamis
