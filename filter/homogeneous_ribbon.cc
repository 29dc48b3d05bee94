// SPDX-License-Identifier: Apache-2.0
#include "filter/homogeneous_ribbon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "filter/retrieval_codec.h"
#include "filter/ribbon64.h"
#include "filter/ribbon64_codec.h"
#include "filter/ribbon64_probe.h"
#include "filter/ribbon_halves.h"
#include "filter/ribbon_solver.h"
#include "filter/seeded_hash.h"
#include "util/base/check.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr int8_t kMarker = -21;

// Returns the rows for 1,000 keys. The more keys, the more often a stretch is
// crowded, and the more columns, the more a crowded one adds to the rate. With
// few columns, one stretch of a million keys or more hardly changes it: 5.3 %
// more rows than keys suffice, and 0.3 % for each doubling up to a million.
uint64_t RowsPerThousand(uint64_t entries, uint64_t columns) {
  constexpr uint64_t kFewColumns = 8;
  const auto doublings = static_cast<uint64_t>(std::bit_width(entries));
  return columns <= kFewColumns
             ? 1046 + 3 * std::min<uint64_t>(doublings, 20) + columns
             : 1053 + 3 * doublings + columns;
}

Ribbon64Layout LayoutOf(const RetrievalShape& shape) {
  const uint64_t columns =
      (shape.result_bits + kRibbon64BitUnit - 1) / kRibbon64BitUnit;
  const uint64_t rows =
      shape.entries * RowsPerThousand(shape.entries, columns) / 1000;
  const auto blocks =
      static_cast<uint32_t>(std::max<uint64_t>(rows / kRibbon64Width + 1, 2));
  const Ribbon64Layout layout = Ribbon64LayoutOf(blocks, shape.result_bits);
  // An absent key's columns are independent only if as many rows are free. No
  // key uses the last row.
  const uint32_t tested = layout.ColumnsOf(blocks - 2);
  if (layout.num_rows() > shape.entries + tested) return layout;
  return Ribbon64LayoutOf(blocks + 1, shape.result_bits);
}

struct Layout : Ribbon64Layout {
  explicit Layout(const RetrievalShape& shape)
      : Ribbon64Layout(LayoutOf(shape)) {}

  size_t bytes() const { return num_words() * kRibbon64WordBytes; }
};

// Two calls may run at once, as Ribbon64Banding::InsertConsistent.
template <typename Border>
void InsertAll(std::span<const uint64_t> hashes, uint32_t num_starts,
               const Border& border, Ribbon64Banding* banding) {
  std::array<Ribbon64Equation, 256> equations{};
  while (!hashes.empty()) {
    const size_t count = std::min(hashes.size(), equations.size());
    for (size_t i = 0; i < count; ++i) {
      equations[i] = {Ribbon64CoefficientsOf(hashes[i]),
                      Ribbon64StartOf(hashes[i], num_starts), 0};
    }
    banding->InsertConsistent(std::span(equations).first(count), border);
    hashes = hashes.subspan(count);
  }
}

// Returns the number of linearly independent words. Changes them.
uint32_t RankOf(std::span<uint64_t> words) {
  uint32_t rank = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == 0) continue;
    ++rank;
    // Clears this bit in the others, without branches on random bits.
    const int bit = std::countr_zero(words[i]);
    for (size_t j = i + 1; j < words.size(); ++j) {
      words[j] ^= words[i] & (uint64_t{0} - ((words[j] >> bit) & 1));
    }
  }
  return rank;
}

// Returns the share of absent keys that match, as the mean over keys that start
// at or in the middle of a block: 2^-rank of the columns of their rows.
double RateOf(const Ribbon64Layout& layout, const char* words) {
  constexpr uint64_t kUnit = uint64_t{1} << kRibbon64ColumnsMax;
  uint64_t sum = 0;
  std::array<uint64_t, kRibbon64ColumnsMax> rows{};
  for (uint32_t block = 0; block + 1 < layout.num_blocks; ++block) {
    const uint32_t columns = layout.ColumnsOf(block);
    const char* const first =
        words + layout.FirstWordOf(block) * kRibbon64WordBytes;
    for (int offset : {0, 32}) {
      for (uint32_t i = 0; i < columns; ++i) {
        const char* const word = first + i * kRibbon64WordBytes;
        rows[i] = DecodeFixed64(word);
        if (offset == 0) continue;
        rows[i] = rows[i] >> 32 |
                  DecodeFixed64(word + columns * kRibbon64WordBytes) << 32;
      }
      sum += kUnit >> RankOf(std::span(rows).first(columns));
    }
  }
  return static_cast<double>(sum) / kUnit / (2.0 * (layout.num_blocks - 1));
}

