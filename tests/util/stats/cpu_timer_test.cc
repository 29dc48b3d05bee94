// SPDX-License-Identifier: Apache-2.0
#include "util/stats/cpu_timer.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Works until the total of a timer has grown by so much.
void Work(uint64_t nanos) {
  CpuTimer::Total total{0};
  while (total.load() < nanos) {
    const CpuTimer timer(&total);
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 1000; ++i) sum = sum + i;
  }
}

TEST(CpuTimerTest, CountsTheWorkOfItsLife) {
  CpuTimer::Total total{0};
  Work(100'000);
  EXPECT_EQ(total.load(), 0u);
  {
    const CpuTimer timer(&total);
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 100'000; ++i) sum = sum + i;
    EXPECT_EQ(total.load(), 0u) << "it is added at the end";
  }
  EXPECT_GT(total.load(), 1000u);
  const uint64_t before = total.load();
  Work(100'000);
  EXPECT_EQ(total.load(), before);
}

TEST(CpuTimerTest, WhatAnInnerTimerCountsIsNotTheOuterOnes) {
  CpuTimer::Total all{0};
  CpuTimer::Total outer{0};
  CpuTimer::Total inner{0};
  {
    const CpuTimer of_all(&all);  // gets what the two leave: almost nothing
    const CpuTimer first(&outer);
    const CpuTimer second(&inner);
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 10'000'000; ++i) sum = sum + i;
  }
  EXPECT_GT(inner.load(), 1'000'000u);
  EXPECT_LT(outer.load(), inner.load() / 10);
  EXPECT_LT(all.load(), inner.load() / 10);
}

}  // namespace
}  // namespace tamis
