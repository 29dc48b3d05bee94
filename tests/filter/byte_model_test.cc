// SPDX-License-Identifier: Apache-2.0
#include "filter/byte_model.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

struct Trained {
  explicit Trained(const std::vector<std::string>& strings) {
    for (const std::string& s : strings) trainer.Add(s, 0);
    trainer.Finish(&shares);
  }
  ByteModel model() const {
    return ByteModel(shares.data(), trainer.first(), trainer.num_bytes());
  }
  ByteModelTrainer trainer;
  std::string shares;
};

// `num_bytes` values from `first`, so that strings are often prefixes of
// others.
std::string RandomString(Random* random, uint32_t first, uint32_t num_bytes) {
  std::string s(random->Uniform(12), '\0');
  for (char& c : s) c = static_cast<char>(first + random->Uniform(num_bytes));
  return s;
}

TEST(ByteModelTest, CodesHaveTheOrderOfTheStrings) {
  Random random(301);
  for (int round = 0; round < 200; ++round) {
    const auto first = static_cast<uint32_t>(random.Uniform(250));
    const auto num_bytes =
        static_cast<uint32_t>(random.Uniform(256 - first) + 1);
    std::vector<std::string> strings;
    for (int i = 0; i < 50; ++i) {
      strings.push_back(RandomString(&random, first, num_bytes));
    }
    if (round == 0) strings.clear();
    const Trained trained(strings);
    EXPECT_EQ(trained.shares.size(),
              ByteModel::StoredSize(trained.trainer.num_bytes()));
    const ByteModel model = trained.model();
    // Also bytes that the model has not seen.
    for (int i = 0; i < 200; ++i) {
      strings.push_back(RandomString(&random, 0, 256));
      strings.push_back(RandomString(&random, first, 3));
    }
    std::ranges::sort(strings);
    for (int bits = kByteShareBits; bits < kByteCodeBits; bits += 8) {
      const uint64_t part_min = uint64_t{1} << bits;
      for (size_t i = 1; i < strings.size(); ++i) {
        const uint64_t code = model.CodeOf(strings[i], 0, part_min);
        ASSERT_LE(model.CodeOf(strings[i - 1], 0, part_min), code);
        ASSERT_LE(code, uint64_t{1} << kByteCodeBits);
      }
    }
  }
}

TEST(ByteModelTest, CodesOfStringsLikeTheTrainedOnesSpreadEvenly) {
  Random random(301);
  std::vector<std::string> strings;
  // Seven of eight bytes are 'a' to 'd', the others 'e' to 't'.
  for (int i = 0; i < 20000; ++i) {
    std::string s(10, '\0');
    for (char& c : s) {
      c = static_cast<char>(random.OneIn(8) ? 'e' + random.Uniform(16)
                                            : 'a' + random.Uniform(4));
    }
    strings.push_back(std::move(s));
  }
  const Trained trained(strings);
  std::vector<int> counts(16);
  for (const std::string& s : strings) {
    const uint64_t code = trained.model().CodeOf(s, 0, ByteModel::kPartMin);
    ++counts[code >> (kByteCodeBits - 4)];
  }
  for (const int count : counts) {
    EXPECT_GT(count, 20000 / 16 * 8 / 10);
    EXPECT_LT(count, 20000 / 16 * 12 / 10);
  }
}

TEST(ByteModelTest, TheGoldenCodesAreTheSameOnEveryMachine) {
  const Trained trained({"user123", "user456", "user789x"});
  const ByteModel model = trained.model();
  EXPECT_EQ(model.CodeOf("user457", 0, ByteModel::kPartMin),
            67339568653564326u);
  EXPECT_EQ(model.CodeOf("user457", 4, ByteModel::kPartMin),
            18102880802045952u);
  EXPECT_EQ(model.CodeOf("\xff", 0, ByteModel::kPartMin),
            uint64_t{1} << kByteCodeBits);
  EXPECT_EQ(model.CodeOf("", 0, ByteModel::kPartMin), 0u);
}

}  // namespace
}  // namespace tamis
