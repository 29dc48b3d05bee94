// SPDX-License-Identifier: Apache-2.0
#include "filter/leveldb_bloom.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "filter/bloom_math.h"
#include "util/base/immortal.h"

namespace tamis {

namespace {

constexpr size_t kBitsMin = 64;
constexpr uint32_t kProbesMax = 30;

size_t BytesFor(size_t num_keys, uint32_t whole_bits) {
  return (std::max(num_keys * whole_bits, kBitsMin) + 7) / 8;
}

class Builder final : public FilterBuilder {
 public:
  Builder(Hash32Flavor flavor, uint32_t whole_bits)
      : flavor_(flavor), whole_bits_(whole_bits) {}

  void Add(const FilterKey& key) override {
    const uint32_t hash = key.Hash32(flavor_);
    if (hashes_.empty() || hashes_.back() != hash) ++num_keys_;
    hashes_.push_back(hash);
  }

  size_t num_keys() const override { return num_keys_; }

  size_t EstimateSizeBytes() const override {
    return BytesFor(hashes_.size(), whole_bits_) + 1;
  }

  size_t ApproximateMemoryUsage() const override {
    return hashes_.capacity() * sizeof(uint32_t);
  }

  Result<std::string> Finish() override {
    const size_t bytes = BytesFor(hashes_.size(), whole_bits_);
    const uint64_t bits = 8 * uint64_t{bytes};
    const uint32_t probes = PlainBloomProbes(whole_bits_);
    std::string filter(bytes + 1, '\0');
    for (uint32_t hash : hashes_) {
      const uint32_t step = std::rotr(hash, 17);
      for (uint32_t i = 0; i < probes; ++i, hash += step) {
        const uint64_t bit = hash % bits;
        char& byte = filter[bit / 8];
        byte = static_cast<char>(byte | (1 << (bit % 8)));
      }
    }
    filter.back() = static_cast<char>(probes);
    hashes_.clear();
    num_keys_ = 0;
    return filter;
  }

 private:
  const Hash32Flavor flavor_;
  const uint32_t whole_bits_;
  std::vector<uint32_t> hashes_;
  size_t num_keys_ = 0;
};

struct State {
  uint32_t probes;
};

// REQUIRES: at least one byte of bits besides k.
template <Hash32Flavor kFlavor>
bool Probe(const FilterView& view, const FilterKey& key) {
  const Slice bytes = view.bytes();
  const uint64_t bits = 8 * uint64_t{bytes.size()};
  uint32_t hash = key.Hash32(kFlavor);
  const uint32_t step = std::rotr(hash, 17);
  const uint32_t probes = view.state<State>().probes;
  for (uint32_t i = 0; i < probes; ++i, hash += step) {
    const uint64_t bit = hash % bits;
    if ((static_cast<uint8_t>(bytes[bit / 8]) & (1u << (bit % 8))) == 0) {
      return false;
    }
  }
  return true;
}

template <Hash32Flavor kFlavor>
class Codec final : public FilterCodec {
 public:
  std::string_view name() const override {
    return kFlavor == Hash32Flavor::kUnsignedTail ? "LevelDBBloom"
                                                  : "LevelDBBloomSignedTail";
  }

  std::string_view family() const override {
    return kFlavor == Hash32Flavor::kUnsignedTail ? kLevelDBBloomFamily
                                                  : kBuiltinBloomFamily;
  }

  std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return std::make_unique<Builder>(
        kFlavor, BloomWholeBits(BuilderMillibits(bits_per_key)));
  }

  size_t EstimateSizeBytes(double bits_per_key, size_t keys) const override {
    return BytesFor(keys, BloomWholeBits(BuilderMillibits(bits_per_key))) + 1;
  }

  size_t KeysThatFit(double bits_per_key, size_t bytes) const override {
    const uint32_t bits = BloomWholeBits(BuilderMillibits(bits_per_key));
    // Even a filter of one key has 64 bits.
    return std::max<size_t>(8 * std::max<size_t>(bytes, 9) - 8, bits) / bits;
  }

  FilterView Open(const Slice& filter) const override {
    if (filter.size() < 2) return FilterView::NeverMatch();
    const auto probes = static_cast<uint8_t>(filter[filter.size() - 1]);
    if (probes > kProbesMax) return FilterView::AlwaysMatch();
    return FilterView(Probe<kFlavor>, Slice(filter.data(), filter.size() - 1),
                      State{probes});
  }

  std::string Parameters(const Slice& filter) const override {
    if (filter.empty()) return "";
    return std::to_string(static_cast<uint8_t>(filter[filter.size() - 1])) +
           " probes";
  }

  double PredictedFalsePositiveRate(const Slice& filter,
                                    size_t num_keys) const override {
    if (filter.size() < 2) return 0;
    const auto probes = static_cast<uint8_t>(filter[filter.size() - 1]);
    if (probes > kProbesMax) return 1;
    if (num_keys == 0) return 0;
    const double bits = 8.0 * static_cast<double>(filter.size() - 1);
    const auto keys = static_cast<double>(num_keys);
    return EitherRate(PlainBloomFalsePositiveRate(bits / keys, probes),
                      HashCollisionRate(keys, 32));
  }
};

}  // namespace

const FilterCodec* LevelDBBloomCodec() {
  return Immortal<const Codec<Hash32Flavor::kUnsignedTail>>();
}

const FilterCodec* LevelDBBloomSignedTailCodec() {
  return Immortal<const Codec<Hash32Flavor::kSignedTail>>();
}

}  // namespace tamis
