// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filter/filter_codec.h"
#include "filter/filter_key.h"
#include "filter/filter_registry.h"
#include "tools/filter_bench/filter_format.h"
#include "util/cache/block_buffer.h"

namespace tamis {

namespace {

class CodecFilter : public ProbedFilter {
 public:
  CodecFilter(const FilterCodec& codec, Slice bytes)
      : view_(codec.Open(bytes)), hash64_(UsesHash64(codec)) {}

  bool MayMatch(Slice key) const override {
    const FilterKey hashed(key);
    // As a lookup does, before it probes its first table.
    if (hash64_) static_cast<void>(hashed.Hash64());
    return view_.MayMatch(hashed);
  }
  size_t CountMatches(std::span<const Slice> keys) const override {
    // A FilterKey keeps its hash, and cannot be copied.
    constexpr size_t kMost = 32;
    size_t matches = 0;
    for (; !keys.empty(); keys = keys.subspan(std::min(kMost, keys.size()))) {
      std::optional<FilterKey> hashed[kMost];
      const size_t n = std::min(kMost, keys.size());
      for (size_t i = 0; i < n; ++i) {
        view_.PrefetchFor(hashed[i].emplace(keys[i]));
      }
      for (size_t i = 0; i < n; ++i) {
        if (view_.MayMatch(*hashed[i])) ++matches;
      }
    }
    return matches;
  }

 private:
  // The older formats have 32 bits of another hash.
  static bool UsesHash64(const FilterCodec& codec) {
    return !codec.name().starts_with("LevelDB") &&
           codec.name() != "CacheLocalBloom";
  }

  const FilterView view_;
  const bool hash64_;
};

class CodecFormat : public FilterFormat {
 public:
  CodecFormat(const FilterCodec& codec, double bits_per_key)
      : codec_(codec), bits_per_key_(bits_per_key) {}

  std::string_view engine() const override { return "tamis"; }
  std::string_view name() const override { return codec_.name(); }
  std::vector<KeyGroups> groups() const override {
    if (codec_.name().starts_with("LevelDB")) return {KeyGroups::kBlock};
    return {KeyGroups::kTable, KeyGroups::kPartition};
  }
  std::string Build(std::span<const Slice> keys) const override {
    const auto builder = codec_.NewBuilder(bits_per_key_);
    for (const Slice& key : keys) builder->Add(FilterKey(key));
    return *builder->Finish();  // built-in codecs do not fail
  }
  std::unique_ptr<ProbedFilter> Open(Slice bytes) const override {
    return std::make_unique<CodecFilter>(codec_, bytes);
  }
  // A BlockBuffer's.
  size_t alignment() const override { return alignof(BlockBuffer); }
  size_t KeysThatFit(size_t bytes) const override {
    return codec_.KeysThatFit(bits_per_key_, bytes);
  }
  std::optional<double> PredictedRate(const std::string& bytes,
                                      size_t keys) const override {
    return codec_.PredictedFalsePositiveRate(bytes, keys);
  }

 private:
  const FilterCodec& codec_;
  const double bits_per_key_;
};

}  // namespace

const char* NameOf(KeyGroups groups) {
  switch (groups) {
    case KeyGroups::kTable:
      return "full";
    case KeyGroups::kPartition:
      return "partitioned";
    case KeyGroups::kBlock:
      return "block-based";
  }
  return "";
}

FilterFormats NewCodecFormats(double bits_per_key) {
  FilterFormats formats;
  for (const FilterCodec* codec : BuiltinCodecs()) {
    formats.push_back(std::make_unique<CodecFormat>(*codec, bits_per_key));
  }
  return formats;
}

}  // namespace tamis
