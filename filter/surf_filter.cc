// SPDX-License-Identifier: Apache-2.0
#include "filter/surf_filter.h"

#include <optional>

#include "filter/byte_model.h"
#include "filter/louds_trie.h"
#include "filter/range_after_prefix.h"
#include "filter/surf_builder.h"
#include "filter/surf_format.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

using Node = LoudsTrie::Node;
using Branch = LoudsTrie::Branch;

uint32_t LabelOf(const Slice& key, size_t at) {
  return static_cast<uint8_t>(key[at]);
}

// Answers one probe, about the keys in [begin, end) without their prefix.
class Prober {
 public:
  // `one_key` is the user key that is alone in the range, if there is one.
  Prober(const char* filter, const SurfState& state, const Slice* one_key)
      : filter_(filter),
        state_(state),
        trie_(filter, state.shape),
        one_key_(one_key) {}

  // Returns whether a key may be in [begin, end). nullptr is a bound that all
  // keys are within.
  bool Any(const Slice& begin, const Slice* end) const;

 private:
  // Follow the path of a key from a node, at a depth. Return whether a key
  // below the node may be at least `begin`, or less than `end`.
  bool AnyFrom(Node node, size_t depth, const Slice& begin) const;
  bool AnyBelow(Node node, size_t depth, const Slice& end) const;
  // Return the same for what a branch leads to, whose label is that of the
  // key at the depth.
  bool BranchAnyFrom(const Branch& branch, size_t depth,
                     const Slice& begin) const;
  bool BranchAnyBelow(const Branch& branch, size_t depth,
                      const Slice& end) const;
  // Returns whether the key of a leaf may be in the range, whose bounds, unless
  // nullptr, begin with the leaf's path of `path` bytes.
  bool LeafMayBeIn(const Branch& leaf, size_t path, const Slice* begin,
                   const Slice* end) const;

  uint64_t RealBits(const Slice& key, size_t path) const {
    const ByteModel model(filter_ + state_.model(), state_.first_byte,
                          state_.num_bytes());
    return SurfRealBits(model, key, path, state_.real_bits);
  }

  const char* const filter_;
  const SurfState& state_;
  const LoudsTrie trie_;
  const Slice* const one_key_;
};

bool Prober::LeafMayBeIn(const Branch& leaf, size_t path, const Slice* begin,
                         const Slice* end) const {
  // The key begins with all of the end.
  if (end != nullptr && end->size() == path) return false;
  if (path >= state_.depth || state_.num_suffixes == 0) return true;
  const uint32_t number = trie_.Leaf(leaf);
  if (number >= state_.num_suffixes) return true;  // malformed
  const uint64_t bit = uint64_t{number} * state_.suffix_bits();
  // The trailer follows the suffixes.
  const uint64_t suffix =
      DecodeFixed64(filter_ + state_.suffixes() + bit / 8) >> (bit % 8) &
      ((uint64_t{1} << state_.suffix_bits()) - 1);
  if (state_.real_bits > 0) {
    const uint64_t real = suffix >> state_.hash_bits;
    if (begin != nullptr && real < RealBits(*begin, path)) return false;
    if (end != nullptr && real > RealBits(*end, path)) return false;
  }
  const uint64_t hash_mask = (uint64_t{1} << state_.hash_bits) - 1;
  return one_key_ == nullptr ||
         (suffix & hash_mask) == SurfHashBits(*one_key_, state_.hash_bits);
}

bool Prober::BranchAnyFrom(const Branch& branch, size_t depth,
                           const Slice& begin) const {
  if (branch.is_leaf()) {
    return LeafMayBeIn(branch, depth + 1, &begin, nullptr);
  }
  Node child;
  return !trie_.Child(branch, &child) || AnyFrom(child, depth + 1, begin);
}

bool Prober::BranchAnyBelow(const Branch& branch, size_t depth,
                            const Slice& end) const {
  if (branch.is_leaf()) return LeafMayBeIn(branch, depth + 1, nullptr, &end);
  Node child;
  return !trie_.Child(branch, &child) || AnyBelow(child, depth + 1, end);
}

bool Prober::AnyFrom(Node node, size_t depth, const Slice& begin) const {
  // All keys below the last node begin with all of `begin`.
  for (; depth < begin.size(); ++depth) {
    const uint32_t label = LabelOf(begin, depth);
    const Branch branch = trie_.LowerBound(node, label);
    if (branch.label() != label) return branch.label() != Branch::kNone;
    if (trie_.HasAfter(node, branch)) return true;
    if (branch.is_leaf()) {
      return LeafMayBeIn(branch, depth + 1, &begin, nullptr);
    }
    if (!trie_.Child(branch, &node)) return true;
  }
  return true;
}

