// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "filter/bloom_math.h"
#include "filter/fast_local_bloom.h"
#include "filter/hash_filter_builder.h"
#include "filter/keys_that_fit.h"
#include "filter/ribbon_banding.h"
#include "filter/ribbon_math.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tamis {

namespace {

constexpr char kMarker = '\xfe';

// Parameters derived from the user's bits per key.
struct Target {
  explicit Target(double bits_per_key)
      : millibits(BuilderMillibits(bits_per_key)),
        one_in(RibbonOneIn(BuilderBitsPerKey(bits_per_key))) {}
  uint32_t millibits;
  double one_in;
};

// Returns the size of the solution for num_keys keys, or nullopt if a Bloom
// filter is to be used.
struct Size {
  uint32_t num_slots;
  uint64_t bytes;
};
std::optional<Size> RibbonSize(uint64_t num_keys, const Target& target,
                               uint32_t entropy) {
  // With fewer slots, a Bloom filter may be smaller.
  constexpr uint32_t kSlotsSmall = 1024;
  if (num_keys > kRibbonKeysMax) return std::nullopt;
  const uint32_t slots = RibbonSlots(num_keys);
  const uint64_t bytes = RibbonBytes(slots, target.one_in, entropy);
  if (slots < kSlotsSmall &&
      FastLocalBloomBytes(num_keys, target.millibits) < bytes) {
    return std::nullopt;
  }
  return Size{slots, bytes};
}

uint64_t FilterBytes(uint64_t num_keys, const Target& target,
                     uint32_t entropy) {
  if (num_keys == 0) return 0;
  const std::optional<Size> size = RibbonSize(num_keys, target, entropy);
  return kFilterTrailerBytes +
         (size ? size->bytes : FastLocalBloomBytes(num_keys, target.millibits));
}

std::string Assemble(const RibbonBanding& banding, const Size& size,
                     uint8_t seed) {
  const uint32_t num_blocks = size.num_slots / kRibbonWidth;
  TAMIS_CHECK(size.num_slots % kRibbonWidth == 0);
  TAMIS_CHECK(num_blocks >= 2);
  TAMIS_CHECK(num_blocks < uint32_t{1} << 24);
  std::string filter(size.bytes + kFilterTrailerBytes, '\0');
  banding.Solve(RibbonLayoutOf(size.bytes, num_blocks), filter.data());
  char* const trailer = filter.data() + size.bytes;
  trailer[0] = kMarker;
  trailer[1] = static_cast<char>(seed);
  trailer[2] = static_cast<char>(num_blocks);
  trailer[3] = static_cast<char>(num_blocks >> 8);
  trailer[4] = static_cast<char>(num_blocks >> 16);
  return filter;
}

// Returns nullopt if no seed has a solution.
std::optional<std::string> BuildRibbon(const std::vector<uint64_t>& hashes,
                                       const Size& size,
                                       const Helpers& helpers) {
  RibbonBanding banding(size.num_slots);
  // Starts with the seed that RocksDB derives from the first hash; any would
  // do.
  const auto first_seed = static_cast<uint8_t>(hashes.front());
  for (unsigned i = 0; i < 256; ++i) {
    const auto seed = static_cast<uint8_t>(first_seed + i);
    if (banding.Solvable(hashes, seed, helpers)) {
      return Assemble(banding, size, seed);
    }
  }
  return std::nullopt;
}

class Builder final : public HashFilterBuilder {
 public:
  explicit Builder(double bits_per_key) : target_(bits_per_key) {}

  size_t EstimateSizeBytes() const override {
    return hashes_.empty()
               ? 0
               : FilterBytes(hashes_.size(), target_, EntropyOf(hashes_));
  }

  size_t ApproximateMemoryUsage() const override {
    return hashes_.capacity() * sizeof(uint64_t);
  }

  void UseHelpers(const Helpers& helpers) override { helpers_ = helpers; }

  Result<std::string> Finish() override {
    const std::vector<uint64_t> hashes = std::exchange(hashes_, {});
    if (hashes.empty()) return std::string();
    const std::optional<Size> size =
        RibbonSize(hashes.size(), target_, EntropyOf(hashes));
    if (size) {
      std::optional<std::string> filter = BuildRibbon(hashes, *size, helpers_);
      if (filter) return *std::move(filter);
    }
    return BuildFastLocalBloom(hashes, target_.millibits);
  }