// What a probe needs of a body.
struct State {
  Ribbon64Layout layout;
  uint8_t seed;
};

State StateOf(const Layout& layout, uint8_t seed) { return {layout, seed}; }

// Inlined, as each probe calls it once.
__attribute__((always_inline)) inline Ribbon64Window WindowOf(
    const FilterView& view, const FilterKey& key) {
  const auto& state = view.state<State>();
  const uint64_t hash = SeededHash(key.Hash64(), state.seed);
  const uint32_t start = Ribbon64StartOf(hash, state.layout.num_starts());
  const uint32_t block = start / kRibbon64Width;
  return Ribbon64Window(view.bytes().data() + state.layout.FirstWordOf(block) *
                                                  kRibbon64WordBytes,
                        state.layout.ColumnsOf(block), start, hash, 0);
}

bool ProbePortable(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbePortable>(view, key);
  return Ribbon64MatchesPortable(WindowOf(view, key));
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) bool ProbeVector(const FilterView& view,
                                                 const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeVector>(view, key);
  return Ribbon64MatchesAvx2(WindowOf(view, key));
}

__attribute__((target("avx512f,avx512vpopcntdq"))) bool ProbeAvx512(
    const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeAvx512>(view, key);
  return Ribbon64MatchesAvx512(WindowOf(view, key));
}
#elif defined(__aarch64__)

bool ProbeVector(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeVector>(view, key);
  return Ribbon64MatchesNeon(WindowOf(view, key));
}

constexpr FilterView::Probe ProbeAvx512 = nullptr;

#else

constexpr FilterView::Probe ProbeVector = nullptr;
constexpr FilterView::Probe ProbeAvx512 = nullptr;

#endif

void Prefetch(const FilterView& view, const FilterKey& key) {
  Ribbon64Prefetch(WindowOf(view, key));
}

class Codec final : public Ribbon64Codec<Layout, StateOf, Prefetch> {
 public:
  Codec()
      : Ribbon64Codec("HomogeneousRibbon", "tamis.HomogeneousRibbon", kMarker,
                      HomogeneousRibbonProbes()) {}

 private:
  bool Build(std::span<uint64_t> hashes, const RetrievalShape& shape,
             const Helpers& helpers, char* body) const override {
    // Higher than any number of chance; a stretch that is determined too far
    // makes up a share of its own.
    constexpr double kExcessMax = 1.03;
    const Layout layout(shape);
    Ribbon64Banding banding;
    banding.Reset(layout.num_rows());
    std::vector<uint64_t> seeded;
    HashParts parts;  // so that the rows in use are in a cache
    const int shift =
        Ribbon64Order(Ribbon64SeededHashes(hashes, shape.seed, &seeded),
                      layout.num_starts(), 8, &parts);
    // Without results, no equation contradicts another.
    TAMIS_CHECK(RibbonInsertHalves<Ribbon64Equation>(
        parts, shift, helpers,
        [&](std::span<const uint64_t> some, const auto& border) {
          InsertAll(some, layout.num_starts(), border, &banding);
          return true;
        },
        [&](std::span<const Ribbon64Equation> beyond) {
          banding.InsertConsistent(beyond);
          return true;
        }));
    // Any number will do. It depends on the seed: where few rows are free, one
    // number may leave too few columns independent for every set of keys.
    banding.RandomizeFreeRows(0x243f6a8885a308d3u + shape.seed);
    banding.Solve(layout, /*first_block=*/0, body);
    return RateOf(layout, body) <= kExcessMax * layout.Rate();
  }
};

}  // namespace

const FilterCodec* HomogeneousRibbonCodec() { return Immortal<const Codec>(); }

RibbonProbes HomogeneousRibbonProbes() {
  return SupportedRibbonProbes(ProbePortable, ProbeVector, ProbeAvx512);
}

}  // namespace tamis
