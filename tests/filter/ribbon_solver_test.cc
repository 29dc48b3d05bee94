// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon_solver.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/ribbon64.h"
#include "filter/ribbon_banding.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

template <typename Equation>
using RowOf = decltype(Equation::coefficients);

// Solves the equations one after the other, bit by bit: the value of each slot,
// bit j being that in column j. nullopt if they contradict each other.
template <typename Equation>
std::optional<std::vector<uint32_t>> SolutionOf(
    const std::vector<Equation>& equations, size_t num_slots) {
  using Row = RowOf<Equation>;
  std::vector<Row> rows(num_slots);
  std::vector<uint32_t> values(num_slots);
  for (const Equation& equation : equations) {
    Row row = equation.coefficients;
    uint32_t result = equation.result;
    for (size_t slot = equation.start; row != 0; ++slot, row >>= 1) {
      if ((row & 1) == 0) continue;
      if (rows[slot] == 0) {
        rows[slot] = row;
        values[slot] = result;
        result = 0;
        break;
      }
      row ^= rows[slot];
      result ^= values[slot];
    }
    if (result != 0) return std::nullopt;
  }
  for (size_t slot = num_slots; slot-- > 0;) {
    for (size_t i = 1; i < 8 * sizeof(Row); ++i) {
      if ((rows[slot] >> i & 1) != 0) values[slot] ^= values[slot + i];
    }
  }
  return values;
}

std::vector<uint64_t> RandomHashes(size_t count, Random* random) {
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = random->Next();
  // A duplicate is a redundant equation.
  if (count > 1) hashes.back() = hashes.front();
  return hashes;
}

// Tests one column of a block against the slots' values.
template <size_t kWidth>
void ExpectColumn(const char* bytes, const uint32_t* values, uint32_t column) {
  for (size_t i = 0; i < kWidth; ++i) {
    const uint64_t word = DecodeFixed64(bytes + i / 64 * 8);
    ASSERT_EQ(word >> (i % 64) & 1, values[i] >> column & 1) << i;
  }
}

template <typename Row, typename Result, uint32_t kColumnsMax>
void ExpectSolversAgree(Random* random) {
  const auto fastest = FastestRibbonSolve<Row, Result, kColumnsMax>();
  constexpr size_t kWidth = 8 * sizeof(Row);
  constexpr size_t kBlocks = 3;
  for (uint32_t columns = 1; columns <= kColumnsMax; ++columns) {
    std::vector<Row> rows(kBlocks * kWidth);
    std::vector<Result> results(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (random->OneIn(8)) continue;
      rows[i] = Row{random->Next()};
      if (kWidth == 128) rows[i] = rows[i] << (kWidth - 64) | random->Next();
      rows[i] |= 1;
      results[i] = static_cast<Result>(random->Next());
    }
    RibbonStates<Row, kColumnsMax> one;
    RibbonStates<Row, kColumnsMax> other;
    for (size_t block = kBlocks; block-- > 0;) {
      RibbonSolvePortable(&rows[block * kWidth], &results[block * kWidth],
                          columns, &one);
      fastest(&rows[block * kWidth], &results[block * kWidth], columns, &other);
      for (size_t k = 0; k < kWidth / 64; ++k) {
        for (uint32_t i = 0; i < columns; ++i) {
          ASSERT_EQ(one.words[k][i], other.words[k][i])
              << columns << " columns, column " << i;
        }
      }
    }
  }
}

}  // namespace

TEST(RibbonSolverTest, PortableAndAvx512SolversAgree) {
  if (!HasAvx512Popcount()) GTEST_SKIP() << "this processor has no AVX-512";
  Random random(301);
  for (int i = 0; i < 30; ++i) {
    ExpectSolversAgree<Uint128, uint32_t, kRibbonColumnsMax>(&random);
    ExpectSolversAgree<uint64_t, uint16_t, kRibbon64ColumnsMax>(&random);
  }
}

TEST(RibbonSolverTest, NormalizedRowsBeginWithAOne) {
  Random random(302);
  for (int shift = 0; shift < 128; ++shift) {
    const Uint128 row = Uint128{random.Next()} << 64 | random.Next() | 1;
    Uint128 shifted = row << shift;
    EXPECT_EQ(RibbonNormalize(&shifted), shift);
    EXPECT_TRUE(shifted == row << shift >> shift);
  }
}