 private:
  static uint32_t EntropyOf(const std::vector<uint64_t>& hashes) {
    return static_cast<uint32_t>(hashes.front() >> 32);
  }

  const Target target_;
  Helpers helpers_;
};

struct Trailer {
  uint8_t seed;
  RibbonLayout layout;
};

// Returns nullopt for reserved bytes. REQUIRES: longer than a trailer, with
// Ribbon's marker.
std::optional<Trailer> Parse(const Slice& filter) {
  const size_t bytes = filter.size() - kFilterTrailerBytes;
  const uint32_t word = DecodeFixed32(filter.data() + bytes + 1);
  const uint32_t num_blocks = word >> 8;
  if (num_blocks < 2) return std::nullopt;
  return Trailer{static_cast<uint8_t>(word), RibbonLayoutOf(bytes, num_blocks)};
}

// A key's two blocks. The second one, at least as wide as the first, follows
// it. It is not read if the key ends within the first, which may be the last
// one: the masks then choose from the first twice, but nothing the second time.
struct Window {
  Window(const Slice& bytes, const Trailer& trailer, uint64_t hash) {
    const RibbonLayout& layout = trailer.layout;
    const RibbonHasher hasher(trailer.seed, layout.num_blocks * kRibbonWidth);
    const RibbonEquation equation = hasher.EquationOf(hash);
    const uint32_t block = equation.start / kRibbonWidth;
    const uint32_t offset = equation.start % kRibbonWidth;
    segments =
        bytes.data() + layout.FirstSegmentOf(block) * kRibbonSegmentBytes;
    columns = layout.ColumnsOf(block);
    result = equation.result;
    to_next = offset == 0 ? 0 : columns * kRibbonSegmentBytes;
    mask = equation.coefficients << offset;
    mask_next =
        offset == 0 ? 0 : equation.coefficients >> (kRibbonWidth - offset);
  }
  const char* segments;
  size_t to_next;
  uint32_t columns;
  uint32_t result;
  Uint128 mask;  // coefficients, aligned to the slots of a block
  Uint128 mask_next;
};

// Returns bits with the parity of the chosen slots.
uint64_t Choose(const char* segment, Uint128 mask) {
  return (DecodeFixed64(segment) & static_cast<uint64_t>(mask)) ^
         (DecodeFixed64(segment + 8) & static_cast<uint64_t>(mask >> 64));
}

bool ProbePortable(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbePortable>(view, key);
  const Window window(view.bytes(), view.state<Trailer>(), key.Hash64());
  const char* const next = window.segments + window.to_next;
  return RibbonColumnsMatch<kRibbonSegmentBytes>(
      window.columns, window.result, [&](size_t at) {
        return Choose(window.segments + at, window.mask) ^
               Choose(next + at, window.mask_next);
      });
}

#if defined(__x86_64__)

__attribute__((target("avx512f"))) __m512i FourTimes(Uint128 mask) {
  return _mm512_maskz_broadcast_i32x4(
      0xffff,
      _mm_set_epi64x(static_cast<long long>(static_cast<uint64_t>(mask >> 64)),
                     static_cast<long long>(static_cast<uint64_t>(mask))));
}

// Tests four columns from `first` on, or the first ones of them. Returns 0 if
// all match.
__attribute__((target("avx512f,avx512vpopcntdq"))) uint32_t DifferAvx512(
    const Window& window, uint32_t first, __m512i mask, __m512i mask_next) {
  // Two lanes a column. A masked load does not touch the others.
  const uint32_t left = window.columns > first ? window.columns - first : 0;
  const auto lanes =
      static_cast<__mmask8>(left >= 4 ? 255u : (1u << (2 * left)) - 1);
  const char* const segment = window.segments + first * kRibbonSegmentBytes;
  __m512i chosen = _mm512_xor_si512(
      _mm512_and_si512(_mm512_maskz_loadu_epi64(lanes, segment), mask),
      _mm512_and_si512(
          _mm512_maskz_loadu_epi64(lanes, segment + window.to_next),
          mask_next));
  // The other half of the column.
  chosen = _mm512_xor_si512(
      chosen, _mm512_maskz_shuffle_epi32(0xffff, chosen, _MM_PERM_BADC));
  const __m512i result = _mm512_maskz_srlv_epi64(
      lanes, _mm512_set1_epi64(static_cast<long long>(window.result >> first)),
      _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0));
  return _mm512_mask_test_epi64_mask(
      lanes, _mm512_xor_si512(_mm512_popcnt_epi64(chosen), result),
      _mm512_set1_epi64(1));
}

