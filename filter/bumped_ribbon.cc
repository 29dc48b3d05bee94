// SPDX-License-Identifier: Apache-2.0
#include "filter/bumped_ribbon.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

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

constexpr uint32_t kGroupsPerBucket =
    1u << (kBumpedBucketShift - kBumpedGroupShift);

uint32_t BucketOf(uint32_t start) { return start >> kBumpedBucketShift; }
uint32_t GroupInBucket(uint32_t start) {
  return (start >> kBumpedGroupShift) % kGroupsPerBucket;
}

uint32_t ThresholdOf(const char* thresholds, uint32_t bucket) {
  const auto pair = static_cast<uint8_t>(thresholds[bucket / 2]);
  return (pair >> (bucket % 2 * 4)) & 15u;
}

// Builds the layers one after another.
class LayerBuilder {
 public:
  explicit LayerBuilder(const BumpedLayout& layout)
      : layout_(layout), result_mask_((1u << layout.LayerOf(0).columns) - 1) {}

  // Returns false if these hashes do not fit. Writes the body.
  bool Build(std::span<const uint64_t> hashes, char* body) {
    std::vector<uint64_t> left;
    for (uint32_t i = 0; i < layout_.num_layers; ++i) {
      const bool last = i + 1 == layout_.num_layers;
      layer_ = layout_.LayerOf(i);
      banding_.Reset(layer_.num_rows());
      char* const thresholds = body + layer_.num_words() * kRibbon64WordBytes;
      if (!(last ? InsertAll(hashes) : InsertOrBump(hashes, thresholds))) {
        return false;
      }
      banding_.Solve(layer_, body);
      body += layout_.BytesOf(i);
      std::swap(left, bumped_);
      bumped_.clear();
      hashes = left;
    }
    return true;
  }

 private:
  Ribbon64Equation EquationOf(uint64_t hash) const {
    return {Ribbon64CoefficientsOf(hash),
            Ribbon64StartOf(hash, layer_.num_starts()),
            Ribbon64ResultOf(hash) & result_mask_};
  }

  bool InsertAll(std::span<const uint64_t> hashes) {
    equations_.clear();
    for (uint64_t hash : hashes) equations_.push_back(EquationOf(hash));
    return banding_.Insert(equations_);
  }

  bool InsertOrBump(std::span<const uint64_t> hashes, char* thresholds) {
    const int shift =
        Ribbon64Order(hashes, layer_.num_starts(), kBumpedBucketShift, &parts_);
    const std::span<const uint64_t> ordered(parts_.ordered);
    uint32_t begin = 0;
    for (size_t i = 0; i < parts_.ends.size(); ++i) {
      const uint32_t end = parts_.ends[i];
      if (!InsertPart(ordered.subspan(begin, end - begin),
                      static_cast<uint32_t>(i << shift), shift, thresholds)) {
        return false;
      }
      begin = end;
    }
    return true;
  }

  // A part is 2^shift starts from first_start on: whole buckets.
  bool InsertPart(std::span<const uint64_t> part, uint32_t first_start,
                  int shift, char* thresholds) {
    const uint32_t starts =
        std::min(1u << shift, layer_.num_starts() - first_start);
    const uint32_t groups = starts >> kBumpedGroupShift;
    const auto group_of = [&](uint64_t hash) {
      return (Ribbon64StartOf(hash, layer_.num_starts()) - first_start) >>
             kBumpedGroupShift;
    };
    // Counts of groups, then their begins, which advance to their ends.
    group_ends_.assign(groups + 1, 0);
    for (uint64_t hash : part) ++group_ends_[group_of(hash) + 1];
    for (size_t i = 1; i < groups; ++i) group_ends_[i] += group_ends_[i - 1];
    sorted_.resize(std::max(sorted_.size(), part.size()));
    for (uint64_t hash : part) sorted_[group_ends_[group_of(hash)]++] = hash;

    for (uint32_t first = 0; first < groups; first += kGroupsPerBucket) {
      const uint32_t end = std::min(groups, first + kGroupsPerBucket);
      if (!InsertBucket(first, end,
                        BucketOf(first_start) + first / kGroupsPerBucket,
                        thresholds)) {
        return false;
      }
    }
    return true;
  }

  // Inserts the groups from the last one down to the first that fits no more,
  // and bumps the rest. The rows at the bucket's begin are thus left to keys of
  // the bucket before.
  bool InsertBucket(uint32_t first_group, uint32_t end_group, uint32_t bucket,
                    char* thresholds) {
    for (uint32_t group = end_group; group-- > first_group;) {
      if (InsertAll(KeysOf(group))) continue;
      const uint32_t threshold = group - first_group + 1;
      // Rows of the last group are nearly all free: it always fits, unless
      // hundreds of keys have nearly equal hashes.
      if (threshold == kGroupsPerBucket) return false;
      char* const pair = thresholds + bucket / 2;
      *pair = static_cast<char>(static_cast<uint8_t>(*pair) |
                                (threshold << (bucket % 2 * 4)));
      for (uint32_t i = first_group; i <= group; ++i) {
        for (uint64_t hash : KeysOf(i)) {
          bumped_.push_back(NextHash(hash));
        }
      }
      return true;
    }
    return true;
  }

  std::span<const uint64_t> KeysOf(uint32_t group) const {
    const uint32_t begin = group == 0 ? 0 : group_ends_[group - 1];
    return std::span(sorted_).subspan(begin, group_ends_[group] - begin);
  }

  const BumpedLayout& layout_;
  const uint32_t result_mask_;
  Ribbon64Layout layer_{};  // the one being built
  Ribbon64Banding banding_;
  HashParts parts_;
  std::vector<uint64_t> sorted_;  // the current part
  std::vector<uint32_t> group_ends_;
  std::vector<Ribbon64Equation> equations_;
  std::vector<uint64_t> bumped_;  // with their next hashes
};

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
  return GroupInBucket(start) < ThresholdOf(thresholds, BucketOf(start));
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
             char* body) const override {
    const BumpedLayout layout(shape);
    std::vector<uint64_t> seeded;
    return LayerBuilder(layout).Build(
        Ribbon64SeededHashes(hashes, shape.seed, &seeded), body);
  }
};

}  // namespace

const FilterCodec* BumpedRibbonCodec() { return Immortal<const Codec>(); }

RibbonProbes BumpedRibbonProbes() {
  return SupportedRibbonProbes(ProbePortable, ProbeVector, ProbeAvx512);
}

}  // namespace tamis
