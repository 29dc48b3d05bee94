// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "filter/bloom_math.h"
#include "filter/fast_local_bloom.h"
#include "filter/keys_that_fit.h"
#include "filter/ribbon_banding.h"
#include "filter/ribbon_math.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"

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
                                       const Size& size) {
  RibbonBanding banding(size.num_slots);
  // Starts with the seed that RocksDB derives from the first hash; any would
  // do.
  const auto first_seed = static_cast<uint8_t>(hashes.front());
  for (unsigned i = 0; i < 256; ++i) {
    const auto seed = static_cast<uint8_t>(first_seed + i);
    if (banding.Solvable(hashes, seed)) return Assemble(banding, size, seed);
  }
  return std::nullopt;
}

class Builder final : public FilterBuilder {
 public:
  explicit Builder(double bits_per_key) : target_(bits_per_key) {}

  void Add(const FilterKey& key) override {
    const uint64_t hash = key.Hash64();
    if (hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
  }

  size_t num_keys() const override { return hashes_.size(); }

  size_t EstimateSizeBytes() const override {
    return hashes_.empty()
               ? 0
               : FilterBytes(hashes_.size(), target_, EntropyOf(hashes_));
  }

  size_t ApproximateMemoryUsage() const override {
    return hashes_.capacity() * sizeof(uint64_t);
  }

  Result<std::string> Finish() override {
    const std::vector<uint64_t> hashes = std::exchange(hashes_, {});
    if (hashes.empty()) return std::string();
    const std::optional<Size> size =
        RibbonSize(hashes.size(), target_, EntropyOf(hashes));
    if (size) {
      std::optional<std::string> filter = BuildRibbon(hashes, *size);
      if (filter) return *std::move(filter);
    }
    return BuildFastLocalBloom(hashes, target_.millibits);
  }

 private:
  static uint32_t EntropyOf(const std::vector<uint64_t>& hashes) {
    return static_cast<uint32_t>(hashes.front() >> 32);
  }

  const Target target_;
  std::vector<uint64_t> hashes_;
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

// Coefficients, aligned to the segments of one block.
struct Mask {
  explicit Mask(Uint128 bits)
      : low(static_cast<uint64_t>(bits)),
        high(static_cast<uint64_t>(bits >> 64)) {}
  // The parity of the result is the xor of the chosen slots.
  uint64_t Choose(const char* segment) const {
    return (DecodeFixed64(segment) & low) ^ (DecodeFixed64(segment + 8) & high);
  }
  uint64_t low;
  uint64_t high;
};

bool Probe(const FilterView& view, const FilterKey& key) {
  const auto trailer = view.state<Trailer>();
  const RibbonLayout& layout = trailer.layout;
  const RibbonHasher hasher(trailer.seed, layout.num_blocks * kRibbonWidth);
  const RibbonEquation equation = hasher.EquationOf(key.Hash64());
  const uint32_t block = equation.start / kRibbonWidth;
  const uint32_t offset = equation.start % kRibbonWidth;
  const size_t columns = layout.ColumnsOf(block);

  // The next block, at least as wide as this one, directly follows. It is not
  // read if the key ends within this block, which may be the last one.
  const Mask mask(equation.coefficients << offset);
  const Mask mask_next(
      offset == 0 ? 0 : equation.coefficients >> (kRibbonWidth - offset));
  const char* segment =
      view.bytes().data() + layout.FirstSegmentOf(block) * kRibbonSegmentBytes;
  const size_t to_next = offset == 0 ? 0 : columns * kRibbonSegmentBytes;
  uint32_t result = equation.result;
  // Lowest bit set: this column contradicts the result.
  const auto differs = [&]() {
    const uint64_t chosen =
        mask.Choose(segment) ^ mask_next.Choose(segment + to_next);
    const auto parity = static_cast<uint32_t>(__builtin_parityll(chosen));
    const uint32_t difference = parity ^ result;
    segment += kRibbonSegmentBytes;
    result >>= 1;
    return difference;
  };
  // Tests the first four without branching on each: such branches are
  // mispredicted once for nearly every absent key. One absent key in 16
  // remains.
  size_t left = columns;
  if (left >= 4) {
    // NOLINTNEXTLINE(misc-redundant-expression): each call moves on
    const uint32_t difference = differs() | differs() | differs() | differs();
    if ((difference & 1) != 0) return false;
    left -= 4;
  }
  for (; left > 0; --left) {
    if ((differs() & 1) != 0) return false;
  }
  return true;
}

bool IsRibbon(const Slice& filter) {
  return filter[filter.size() - kFilterTrailerBytes] == kMarker;
}

class Codec final : public FilterCodec {
 public:
  std::string_view name() const override { return "Ribbon"; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return std::make_unique<Builder>(bits_per_key);
  }

  // Assumes the lowest entropy, for which the filter is one segment larger.
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
    return FilterView(Probe,
                      Slice(filter.data(), filter.size() - kFilterTrailerBytes),
                      *trailer);
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
};

}  // namespace

const FilterCodec* RibbonCodec() { return Immortal<const Codec>(); }

}  // namespace tamis