// Eight columns per round.
__attribute__((target("avx512f,avx512vpopcntdq"))) bool ProbeAvx512(
    const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<ProbeAvx512>(view, key);
  const Window window(view.bytes(), view.state<Trailer>(), key.Hash64());
  const __m512i mask = FourTimes(window.mask);
  const __m512i mask_next = FourTimes(window.mask_next);
  for (uint32_t first = 0;; first += 8) {
    const uint32_t differ = DifferAvx512(window, first, mask, mask_next) |
                            DifferAvx512(window, first + 4, mask, mask_next);
    if (first + 8 >= window.columns) return differ == 0;
    if (differ != 0) return false;
  }
}

#else

constexpr FilterView::Probe ProbeAvx512 = nullptr;

#endif

void Prefetch(const FilterView& view, const FilterKey& key) {
  const Window window(view.bytes(), view.state<Trailer>(), key.Hash64());
  RibbonPrefetch(window.segments,
                 window.to_next + window.columns * kRibbonSegmentBytes);
}

bool IsRibbon(const Slice& filter) {
  return filter[filter.size() - kFilterTrailerBytes] == kMarker;
}

class Codec final : public FilterCodec {
 public:
  Codec() : probe_(RibbonCodecProbes().fastest()) {}

  std::string_view name() const override { return "Ribbon"; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return std::make_unique<Builder>(bits_per_key);
  }

  // EstimateSizeBytes and KeysThatFit assume the lowest entropy, for which the
  // filter is one segment larger.
  size_t EstimateSizeBytes(double bits_per_key, size_t keys) const override {
    return keys == 0 ? 0 : FilterBytes(keys, Target(bits_per_key), 0);
  }
  size_t KeysThatFit(double bits_per_key, size_t bytes) const override {
    const Target target(bits_per_key);
    return KeysThatFitBySearch(kRibbonKeysMax, [&](uint64_t n) {
      return FilterBytes(n, target, 0) <= bytes;
    });
  }

  FilterView Open(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return FilterView::NeverMatch();
    if (!IsRibbon(filter)) return FastLocalBloomCodec()->Open(filter);
    const std::optional<Trailer> trailer = Parse(filter);
    if (!trailer) return FilterView::AlwaysMatch();
    return FilterView(probe_,
                      Slice(filter.data(), filter.size() - kFilterTrailerBytes),
                      *trailer, Prefetch);
  }

  std::string Parameters(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return "";
    if (!IsRibbon(filter)) return FastLocalBloomCodec()->Parameters(filter);
    const std::optional<Trailer> trailer = Parse(filter);
    if (!trailer) return "";
    const RibbonLayout& layout = trailer->layout;
    std::string text = std::to_string(layout.columns) + " columns";
    if (layout.num_narrow > 0) {
      text += ", " + std::to_string(layout.num_narrow) + " of " +
              std::to_string(layout.num_blocks) + " blocks one less";
    }
    return text + ", seed " + std::to_string(trailer->seed);
  }

  double PredictedFalsePositiveRate(const Slice& filter,
                                    size_t num_keys) const override {
    if (filter.size() <= kFilterTrailerBytes) return 0;
    if (!IsRibbon(filter)) {
      return FastLocalBloomCodec()->PredictedFalsePositiveRate(filter,
                                                               num_keys);
    }
    const std::optional<Trailer> trailer = Parse(filter);
    if (!trailer) return 1;
    if (num_keys == 0) return 0;
    // A key starts at any slot except the last 127 with equal probability.
    const RibbonLayout& layout = trailer->layout;
    const double starts = 1.0 + (layout.num_blocks - 1.0) * kRibbonWidth;
    const double narrow = layout.num_narrow * double{kRibbonWidth} / starts;
    const int columns = static_cast<int>(layout.columns);
    return EitherRate(narrow * std::ldexp(1.0, -(columns - 1)) +
                          (1 - narrow) * std::ldexp(1.0, -columns),
                      HashCollisionRate(static_cast<double>(num_keys), 64));
  }

 private:
  const FilterView::Probe probe_;
};

}  // namespace

const FilterCodec* RibbonCodec() { return Immortal<const Codec>(); }

RibbonProbes RibbonCodecProbes() {
  return SupportedRibbonProbes(ProbePortable, nullptr, ProbeAvx512);
}

}  // namespace tamis
