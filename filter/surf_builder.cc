// SPDX-License-Identifier: Apache-2.0
#include "filter/surf_builder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "filter/byte_model.h"
#include "filter/kept_keys.h"
#include "filter/louds_builder.h"
#include "filter/range_filter_worth.h"
#include "filter/surf_filter.h"
#include "filter/surf_format.h"

namespace tamis {

namespace {

// A trie that takes this many times the bits per key that were asked for is
// cut.
constexpr double kTrieShareMax = 2;
constexpr double kBitsPerKeyMax = 64;

class SurfBuilder final : public RangeFilterBuilder {
 public:
  SurfBuilder(double bits_per_key, SurfSuffix suffix)
      : bits_per_key_(bits_per_key), suffix_(suffix) {}

  const RangeFilterCodec& codec() const override { return *SurfCodec(); }

  void Add(const Slice& user_key) override { keys_.Add(user_key); }
  size_t ApproximateMemoryUsage() const override {
    return keys_.ApproximateMemoryUsage();
  }

  std::string Finish() override;

 private:
  // Returns how many bytes after the prefix the i-th key shares with the one
  // before it; 0 if one of them is none.
  size_t Shared(size_t i) const {
    return i == 0 || i >= keys_.size()
               ? 0
               : keys_.shared(i) - keys_.prefix().size();
  }
  // Returns how many bytes of the i-th key the prefix and its path have.
  size_t PathEnd(size_t i) const {
    const size_t prefix = keys_.prefix().size();
    return prefix + LoudsPathBytes(Shared(i), Shared(i + 1),
                                   keys_[i].size() - prefix, state_.depth);
  }
  void AddPaths(LoudsBuilder* trie);
  void SetSuffixBits(uint64_t trie_bits, uint64_t leaves);
  void TrainModel();
  uint64_t RealBits(size_t i, size_t from) const {
    const ByteModel model(shares_.data(), state_.first_byte,
                          state_.num_bytes());
    return SurfRealBits(model, keys_[i], from, state_.real_bits);
  }
  void AppendSuffixes(const std::vector<uint32_t>& leaf_keys,
                      std::string* out) const;
  bool IsLost(size_t i) const;

