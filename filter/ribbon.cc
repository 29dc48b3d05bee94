// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "filter/bloom_math.h"
#include "filter/fast_local_bloom.h"
#include "filter/ribbon_banding.h"
#include "filter/ribbon_math.h"
#include "util/coding.h"

namespace tamis {

namespace {

constexpr char kMarker = '\xfe';

// What the user's bits per key come to.
struct Target {
  explicit Target(double bits_per_key)
      : millibits(BuilderMillibits(bits_per_key)),
        one_in(RibbonOneIn(BuilderBitsPerKey(bits_per_key))) {}
  uint32_t millibits;
  double one_in;
};

// The solution for so many keys, or nothing where a Bloom filter is written
// instead.
struct Size {
  uint32_t num_slots;
  uint64_t bytes;
};
std::optional<Size> RibbonSize(uint64_t num_keys, const Target& target,
                               uint32_t entropy) {
  // Below, a Bloom filter may be smaller.
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

// nullopt: no seed works.
std::optional<std::string> BuildRibbon(const std::vector<uint64_t>& hashes,
                                       const Size& size) {
  RibbonBanding banding(size.num_slots);
  // Any seed would do to start with; the first hash gives the one that
  // RocksDB starts with.
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

// nullopt: reserved. REQUIRES: more than a trailer, and Ribbon's marker.
std::optional<Trailer> Parse(const Slice& filter) {
  const size_t bytes = filter.size() - kFilterTrailerBytes;
  const uint32_t word = DecodeFixed32(filter.data() + bytes + 1);
  const uint32_t num_blocks = word >> 8;
  if (num_blocks < 2) return std::nullopt;
  return Trailer{static_cast<uint8_t>(word), RibbonLayoutOf(bytes, num_blocks)};
}

// A view carries two words: the blocks and the seed, and the layout's other
// two numbers. RibbonLayoutOf keeps columns within 6 bits, num_narrow below
// num_blocks, thus within 24.
FilterView::Probe ProbeFunction();
FilterView Pack(const Slice& filter, const Trailer& trailer) {
  return FilterView(
      ProbeFunction(),
      Slice(filter.data(), filter.size() - kFilterTrailerBytes),
      trailer.layout.columns | trailer.layout.num_narrow << 8,
      trailer.layout.num_blocks | uint32_t{trailer.seed} << 24);
}
Trailer Unpack(const FilterView& view) {
  return {static_cast<uint8_t>(view.extra() >> 24),
          {view.extra() & 0xffffff, view.probes() & 0xff, view.probes() >> 8}};
}

// The parity of the slots that the coefficients choose in one segment; in the
// lowest bit of the xor of all 64.
uint64_t Chosen(const char* segment, uint64_t low, uint64_t high) {
  return (DecodeFixed64(segment) & low) ^ (DecodeFixed64(segment + 8) & high);
}

bool Probe(const FilterView& view, const FilterKey& key) {
  const Trailer trailer = Unpack(view);
  const RibbonLayout& layout = trailer.layout;
  const RibbonHasher hasher(trailer.seed, layout.num_blocks * kRibbonWidth);
  const RibbonEquation equation = hasher.EquationOf(key.Hash64());
  const uint32_t block = equation.start / kRibbonWidth;
  const uint32_t columns = layout.ColumnsOf(block);
  const char* here =
      view.bytes().data() + layout.FirstSegmentOf(block) * kRibbonSegmentBytes;
  const uint32_t offset = equation.start % kRibbonWidth;
  const Uint128 first = equation.coefficients << offset;
  const auto first_low = static_cast<uint64_t>(first);
  const auto first_high = static_cast<uint64_t>(first >> 64);
  if (offset == 0) {
    // All of it in this block, which may be the last one.
    for (uint32_t i = 0; i < columns; ++i, here += kRibbonSegmentBytes) {
      const uint64_t chosen = Chosen(here, first_low, first_high);
      const auto parity = static_cast<uint32_t>(__builtin_parityll(chosen));
      if (parity != ((equation.result >> i) & 1)) return false;
    }
    return true;
  }
  // The next block, at least as wide as this one, follows at once.
  const Uint128 second = equation.coefficients >> (kRibbonWidth - offset);
  const auto second_low = static_cast<uint64_t>(second);
  const auto second_high = static_cast<uint64_t>(second >> 64);
  const char* next = here + columns * kRibbonSegmentBytes;
  for (uint32_t i = 0; i < columns; ++i, here += kRibbonSegmentBytes,
                next += kRibbonSegmentBytes) {
    const uint64_t chosen = Chosen(here, first_low, first_high) ^
                            Chosen(next, second_low, second_high);
    const auto parity = static_cast<uint32_t>(__builtin_parityll(chosen));
    if (parity != ((equation.result >> i) & 1)) return false;
  }
  return true;
}

FilterView::Probe ProbeFunction() { return Probe; }

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

  // For the least entropy, whose filter has the most bytes: by one segment.
  size_t KeysThatFit(double bits_per_key, size_t bytes) const override {
    const Target target(bits_per_key);
    const auto fits = [&](uint64_t n) {
      return FilterBytes(n, target, 0) <= bytes;
    };
    uint64_t fit = 1;
    uint64_t too_many = 2;
    while (too_many < kRibbonKeysMax && fits(too_many)) too_many *= 2;
    while (fit + 1 < too_many) {
      const uint64_t middle = fit + (too_many - fit) / 2;
      (fits(middle) ? fit : too_many) = middle;
    }
    return fit;
  }

  FilterView Open(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return FilterView::NeverMatch();
    if (!IsRibbon(filter)) return FastLocalBloomCodec()->Open(filter);
    const std::optional<Trailer> trailer = Parse(filter);
    if (!trailer) return FilterView::AlwaysMatch();
    return Pack(filter, *trailer);
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
    // A key starts in any slot but the last 127 with equal chance.
    const RibbonLayout& layout = trailer->layout;
    const double starts = 1.0 + (layout.num_blocks - 1.0) * kRibbonWidth;
    const double narrow = layout.num_narrow * double{kRibbonWidth} / starts;
    const int columns = static_cast<int>(layout.columns);
    return EitherRate(narrow * std::ldexp(1.0, -(columns - 1)) +
                          (1 - narrow) * std::ldexp(1.0, -columns),
                      HashCollisionRate(static_cast<double>(num_keys), 64));
  }
};

constinit const Codec kCodec;

}  // namespace

const FilterCodec* RibbonCodec() { return &kCodec; }

}  // namespace tamis