bool Prober::AnyBelow(Node node, size_t depth, const Slice& end) const {
  for (; depth < end.size(); ++depth) {
    if (node.has_end()) return true;
    const uint32_t label = LabelOf(end, depth);
    const Branch first = trie_.LowerBound(node, 0);
    if (first.label() != label) return first.label() < label;
    if (first.is_leaf()) return LeafMayBeIn(first, depth + 1, nullptr, &end);
    if (!trie_.Child(first, &node)) return true;
  }
  return false;
}

bool Prober::Any(const Slice& begin, const Slice* end) const {
  Node node;
  if (!trie_.Root(&node)) return true;
  if (end == nullptr) return AnyFrom(node, 0, begin);
  const size_t shared = SharedPrefixLength(begin, *end);
  for (size_t depth = 0; depth < shared; ++depth) {
    const uint32_t label = LabelOf(begin, depth);
    const Branch branch = trie_.LowerBound(node, label);
    if (branch.label() != label) return false;
    if (branch.is_leaf()) return LeafMayBeIn(branch, depth + 1, &begin, end);
    if (!trie_.Child(branch, &node)) return true;
  }
  if (begin.size() == shared) return AnyBelow(node, shared, *end);
  const uint32_t first = LabelOf(begin, shared);
  const uint32_t last = LabelOf(*end, shared);
  Branch branch = trie_.LowerBound(node, first);
  if (branch.label() == first) {
    if (BranchAnyFrom(branch, shared, begin)) return true;
    branch = trie_.LowerBound(node, first + 1);
  }
  if (branch.label() != last) return branch.label() < last;
  return BranchAnyBelow(branch, shared, *end);
}

bool Probe(const RangeFilterView& view, const Slice& begin, const Slice& end) {
  const auto state = view.state<SurfState>();
  const Slice prefix(view.bytes().data() + state.prefix(), state.prefix_bytes);
  const auto range = RestrictToPrefix(begin, end, prefix);
  if (!range) return false;
  const Slice first = range->begin.value_or(Slice());
  const Slice* const last = range->end ? &*range->end : nullptr;
  // The only key is the prefix.
  if (state.shape.empty()) {
    return first.empty() && (last == nullptr || !last->empty());
  }
  const bool one_key = end.size() == begin.size() + 1 &&
                       end[begin.size()] == '\0' && end.starts_with(begin);
  return Prober(view.bytes().data(), state, one_key ? &begin : nullptr)
      .Any(first, last);
}

class Codec final : public RangeFilterCodec {
 public:
  std::string_view name() const override { return "SuRF"; }
  std::string_view family() const override { return "tamis.SuRF"; }

  std::unique_ptr<RangeFilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return NewSurfBuilder(bits_per_key, SurfSuffix::kReal);
  }

  RangeFilterView Open(const Slice& filter) const override {
    const std::optional<SurfState> state = ParseSurfTrailer(filter);
    return state ? RangeFilterView(Probe, filter, *state)
                 : RangeFilterView::AlwaysMatch();
  }

  double PredictedFalsePositiveRate(const Slice& filter) const override {
    const std::optional<SurfState> state = ParseSurfTrailer(filter);
    return state ? static_cast<double>(state->lost) / UINT16_MAX : 1;
  }

  std::string Parameters(const Slice& filter) const override {
    const std::optional<SurfState> state = ParseSurfTrailer(filter);
    if (!state) return "";
    // In tenths of a percent, rounded up.
    const uint32_t share = (state->lost * 1000u + UINT16_MAX - 1) / UINT16_MAX;
    return std::to_string(state->num_keys) + " keys, a shared prefix of " +
           std::to_string(state->prefix_bytes) + " bytes, " +
           std::to_string(state->shape.dense_nodes) + " dense nodes, " +
           std::to_string(state->shape.branches) + " sparse branches, " +
           std::to_string(state->real_bits) + " real and " +
           std::to_string(state->hash_bits) +
           " hash bits a leaf; of the short ranges where keys are likely, "
           "about " +
           std::to_string(share / 10) + "." + std::to_string(share % 10) +
           " % match";
  }
};

}  // namespace

const RangeFilterCodec* SurfCodec() { return Immortal<const Codec>(); }

}  // namespace tamis
