// SPDX-License-Identifier: Apache-2.0
//
// The distributions of mixgraph, and the benchmark as a program.
#include "tools/mix_workload.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/program.h"
#include "util/base/random.h"

namespace tamis {
namespace {

double Uniform(Random* random) {
  constexpr uint64_t kSteps = uint64_t{1} << 53;
  return static_cast<double>(random->Uniform(kSteps) + 1) /
         static_cast<double>(kSteps);
}

TEST(MixWorkloadTest, ParetoSamplesHaveItsMeanAndMedian) {
  Random random(1);
  // Mean: theta + sigma / (1 - k).
  for (const mix::Pareto& pareto :
       {mix::Pareto{0, 0.2615, 25.45}, mix::Pareto{7, 0, 3}}) {
    constexpr int kSamples = 200'000;
    std::vector<double> samples;
    double sum = 0;
    for (int i = 0; i < kSamples; ++i) {
      samples.push_back(pareto.Sample(Uniform(&random)));
      sum += samples.back();
    }
    const double mean = pareto.theta + pareto.sigma / (1 - pareto.k);
    EXPECT_NEAR(sum / kSamples, mean, mean / 50);
    std::nth_element(samples.begin(), samples.begin() + kSamples / 2,
                     samples.end());
    const double median = pareto.k == 0
                              ? pareto.theta + pareto.sigma * std::log(2.0)
                              : pareto.theta + pareto.sigma *
                                                   (std::pow(2, pareto.k) - 1) /
                                                   pareto.k;
    EXPECT_NEAR(samples[kSamples / 2], median, median / 50);
  }
}

TEST(MixWorkloadTest, RangesAreChosenByTheirWeights) {
  const mix::KeyModel model{.keys = 1003,
                            .ranges = 10,
                            .range_a = 14.18,
                            .range_b = -2.917,
                            .range_c = 0.0164,
                            .range_d = -0.08082};
  std::vector<double> weights;
  double sum = 0;
  for (int i = 1; i <= 10; ++i) {
    weights.push_back(model.range_a * std::exp(model.range_b * i) +
                      model.range_c * std::exp(model.range_d * i));
    sum += weights.back();
  }
  std::sort(weights.begin(), weights.end());
  const mix::KeySampler sampler(model, 301);
  Random random(2);
  constexpr int kSamples = 100'000;
  std::vector<double> chosen(10);
  for (int i = 0; i < kSamples; ++i) {
    const uint64_t key = sampler.Sample(Uniform(&random), Uniform(&random));
    ASSERT_LT(key, model.keys);
    // The last range has what is left: 103 keys.
    chosen[std::min<uint64_t>(key / 100, 9)] += 1.0 / kSamples;
  }
  std::sort(chosen.begin(), chosen.end());
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(chosen[i], weights[i] / sum, 0.005) << i;
  }
}

// The hottest key is every one of rank 0, and is the same in each sampler.
TEST(MixWorkloadTest, RanksFollowThePowerLaw) {
  const mix::KeyModel model{
      .keys = 1'000'000, .ranges = 1, .key_a = 0.01, .key_b = 0.5};
  const mix::KeySampler sampler(model, 301);
  const mix::KeySampler other(model, 301);
  // (u / a)^2 < 1: u < 0.01.
  const uint64_t hottest = sampler.Sample(1, 0.001);
  EXPECT_EQ(sampler.Sample(0.5, 0.0099), hottest);
  EXPECT_EQ(other.Sample(1, 0.0099), hottest);
  EXPECT_NE(sampler.Sample(1, 0.0101), hottest);
  // Rank 100 from u = 0.1 on, rank 101 from 0.10049...
  EXPECT_EQ(sampler.Sample(1, 0.1001), sampler.Sample(1, 0.1004));
  EXPECT_NE(sampler.Sample(1, 0.1004), sampler.Sample(1, 0.1006));
}

TEST(MixWorkloadTest, TheRateFollowsTheSine) {
  const mix::SineRate rate{.a = 10, .b = 2, .c = 1, .d = 100};
  EXPECT_DOUBLE_EQ(rate.At(0), 100 + 10 * std::sin(1.0));
  EXPECT_DOUBLE_EQ(rate.At(3), 100 + 10 * std::sin(7.0));
  EXPECT_DOUBLE_EQ((mix::SineRate{.a = 10, .b = 1, .c = 0, .d = 0}.At(4)), 1);
}

TEST(MixWorkloadTest, MixgraphDoesItsShares) {
  const Outcome ran = RunOurs(
      "tamis_db_bench",
      {"--benchmarks=filluniquerandom,mixgraph", "--num=5000", "--reads=4000",
       "--threads=2", "--mix_get_ratio=0.83", "--mix_put_ratio=0.14",
       "--mix_seek_ratio=0.03", "--key_dist_a=0.002312", "--key_dist_b=0.3467",
       "--keyrange_dist_a=14.18", "--keyrange_dist_b=-2.917",
       "--keyrange_dist_c=0.0164", "--keyrange_dist_d=-0.08082",
       "--keyrange_num=30"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const std::regex line(
      "\\( Gets:([0-9]+) Puts:([0-9]+) Seek:([0-9]+), avg size: ([0-9.]+) "
      "value, ([0-9.]+) scan\\)");
  int threads = 0;
  for (std::sregex_iterator it(ran.text.begin(), ran.text.end(), line), end;
       it != end; ++it, ++threads) {
    EXPECT_EQ(
        std::stoul((*it)[1]) + std::stoul((*it)[2]) + std::stoul((*it)[3]),
        4000u);
    EXPECT_NEAR(std::stod((*it)[1]), 3320, 150);
    EXPECT_NEAR(std::stod((*it)[2]), 560, 150);
    EXPECT_NEAR(std::stod((*it)[3]), 120, 60);
    EXPECT_NEAR(std::stod((*it)[4]), 33, 8);
    EXPECT_GT(std::stod((*it)[5]), 20);
  }
  EXPECT_EQ(threads, 2) << ran.text;
}

TEST(MixWorkloadTest, SineRateLimitsTheOperations) {
  const Outcome ran = RunOurs(
      "tamis_db_bench",
      {"--benchmarks=mixgraph", "--num=100", "--duration=1", "--sine_mix_rate",
       "--sine_a=0", "--sine_d=500", "--mix_get_ratio=0", "--mix_put_ratio=1"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const std::regex line("Puts:([0-9]+) ");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(ran.text, match, line)) << ran.text;
  // It looks at the clock every 1000 operations.
  EXPECT_LE(std::stoul(match[1]), 2000u);
}

TEST(MixWorkloadTest, SharesOfNothingAreMisuse) {
  EXPECT_EQ(
      RunOurs("tamis_db_bench", {"--benchmarks=mixgraph", "--mix_get_ratio=0"})
          .exit_code,
      2);
  EXPECT_EQ(RunOurs("tamis_db_bench",
                    {"--benchmarks=mixgraph", "--num=10", "--keyrange_num=11"})
                .exit_code,
            2);
}

}  // namespace
}  // namespace tamis
