// SPDX-License-Identifier: Apache-2.0
#include "filter/fast_local_bloom_probe.h"

#include "filter/fast_local_bloom.h"
#include "tests/filter/filter_test_util.h"
#include "util/base/random.h"

namespace tamis {

namespace {

// Lines whose bits are set with a chance of 1 - 1 / 2^thin.
std::string RandomLines(Random* random, size_t num_lines, int thin) {
  std::string lines(num_lines * kFilterLineBytes, '\0');
  for (char& c : lines) {
    uint64_t bits = 0;
    for (int i = 0; i < thin; ++i) bits |= random->Next();
    c = static_cast<char>(bits);
  }
  return lines;
}

}  // namespace

TEST(FastLocalBloomProbeTest, PortableAndVectorProbesAgree) {
  const FilterView::Probe vector = FastLocalBloomProbeVector();
  if (vector == nullptr)
    GTEST_SKIP() << "this processor has neither AVX2 nor NEON";
  constexpr uint64_t kSeed = 301;
  Random random(kSeed);
  size_t matches = 0;
  size_t asked = 0;
  for (uint32_t probes = 1; probes <= 30; ++probes) {
    // The more probes, the fuller the lines, so that both answers come up.
    for (int thin : {1, 3, 5, 8}) {
      const size_t num_lines = 1 + random.Uniform(20);
      // At an odd address, as in a block.
      const std::string bytes = "x" + RandomLines(&random, num_lines, thin);
      const Slice lines(bytes.data() + 1, bytes.size() - 1);
      const FastLocalBloomState state{static_cast<uint32_t>(num_lines), probes};
      const FilterView portable(FastLocalBloomProbePortable, lines, state);
      const FilterView twin(vector, lines, state);
      for (size_t i = 0; i < 2000; ++i, ++asked) {
        const std::string text = Numbered("key", random.Next());
        const FilterKey key(text);
        const bool expected = portable.MayMatch(key);
        ASSERT_EQ(twin.MayMatch(key), expected)
            << text << ", " << probes << " probes, seed " << kSeed;
        if (expected) ++matches;
      }
    }
  }
  EXPECT_GT(matches, asked / 10);
  EXPECT_LT(matches, asked * 9 / 10);
}

// One missing bit rejects the key, whichever probe tests it.
TEST(FastLocalBloomProbeTest, EveryProbeCounts) {
  for (const FilterView::Probe probe :
       {FilterView::Probe{FastLocalBloomProbePortable},
        FastLocalBloomProbeVector()}) {
    if (probe == nullptr) continue;
    const FilterKey key("some key");
    for (uint32_t probes = 1; probes <= 30; ++probes) {
      const FastLocalBloomState state{1, probes};
      auto g = static_cast<uint32_t>(key.Hash64() >> 32);
      for (uint32_t i = 0; i < probes; ++i, g *= kBloomMultiplier) {
        std::string line(kFilterLineBytes, '\xff');
        EXPECT_TRUE(FilterView(probe, line, state).MayMatch(key));
        const uint32_t bit = BloomBitInLine(g);
        line[bit / 8] = static_cast<char>(line[bit / 8] & ~(1 << (bit % 8)));
        EXPECT_FALSE(FilterView(probe, line, state).MayMatch(key))
            << "probe " << i << " of " << probes;
      }
    }
  }
}

TEST(FastLocalBloomProbeTest, TheCodecSelectsTheFastestProbe) {
  const FilterView::Probe vector = FastLocalBloomProbeVector();
  EXPECT_EQ(FastLocalBloomProbe(),
            vector != nullptr ? vector : FastLocalBloomProbePortable);
}

}  // namespace tamis
