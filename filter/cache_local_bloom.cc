// SPDX-License-Identifier: Apache-2.0
#include "filter/cache_local_bloom.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "filter/bloom_math.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr uint32_t kLineBits = 8 * kFilterLineBytes;
constexpr Hash32Flavor kFlavor = Hash32Flavor::kSignedTail;

uint32_t LinesFor(uint64_t num_keys, uint32_t whole_bits) {
  constexpr uint64_t kTotalBitsMax = 0xffff0000;
  if (num_keys == 0) return 0;
  const uint64_t bits = std::min(num_keys * whole_bits, kTotalBitsMax);
  const auto lines = static_cast<uint32_t>((bits + kLineBits - 1) / kLineBits);
  // With an even count, the line and the first bit within it would depend on
  // the same low bits of the hash.
  return lines | 1;
}

// Returns the size of the filter in bytes.
size_t SizeFor(size_t keys, uint32_t whole_bits) {
  return LinesFor(keys, whole_bits) * kFilterLineBytes + kFilterTrailerBytes;
}

class Builder final : public FilterBuilder {
 public:
  explicit Builder(uint32_t whole_bits) : whole_bits_(whole_bits) {}

  void Add(const FilterKey& key) override {
    const uint32_t hash = key.Hash32(kFlavor);
    if (hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
  }

  size_t num_keys() const override { return hashes_.size(); }

  size_t EstimateSizeBytes() const override {
    return SizeFor(hashes_.size(), whole_bits_);
  }

  size_t ApproximateMemoryUsage() const override {
    return hashes_.capacity() * sizeof(uint32_t);
  }

  Result<std::string> Finish() override {
    const uint32_t lines = LinesFor(hashes_.size(), whole_bits_);
    const uint32_t probes = PlainBloomProbes(whole_bits_);
    TAMIS_CHECK(lines % 2 == 1 || hashes_.empty());
    const size_t bytes = lines * kFilterLineBytes;
    std::string filter(bytes + kFilterTrailerBytes, '\0');
    for (uint32_t hash : hashes_) {
      char* const line = filter.data() + (hash % lines) * kFilterLineBytes;
      const uint32_t step = std::rotr(hash, 17);
      for (uint32_t i = 0; i < probes; ++i, hash += step) {
        const uint32_t bit = hash % kLineBits;
        line[bit / 8] = static_cast<char>(line[bit / 8] | (1 << (bit % 8)));
      }
    }
    filter[bytes] = static_cast<char>(probes);
    EncodeFixed32(filter.data() + bytes + 1, lines);
    hashes_.clear();
    return filter;
  }

 private:
  const uint32_t whole_bits_;
  std::vector<uint32_t> hashes_;
};

struct State {
  uint32_t probes;
  uint32_t line_bits_log2;
};

struct Layout {
  Slice lines;
  State state;
};

// Returns nullopt for reserved or malformed bytes.
std::optional<Layout> Parse(const Slice& filter) {
  const Slice lines(filter.data(), filter.size() - kFilterTrailerBytes);
  const auto probes = static_cast<uint8_t>(filter[lines.size()]);
  const uint32_t num_lines = DecodeFixed32(lines.end() + 1);
  if (probes == 0 || probes > 127) return std::nullopt;
  if (num_lines == 0 || lines.size() % num_lines != 0) return std::nullopt;
  const uint64_t line_bytes = lines.size() / num_lines;
  // The bit within a line is derived from a 32-bit hash.
  if (!std::has_single_bit(line_bytes) ||
      line_bytes > std::numeric_limits<uint32_t>::max() / 8) {
    return std::nullopt;
  }
  const int line_bits_log2 = std::countr_zero(line_bytes) + 3;
  return Layout{lines, {probes, static_cast<uint32_t>(line_bits_log2)}};
}

bool Probe(const FilterView& view, const FilterKey& key) {
  const auto state = view.state<State>();
  const size_t line_bytes = size_t{1} << (state.line_bits_log2 - 3);
  const uint32_t bit_mask = (uint32_t{1} << state.line_bits_log2) - 1;
  const size_t num_lines = view.bytes().size() / line_bytes;
  uint32_t hash = key.Hash32(kFlavor);
  const char* const line =
      view.bytes().data() + (hash % num_lines) * line_bytes;
  const uint32_t step = std::rotr(hash, 17);
  for (uint32_t i = 0; i < state.probes; ++i, hash += step) {
    const uint32_t bit = hash & bit_mask;
    if ((static_cast<uint8_t>(line[bit / 8]) & (1u << (bit % 8))) == 0) {
      return false;
    }
  }
  return true;
}

class Codec final : public FilterCodec {
 public:
  std::string_view name() const override { return "CacheLocalBloom"; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return std::make_unique<Builder>(
        BloomWholeBits(BuilderMillibits(bits_per_key)));
  }

  size_t EstimateSizeBytes(double bits_per_key, size_t keys) const override {
    const uint32_t bits = BloomWholeBits(BuilderMillibits(bits_per_key));
    return SizeFor(keys, bits);
  }

  size_t KeysThatFit(double bits_per_key, size_t bytes) const override {
    const uint32_t bits = BloomWholeBits(BuilderMillibits(bits_per_key));
    const size_t room = std::max(bytes, kFilterTrailerBytes);
    size_t lines = (room - kFilterTrailerBytes) / kFilterLineBytes;
    if (lines % 2 == 0 && lines > 0) --lines;
    return std::max<size_t>(lines, 1) * kLineBits / bits;
  }

  FilterView Open(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return FilterView::NeverMatch();
    const std::optional<Layout> layout = Parse(filter);
    if (!layout) return FilterView::AlwaysMatch();
    return FilterView(Probe, layout->lines, layout->state);
  }

  std::string Parameters(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return "";
    const std::optional<Layout> layout = Parse(filter);
    return layout ? std::to_string(layout->state.probes) + " probes" : "";
  }

  double PredictedFalsePositiveRate(const Slice& filter,
                                    size_t num_keys) const override {
    if (filter.size() <= kFilterTrailerBytes) return 0;
    const std::optional<Layout> layout = Parse(filter);
    if (!layout) return 1;
    if (num_keys == 0) return 0;
    const auto keys = static_cast<double>(num_keys);
    const double bits = 8.0 * static_cast<double>(layout->lines.size());
    return EitherRate(SteppingBloomFalsePositiveRate(
                          bits / keys, layout->state.probes,
                          uint64_t{1} << layout->state.line_bits_log2),
                      HashCollisionRate(keys, 32));
  }
};

}  // namespace

const FilterCodec* CacheLocalBloomCodec() { return Immortal<const Codec>(); }

}  // namespace tamis