// The order of insertion, which the banding chooses, does not show.
TEST(RibbonSolverTest, BandingsOf128HaveTheOnlySolution) {
  Random random(303);
  int solved = 0;
  int unsolvable = 0;
  for (int set = 0; set < 2000; ++set) {
    const auto num_blocks = static_cast<uint32_t>(2 + random.Uniform(12));
    const uint32_t num_slots = num_blocks * kRibbonWidth;
    const size_t count = num_slots * (88 + random.Uniform(14)) / 100;
    const std::vector<uint64_t> hashes = RandomHashes(count, &random);
    const auto seed = static_cast<uint8_t>(random.Next());
    const RibbonHasher hasher(seed, num_slots);
    std::vector<RibbonEquation> equations;
    for (uint64_t hash : hashes) equations.push_back(hasher.EquationOf(hash));
    const auto values = SolutionOf(equations, num_slots);

    RibbonBanding banding(num_slots);
    ASSERT_EQ(banding.Solvable(hashes, seed), values.has_value()) << set;
    ++(values ? solved : unsolvable);
    if (!values) continue;
    const uint64_t segments =
        1 + random.Uniform(kRibbonColumnsMax * num_blocks);
    const RibbonLayout layout =
        RibbonLayoutOf(segments * kRibbonSegmentBytes, num_blocks);
    std::string bytes(segments * kRibbonSegmentBytes, '\0');
    banding.Solve(layout, bytes.data());
    for (uint32_t block = 0; block < num_blocks; ++block) {
      for (uint32_t i = 0; i < layout.ColumnsOf(block); ++i) {
        ASSERT_NO_FATAL_FAILURE(ExpectColumn<kRibbonWidth>(
            &bytes[(layout.FirstSegmentOf(block) + i) * kRibbonSegmentBytes],
            &(*values)[block * kRibbonWidth], i))
            << set;
      }
    }
  }
  EXPECT_GT(solved, 500);
  EXPECT_GT(unsolvable, 100);
}

TEST(RibbonSolverTest, BandingsOf64HaveTheOnlySolution) {
  Random random(304);
  int solved = 0;
  int unsolvable = 0;
  for (int set = 0; set < 2000; ++set) {
    const auto num_blocks = static_cast<uint32_t>(2 + random.Uniform(12));
    const auto result_bits = static_cast<uint32_t>(
        kRibbon64BitUnit + random.Uniform(15 * kRibbon64BitUnit));
    const Ribbon64Layout layout = Ribbon64LayoutOf(num_blocks, result_bits);
    const size_t count = layout.num_rows() * (80 + random.Uniform(21)) / 100;
    std::vector<Ribbon64Equation> equations;
    for (uint64_t hash : RandomHashes(count, &random)) {
      equations.push_back({Ribbon64CoefficientsOf(hash),
                           Ribbon64StartOf(hash, layout.num_starts()),
                           Ribbon64ResultOf(hash)});
    }
    const auto values = SolutionOf(equations, layout.num_rows());

    Ribbon64Banding banding;
    banding.Reset(layout.num_rows());
    ASSERT_EQ(banding.Insert(equations), values.has_value()) << set;
    ++(values ? solved : unsolvable);
    std::string bytes(layout.num_words() * kRibbon64WordBytes, '\xff');
    banding.Solve(layout, /*first_block=*/0, bytes.data());
    if (!values) {
      // Those that contradict each other leave nothing.
      ASSERT_EQ(bytes, std::string(bytes.size(), '\0'));
      continue;
    }
    for (uint32_t block = 0; block < num_blocks; ++block) {
      for (uint32_t i = 0; i < layout.ColumnsOf(block); ++i) {
        ASSERT_NO_FATAL_FAILURE(ExpectColumn<kRibbon64Width>(
            &bytes[(layout.FirstWordOf(block) + i) * kRibbon64WordBytes],
            &(*values)[block * kRibbon64Width], i))
            << set;
      }
    }
  }
  EXPECT_GT(solved, 500);
  EXPECT_GT(unsolvable, 100);
}

}  // namespace tamis
