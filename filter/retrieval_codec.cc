// SPDX-License-Identifier: Apache-2.0
#include "filter/retrieval_codec.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "filter/bloom_math.h"
#include "filter/fast_local_bloom.h"
#include "filter/hash_filter_builder.h"
#include "filter/keys_that_fit.h"
#include "filter/ribbon_math.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

// Offsets in the trailer.
constexpr size_t kResultBitsAt = 8;
constexpr size_t kSeedAt = 10;
constexpr size_t kMarkerAt = kRetrievalTrailerBytes - kFilterTrailerBytes;
static_assert(kMarkerAt == 11);

constexpr int8_t kBloomMarker = -1;

int8_t MarkerOf(const Slice& filter) {
  return static_cast<int8_t>(filter[filter.size() - kFilterTrailerBytes]);
}

bool IsBloom(const Slice& filter) {
  return filter.size() <= kFilterTrailerBytes ||
         MarkerOf(filter) == kBloomMarker;
}

void AppendTrailer(const RetrievalShape& shape, int8_t marker,
                   std::string* filter) {
  PutFixed64(filter, shape.entries);
  PutFixed16(filter, shape.result_bits);
  filter->push_back(static_cast<char>(shape.seed));
  filter->push_back(static_cast<char>(marker));
  filter->append(4, '\0');
}

// Sorts.
void RemoveDuplicates(std::vector<uint64_t>* hashes) {
  std::ranges::sort(*hashes);
  hashes->erase(std::unique(hashes->begin(), hashes->end()), hashes->end());
}

}  // namespace

// One thread.
class RetrievalCodec::Builder final : public HashFilterBuilder {
 public:
  Builder(const RetrievalCodec& codec, double bits_per_key)
      : codec_(codec), bits_per_key_(bits_per_key) {}

  size_t EstimateSizeBytes() const override {
    return codec_.EstimateSizeBytes(bits_per_key_, hashes_.size());
  }

  size_t ApproximateMemoryUsage() const override {
    return hashes_.capacity() * sizeof(uint64_t);
  }

  void UseHelpers(const Helpers& helpers) override { helpers_ = helpers; }

  Result<std::string> Finish() override {
    std::vector<uint64_t> hashes = std::exchange(hashes_, {});
    if (hashes.empty()) return std::string();
    RetrievalShape shape{.entries = hashes.size(),
                         .result_bits = codec_.ResultBits(
                             RibbonOneIn(BuilderBitsPerKey(bits_per_key_))),
                         .seed = 0};
    const auto bytes = codec_.BodyBytesIfSmaller(shape, bits_per_key_);
    if (bytes) {
      for (int seed = 0; seed < 256; ++seed) {
        shape.seed = static_cast<uint8_t>(seed);
        std::string filter(*bytes, '\0');
        filter.reserve(*bytes + kRetrievalTrailerBytes);
        if (codec_.Build(hashes, shape, helpers_, filter.data())) {
          AppendTrailer(shape, codec_.marker_, &filter);
          return filter;
        }
        if (seed == 0) RemoveDuplicates(&hashes);
      }
    }
    return BuildFastLocalBloom(hashes, BuilderMillibits(bits_per_key_));
  }

 private:
  const RetrievalCodec& codec_;
  const double bits_per_key_;
  Helpers helpers_;
};

std::unique_ptr<FilterBuilder> RetrievalCodec::NewBuilder(
    double bits_per_key) const {
  return std::make_unique<Builder>(*this, bits_per_key);
}

std::optional<uint64_t> RetrievalCodec::BodyBytesIfSmaller(
    const RetrievalShape& shape, double bits_per_key) const {
  if (shape.entries > kRetrievalEntriesMax) return std::nullopt;
  const auto bytes = BodyBytes(shape);
  const uint64_t bloom =
      FastLocalBloomBytes(shape.entries, BuilderMillibits(bits_per_key)) +
      kFilterTrailerBytes;
  if (!bytes || *bytes + kRetrievalTrailerBytes > bloom) return std::nullopt;
  return bytes;
}

size_t RetrievalCodec::EstimateSizeBytes(double bits_per_key,
                                         size_t keys) const {
  if (keys == 0) return 0;
  const RetrievalShape shape{
      .entries = keys,
      .result_bits = ResultBits(RibbonOneIn(BuilderBitsPerKey(bits_per_key))),
      .seed = 0};
  const auto bytes = BodyBytesIfSmaller(shape, bits_per_key);
  if (bytes) return *bytes + kRetrievalTrailerBytes;
  return FastLocalBloomBytes(keys, BuilderMillibits(bits_per_key)) +
         kFilterTrailerBytes;
}

size_t RetrievalCodec::KeysThatFit(double bits_per_key, size_t bytes) const {
  return KeysThatFitBySearch(kRetrievalEntriesMax, [&](uint64_t n) {
    return EstimateSizeBytes(bits_per_key, n) <= bytes;
  });
}

std::optional<RetrievalShape> RetrievalCodec::ParseTrailer(
    const Slice& filter) const {
  if (filter.size() <= kRetrievalTrailerBytes || MarkerOf(filter) != marker_) {
    return std::nullopt;
  }
  const char* const trailer = filter.end() - kRetrievalTrailerBytes;
  if (DecodeFixed32(trailer + kMarkerAt + 1) != 0) return std::nullopt;
  const RetrievalShape shape{
      .entries = DecodeFixed64(trailer),
      .result_bits = DecodeFixed16(trailer + kResultBitsAt),
      .seed = static_cast<uint8_t>(trailer[kSeedAt])};
  if (shape.entries == 0 || shape.entries > kRetrievalEntriesMax) {
    return std::nullopt;
  }
  return shape;
}

std::optional<RetrievalShape> RetrievalCodec::Parse(const Slice& filter) const {
  const std::optional<RetrievalShape> shape = ParseTrailer(filter);
  if (!shape || BodyBytes(*shape) != filter.size() - kRetrievalTrailerBytes) {
    return std::nullopt;
  }
  return shape;
}

FilterView RetrievalCodec::Open(const Slice& filter) const {
  if (IsBloom(filter)) return FastLocalBloomCodec()->Open(filter);
  const std::optional<RetrievalShape> shape = ParseTrailer(filter);
  if (!shape) return FilterView::AlwaysMatch();
  return OpenBody(*shape,
                  Slice(filter.data(), filter.size() - kRetrievalTrailerBytes));
}

double RetrievalCodec::PredictedFalsePositiveRate(const Slice& filter,
                                                  size_t num_keys) const {
  if (IsBloom(filter)) {
    return FastLocalBloomCodec()->PredictedFalsePositiveRate(filter, num_keys);
  }
  const std::optional<RetrievalShape> shape = Parse(filter);
  if (!shape) return 1;
  if (num_keys == 0) return 0;
  return EitherRate(Rate(*shape),
                    HashCollisionRate(static_cast<double>(num_keys), 64));
}

std::string RetrievalCodec::Parameters(const Slice& filter) const {
  if (IsBloom(filter)) return FastLocalBloomCodec()->Parameters(filter);
  const std::optional<RetrievalShape> shape = Parse(filter);
  if (!shape) return "";
  char bits[32];
  std::snprintf(bits, sizeof(bits), "%g", shape->result_bits / 256.0);
  return std::string(bits) + " bits of result, " +
         std::to_string(shape->entries) + " entries, seed " +
         std::to_string(shape->seed);
}

}  // namespace tamis