  const double bits_per_key_;
  const SurfSuffix suffix_;
  KeptKeys keys_;
  SurfState state_{};
  std::string shares_;  // of the model
};

// Gives the bits that the trie leaves to the suffixes.
void SurfBuilder::SetSuffixBits(uint64_t trie_bits, uint64_t leaves) {
  const double left = bits_per_key_ * static_cast<double>(keys_.size()) -
                      static_cast<double>(trie_bits);
  if (leaves == 0 || left < static_cast<double>(leaves)) return;
  const auto bits = static_cast<uint8_t>(
      std::min<double>(left / static_cast<double>(leaves), kSurfSuffixBitsMax));
  (suffix_ == SurfSuffix::kReal ? state_.real_bits : state_.hash_bits) = bits;
  state_.num_suffixes = static_cast<uint32_t>(leaves);
}

// Makes the model of what follows paths.
void SurfBuilder::TrainModel() {
  ByteModelTrainer trainer;
  const size_t step = ByteModelTrainer::StepOf(keys_.size());
  for (size_t i = 0; i < keys_.size(); i += step) {
    trainer.Add(keys_[i], PathEnd(i));
  }
  trainer.Finish(&shares_);
  state_.first_byte = trainer.first();
  state_.last_byte =
      static_cast<uint8_t>(trainer.first() + trainer.num_bytes() - 1);
}

void SurfBuilder::AppendSuffixes(const std::vector<uint32_t>& leaf_keys,
                                 std::string* out) const {
  uint64_t buffer = 0;
  uint32_t filled = 0;
  for (const uint32_t i : leaf_keys) {
    uint64_t suffix = 0;
    if (i != LoudsBuilder::kNoKey) {
      suffix = SurfHashBits(keys_[i], state_.hash_bits);
      if (state_.real_bits > 0) {
        suffix |= RealBits(i, PathEnd(i)) << state_.hash_bits;
      }
    }
    buffer |= suffix << filled;
    filled += state_.suffix_bits();
    for (; filled >= 8; filled -= 8, buffer >>= 8) {
      out->push_back(static_cast<char>(buffer));
    }
  }
  if (filled > 0) out->push_back(static_cast<char>(buffer));
}

// Returns whether a range that begins with the key would match if the key had
// not been added: it would have the path, and the real bits, of a neighbour.
bool SurfBuilder::IsLost(size_t i) const {
  const size_t between = std::min(Shared(i), Shared(i + 1));
  const auto is_like = [&](size_t neighbour, size_t shared, size_t others) {
    const size_t path = std::max(between, others) + 1;
    if (shared >= state_.depth) return true;
    if (shared < path) return false;
    const size_t from = keys_.prefix().size() + path;
    return state_.real_bits == 0 ||
           RealBits(i, from) == RealBits(neighbour, from);
  };
  return (i > 0 && is_like(i - 1, Shared(i), Shared(i - 1))) ||
         (i + 1 < keys_.size() && is_like(i + 1, Shared(i + 1), Shared(i + 2)));
}

// Adds the paths of all keys. Cuts them if they take too many bits.
void SurfBuilder::AddPaths(LoudsBuilder* trie) {
  const size_t n = keys_.size();
  const size_t prefix = keys_.prefix().size();
  for (size_t i = 0; i < n; ++i) {
    const Slice key = keys_[i];
    trie->Add(static_cast<uint32_t>(i),
              Slice(key.data() + prefix, key.size() - prefix), Shared(i),
              Shared(i + 1));
  }
  const double bits_max =
      kTrieShareMax * bits_per_key_ * static_cast<double>(n);
  uint32_t depth = trie->depth();
  while (depth > 1 && static_cast<double>(trie->BitsAt(depth)) > bits_max) {
    --depth;
  }
  if (depth < trie->depth()) {
    trie->CutAt(depth);
    state_.depth = static_cast<uint16_t>(depth);
  }
}

std::string SurfBuilder::Finish() {
  const size_t n = keys_.size();
  if (n == 0 || n > kRangeFilterKeysMax) return {};  // or there were too many
  const Slice prefix = keys_.prefix();
  state_.num_keys = static_cast<uint32_t>(n);
  state_.prefix_bytes = static_cast<uint32_t>(prefix.size());
  state_.depth = kLoudsDepthMax;
  std::string filter;
  if (n > 1) {  // else the prefix is the key
    LoudsBuilder trie;
    AddPaths(&trie);
    std::vector<uint32_t> leaf_keys;
    state_.shape = trie.AppendTo(&filter, &leaf_keys);
    // Whole blocks do not count against a few keys.
    SetSuffixBits(std::min(8 * state_.shape.bytes(), trie.BitsAt(trie.depth())),
                  leaf_keys.size());
    if (state_.real_bits > 0) TrainModel();
    if (state_.num_suffixes > 0) AppendSuffixes(leaf_keys, &filter);
  }
  uint64_t lost = 0;
  for (size_t i = 0; i < n; ++i) {
    if (IsLost(i)) ++lost;
  }
  if (!ExcludesEnough(lost, n)) return {};
  state_.lost = static_cast<uint16_t>(lost * UINT16_MAX / n);
  filter += shares_;
  filter += prefix.ToStringView();
  AppendSurfTrailer(state_, &filter);
  if (IsTooLarge(filter.size(), bits_per_key_, lost, n)) return {};
  return filter;
}

}  // namespace

std::unique_ptr<RangeFilterBuilder> NewSurfBuilder(double bits_per_key,
                                                   SurfSuffix suffix) {
  // The comparison is false for NaN.
  const double bits =
      bits_per_key >= 1 ? std::min(bits_per_key, kBitsPerKeyMax) : 1;
  return std::make_unique<SurfBuilder>(bits, suffix);
}

}  // namespace tamis
