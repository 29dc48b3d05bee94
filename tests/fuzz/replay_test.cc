// SPDX-License-Identifier: Apache-2.0
//
// Runs every input of the corpus through its target once, in the ordinary
// build, so that bugs found by fuzzing stay fixed without clang.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fuzz/fuzz_targets.h"

namespace tamis {
void PrintTo(const FuzzTarget& target, std::ostream* out) {
  *out << target.name;
}

namespace {

class FuzzCorpusTest : public testing::TestWithParam<FuzzTarget> {};

void Feed(const FuzzTarget& target, const std::string& bytes) {
  // On its own piece of the heap, so that a sanitizer sees its end.
  const std::vector<uint8_t> data(bytes.begin(), bytes.end());
  EXPECT_EQ(target.run(data.data(), data.size()), 0);
}

TEST_P(FuzzCorpusTest, EveryInputRuns) {
  const std::filesystem::path corpus =
      std::filesystem::path(TAMIS_FUZZ_CORPUS) / GetParam().name;
  std::vector<std::filesystem::path> inputs;
  for (const auto& file : std::filesystem::directory_iterator(corpus)) {
    inputs.push_back(file.path());
  }
  std::sort(inputs.begin(), inputs.end());
  ASSERT_FALSE(inputs.empty());
  for (const auto& path : inputs) {
    // A claim that does not hold ends the process: this names the input.
    std::cout << path.filename().string() << std::endl;
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_LT(bytes.size(), 4096u);
    Feed(GetParam(), bytes);
  }
}

// What a fuzzer would try first.
TEST_P(FuzzCorpusTest, ShortInputsRun) {
  Feed(GetParam(), "");
  for (int byte = 0; byte < 256; ++byte) {
    for (const size_t n : {1u, 2u, 3u, 17u, 64u}) {
      Feed(GetParam(), std::string(n, static_cast<char>(byte)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpusTest,
                         testing::ValuesIn(kFuzzTargets),
                         [](const testing::TestParamInfo<FuzzTarget>& target) {
                           return std::string(target.param.name);
                         });

}  // namespace
}  // namespace tamis
