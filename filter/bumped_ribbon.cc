// SPDX-License-Identifier: Apache-2.0
#include "filter/bumped_ribbon.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "filter/bumped_layers.h"
#include "filter/bumped_ribbon_layout.h"
#include "filter/retrieval_codec.h"
#include "filter/ribbon64.h"
#include "filter/ribbon64_codec.h"
#include "filter/ribbon64_probe.h"
#include "filter/seeded_hash.h"
#include "util/base/immortal.h"

namespace tamis {

namespace {

constexpr int8_t kMarker = -16;

uint32_t BucketOf(uint32_t start) { return start >> kBumpedBucketShift; }
uint32_t GroupInBucket(uint32_t start) {
  return (start >> kBumpedGroupShift) % kBumpedBucketGroups;
}

// What every probe needs of a body.
struct FirstLayer {
  uint64_t thresholds;  // their offset
  uint32_t num_blocks;
  uint32_t num_narrow;
  uint16_t result_bits;
  uint8_t columns;
  uint8_t seed;
  uint8_t num_layers;

  Ribbon64Layout layout() const { return {num_blocks, num_narrow, columns}; }
};
// What few probes need, too. Begins with FirstLayer, so that the state of a
// view may be read as either.
struct State {
  FirstLayer first;
  uint32_t blocks_below[kBumpedLayersMax - 1];
};
State StateOf(const BumpedLayout& layout, uint8_t seed) {
  const Ribbon64Layout first = layout.LayerOf(0);
  State state{.first = {.thresholds = first.num_words() * kRibbon64WordBytes,
                        .num_blocks = first.num_blocks,
                        .num_narrow = first.num_narrow,
                        .result_bits = layout.result_bits,
                        .columns = static_cast<uint8_t>(first.columns),
                        .seed = seed,
                        .num_layers = static_cast<uint8_t>(layout.num_layers)},
              .blocks_below = {}};
  std::copy(layout.blocks + 1, std::end(layout.blocks), state.blocks_below);
  return state;
}

Ribbon64Window WindowOf(const Ribbon64Layout& layer, const char* words,
                        uint32_t start, uint64_t hash) {
  const uint32_t block = start / kRibbon64Width;
  return Ribbon64Window(words + layer.FirstWordOf(block) * kRibbon64WordBytes,
                        layer.ColumnsOf(block), start, hash,
                        Ribbon64ResultOf(hash));
}

// Returns whether the keys with this start are in a later layer.
bool IsBumped(const char* thresholds, uint32_t start) {
  return GroupInBucket(start) < BumpedThreshold(thresholds, BucketOf(start));
}

// Returns the window of a key that the first layer has bumped.
__attribute__((noinline)) Ribbon64Window WindowBelow(const FilterView& view,
                                                     uint64_t hash) {
  const auto& state = view.state<State>();
  const char* words = view.bytes().data() + state.first.thresholds +
                      BumpedThresholdBytes(state.first.num_blocks);
  for (uint32_t below = state.first.num_layers - 1u;; --below) {
    const uint32_t i = state.first.num_layers - 1u - below;
    const Ribbon64Layout layer =
        Ribbon64LayoutOf(state.blocks_below[i], state.first.result_bits);
    const char* const end = words + layer.num_words() * kRibbon64WordBytes;
    hash = NextHash(hash);
    const uint32_t start = Ribbon64StartOf(hash, layer.num_starts());
    if (below == 1 || !IsBumped(end, start)) {
      return WindowOf(layer, words, start, hash);
    }
    words = end + BumpedThresholdBytes(layer.num_blocks);
  }
}

// A key's place in the first layer.
struct Place {
  Ribbon64Layout layout;
  const char* words;
  const char* thresholds;  // nullptr if this is the only layer
  uint64_t hash;
  uint32_t start;

