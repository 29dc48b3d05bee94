// SPDX-License-Identifier: Apache-2.0
#include "filter/fast_local_bloom.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "filter/bloom_math.h"
#include "filter/fast_local_bloom_probe.h"
#include "filter/hash_filter_builder.h"
#include "util/base/immortal.h"

namespace tamis {

namespace {

constexpr char kMarker = '\xff';
constexpr uint32_t kProbesMax = 30;

void SetBits(char* line, uint64_t hash, uint32_t probes) {
  auto g = static_cast<uint32_t>(hash >> 32);
  for (uint32_t i = 0; i < probes; ++i, g *= kBloomMultiplier) {
    const uint32_t bit = BloomBitInLine(g);
    line[bit / 8] = static_cast<char>(line[bit / 8] | (1 << (bit % 8)));
  }
}

class Builder final : public HashFilterBuilder {
 public:
  explicit Builder(uint32_t millibits) : millibits_(millibits) {}

  size_t EstimateSizeBytes() const override {
    return FastLocalBloomBytes(hashes_.size(), millibits_) +
           kFilterTrailerBytes;
  }

  size_t ApproximateMemoryUsage() const override {
    return hashes_.capacity() * sizeof(uint64_t);
  }

  Result<std::string> Finish() override {
    [[maybe_unused]] const size_t estimate = EstimateSizeBytes();
    const std::vector<uint64_t> hashes = std::exchange(hashes_, {});
    std::string filter = BuildFastLocalBloom(hashes, millibits_);
    TAMIS_DCHECK(filter.size() == estimate);
    return filter;
  }

 private:
  const uint32_t millibits_;
};

struct Layout {
  Slice lines;
  uint32_t probes;
};

// Returns nullopt for reserved or malformed bytes. REQUIRES: filter is longer
// than a trailer.
std::optional<Layout> Parse(const Slice& filter) {
  const Slice lines(filter.data(), filter.size() - kFilterTrailerBytes);
  const char* const trailer = lines.end();
  const auto probes = static_cast<uint8_t>(trailer[2]);
  // Line sizes above 64 also make this byte exceed 30.
  if (trailer[0] != kMarker || trailer[1] != 0 || trailer[3] != 0 ||
      trailer[4] != 0 || probes == 0 || probes > kProbesMax) {
    return std::nullopt;
  }
  if (lines.size() % kFilterLineBytes != 0 ||
      lines.size() / kFilterLineBytes > UINT32_MAX) {
    return std::nullopt;
  }
  return Layout{lines, probes};
}

class Codec final : public FilterCodec {
 public:
  Codec() : probe_(FastLocalBloomProbe()) {}

  std::string_view name() const override { return "FastLocalBloom"; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return std::make_unique<Builder>(BuilderMillibits(bits_per_key));
  }

  size_t EstimateSizeBytes(double bits_per_key, size_t keys) const override {
    return FastLocalBloomBytes(keys, BuilderMillibits(bits_per_key)) +
           kFilterTrailerBytes;
  }

  size_t KeysThatFit(double bits_per_key, size_t bytes) const override {
    const uint64_t room = std::max(bytes, kFilterTrailerBytes);
    // The smallest filter has one full line.
    const uint64_t lines =
        std::max<uint64_t>((room - kFilterTrailerBytes) / kFilterLineBytes, 1);
    return lines * kFilterLineBytes * 8000 / BuilderMillibits(bits_per_key);
  }

  FilterView Open(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return FilterView::NeverMatch();
    const std::optional<Layout> layout = Parse(filter);
    if (!layout) return FilterView::AlwaysMatch();
    const auto num_lines =
        static_cast<uint32_t>(layout->lines.size() / kFilterLineBytes);
    return FilterView(probe_, layout->lines,
                      FastLocalBloomState{num_lines, layout->probes},
                      FastLocalBloomPrefetch);
  }

  std::string Parameters(const Slice& filter) const override {
    if (filter.size() <= kFilterTrailerBytes) return "";
    const std::optional<Layout> layout = Parse(filter);
    return layout ? std::to_string(layout->probes) + " probes" : "";
  }

  double PredictedFalsePositiveRate(const Slice& filter,
                                    size_t num_keys) const override {
    if (filter.size() <= kFilterTrailerBytes) return 0;
    const std::optional<Layout> layout = Parse(filter);
    if (!layout) return 1;
    if (num_keys == 0) return 0;
    const auto keys = static_cast<double>(num_keys);
    const double bits = 8.0 * static_cast<double>(layout->lines.size());
    return EitherRate(CacheLocalBloomFalsePositiveRate(
                          bits / keys, layout->probes, 8.0 * kFilterLineBytes),
                      HashCollisionRate(keys, 64));
  }

 private:
  const FilterView::Probe probe_;
};

}  // namespace

const FilterCodec* FastLocalBloomCodec() { return Immortal<const Codec>(); }

std::string BuildFastLocalBloom(std::span<const uint64_t> hashes,
                                uint32_t millibits) {
  const size_t bytes = FastLocalBloomBytes(hashes.size(), millibits);
  const auto num_lines = static_cast<uint32_t>(bytes / kFilterLineBytes);
  const uint32_t probes = FastLocalBloomProbes(millibits);
  TAMIS_CHECK(bytes % kFilterLineBytes == 0);
  TAMIS_CHECK(num_lines > 0 || hashes.empty());
  TAMIS_CHECK(probes > 0);
  TAMIS_CHECK(probes <= kProbesMax);
  std::string filter(bytes + kFilterTrailerBytes, '\0');
  char* const lines = filter.data();
  // Prefetches lines this many keys ahead: a large table's filter does not fit
  // in the caches.
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      __builtin_prefetch(lines + BloomLineOffset(hashes[i + kAhead], num_lines),
                         1);
    }
    SetBits(lines + BloomLineOffset(hashes[i], num_lines), hashes[i], probes);
  }
  filter[bytes] = kMarker;
  filter[bytes + 2] = static_cast<char>(probes);
  return filter;
}

}  // namespace tamis
