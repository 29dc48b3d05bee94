// SPDX-License-Identifier: Apache-2.0
#include "filter/xor_filter.h"

#include <array>
#include <cmath>
#include <vector>

#include "filter/peeling.h"
#include "filter/retrieval_codec.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr int8_t kMarker = -19;
// r, in the unit of the trailer.
constexpr uint16_t kOneByte = 8 * 256;
constexpr uint16_t kTwoBytes = 16 * 256;
// Slots of a key, each in a third of its own.
constexpr uint32_t kArity = 3;

// Returns the number of slots in each third.
uint32_t SlotsInThird(uint64_t entries) {
  return static_cast<uint32_t>((entries * 123 / 100 + 32 + kArity - 1) /
                               kArity);
}

// What a probe needs.
struct State {
  State() = default;
  explicit State(const RetrievalShape& shape)
      : hasher(shape.seed), third(SlotsInThird(shape.entries)) {}

  std::array<uint32_t, kArity> SlotsOf(const PeelingHashes& hashes) const {
    const uint64_t n = third;
    return {static_cast<uint32_t>(Reduce32(hashes.a >> 32, n)),
            static_cast<uint32_t>(n + Reduce32(hashes.b >> 32, n)),
            static_cast<uint32_t>(2 * n + Reduce32(hashes.c >> 32, n))};
  }
  // Returns 16 bits, of which a narrow filter uses the lower eight.
  static uint32_t FingerprintOf(const PeelingHashes& hashes) {
    return static_cast<uint16_t>(hashes.b >> 32);
  }

  PeelingHasher hasher;
  uint32_t third = 0;
};

template <typename Cell>
bool Probe(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<Probe<Cell>>(view, key);
  const auto& state = view.state<State>();
  const PeelingHashes hashes = state.hasher.Of(key.Hash64());
  uint32_t difference = State::FingerprintOf(hashes);
  for (const size_t slot : state.SlotsOf(hashes)) {
    difference ^= LoadFixed<Cell>(view.bytes().data() + slot * sizeof(Cell));
  }
  return static_cast<Cell>(difference) == 0;
}

template <typename Cell>
void Prefetch(const FilterView& view, const FilterKey& key) {
  const auto& state = view.state<State>();
  for (const size_t slot : state.SlotsOf(state.hasher.Of(key.Hash64()))) {
    __builtin_prefetch(view.bytes().data() + slot * sizeof(Cell));
  }
}

class Codec final : public RetrievalCodec {
 public:
  Codec() : RetrievalCodec("Xor", "tamis.Xor", kMarker) {}

 private:
  uint16_t ResultBits(double one_in) const override {
    return std::log2(one_in) <= 8 + kResultBitsError ? kOneByte : kTwoBytes;
  }

  std::optional<uint64_t> BodyBytes(
      const RetrievalShape& shape) const override {
    if (shape.result_bits != kOneByte && shape.result_bits != kTwoBytes) {
      return std::nullopt;
    }
    const uint64_t slots = uint64_t{kArity} * SlotsInThird(shape.entries);
    return shape.result_bits == kOneByte ? slots : 2 * slots;
  }

  bool Build(std::span<uint64_t> hashes, const RetrievalShape& shape,
             const Helpers& /*helpers*/, char* body) const override {
    const State state(shape);
    const auto slots_of = [&state](uint64_t hash) {
      return state.SlotsOf(state.hasher.Of(hash));
    };
    Peeling<kArity> peeling(size_t{kArity} * state.third);
    const auto values = peeling.Solve(
        HashParts::One(hashes), slots_of, [&state](uint64_t hash) {
          return State::FingerprintOf(state.hasher.Of(hash));
        });
    if (!values) return false;
    for (const uint16_t value : *values) {
      *body++ = static_cast<char>(value);
      if (shape.result_bits == kTwoBytes) {
        *body++ = static_cast<char>(value >> 8);
      }
    }
    return true;
  }

  FilterView OpenBody(const RetrievalShape& shape,
                      const Slice& body) const override {
    if (BodyBytes(shape) != body.size()) return FilterView::AlwaysMatch();
    const bool one_byte = shape.result_bits == kOneByte;
    return FilterView(one_byte ? Probe<uint8_t> : Probe<uint16_t>, body,
                      State(shape),
                      one_byte ? Prefetch<uint8_t> : Prefetch<uint16_t>);
  }

  double Rate(const RetrievalShape& shape) const override {
    return std::ldexp(1.0, -(shape.result_bits >> 8));
  }
};

}  // namespace

const FilterCodec* XorCodec() { return Immortal<const Codec>(); }

}  // namespace tamis