  bool bumped() const {
    return thresholds != nullptr && IsBumped(thresholds, start);
  }
  Ribbon64Window window() const { return WindowOf(layout, words, start, hash); }
};
// Inlined, as each probe calls it once.
__attribute__((always_inline)) inline Place PlaceOf(const FilterView& view,
                                                    const FilterKey& key) {
  const auto& first = view.state<FirstLayer>();
  const uint64_t hash = SeededHash(key.Hash64(), first.seed);
  const char* const words = view.bytes().data();
  const Ribbon64Layout layout = first.layout();
  return {layout, words,
          first.num_layers > 1 ? words + first.thresholds : nullptr, hash,
          Ribbon64StartOf(hash, layout.num_starts())};
}

bool ProbePortable(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbePortable>(view, key);
  const Place place = PlaceOf(view, key);
  return Ribbon64MatchesPortable(place.bumped() ? WindowBelow(view, place.hash)
                                                : place.window());
}

#if defined(__x86_64__)

// Bumped keys take a call of their own, so that the others keep all in
// registers.
__attribute__((target("avx2"), noinline)) bool ProbeBelowAvx2(
    const FilterView& view, uint64_t hash) {
  return Ribbon64MatchesAvx2(WindowBelow(view, hash));
}
__attribute__((target("avx2"))) bool ProbeVector(const FilterView& view,
                                                 const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeVector>(view, key);
  const Place place = PlaceOf(view, key);
  return place.bumped() ? ProbeBelowAvx2(view, place.hash)
                        : Ribbon64MatchesAvx2(place.window());
}

__attribute__((target("avx512f,avx512vpopcntdq"), noinline)) bool
ProbeBelowAvx512(const FilterView& view, uint64_t hash) {
  return Ribbon64MatchesAvx512(WindowBelow(view, hash));
}
__attribute__((target("avx512f,avx512vpopcntdq"))) bool ProbeAvx512(
    const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeAvx512>(view, key);
  const Place place = PlaceOf(view, key);
  return place.bumped() ? ProbeBelowAvx512(view, place.hash)
                        : Ribbon64MatchesAvx512(place.window());
}

#elif defined(__aarch64__)

__attribute__((noinline)) bool ProbeBelowNeon(const FilterView& view,
                                              uint64_t hash) {
  return Ribbon64MatchesNeon(WindowBelow(view, hash));
}
bool ProbeVector(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeVector>(view, key);
  const Place place = PlaceOf(view, key);
  return place.bumped() ? ProbeBelowNeon(view, place.hash)
                        : Ribbon64MatchesNeon(place.window());
}

constexpr FilterView::Probe ProbeAvx512 = nullptr;

#else

constexpr FilterView::Probe ProbeVector = nullptr;
constexpr FilterView::Probe ProbeAvx512 = nullptr;

#endif

// Prefetches what the first layer has of the key.
void Prefetch(const FilterView& view, const FilterKey& key) {
  const Place place = PlaceOf(view, key);
  if (place.thresholds != nullptr) {
    __builtin_prefetch(place.thresholds + BucketOf(place.start) / 2);
  }
  Ribbon64Prefetch(place.window());
}

class Codec final : public Ribbon64Codec<BumpedLayout, StateOf, Prefetch> {
 public:
  Codec()
      : Ribbon64Codec("BumpedRibbon", "tamis.BumpedRibbon", kMarker,
                      BumpedRibbonProbes()) {}

 private:
  bool Build(std::span<uint64_t> hashes, const RetrievalShape& shape,
             const Helpers& helpers, char* body) const override {
    const BumpedLayout layout(shape);
    std::vector<uint64_t> seeded;
    return BuildBumpedLayers(layout,
                             Ribbon64SeededHashes(hashes, shape.seed, &seeded),
                             helpers, body);
  }
};

}  // namespace

const FilterCodec* BumpedRibbonCodec() { return Immortal<const Codec>(); }

RibbonProbes BumpedRibbonProbes() {
  return SupportedRibbonProbes(ProbePortable, ProbeVector, ProbeAvx512);
}

}  // namespace tamis
