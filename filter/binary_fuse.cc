// SPDX-License-Identifier: Apache-2.0
#include "filter/binary_fuse.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "filter/hash_parts.h"
#include "filter/peeling.h"
#include "filter/retrieval_codec.h"
#include "util/base/immortal.h"
#include "util/base/uint128.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr int8_t kMarker = -20;
constexpr uint32_t kBitsMin = 4;
constexpr uint32_t kBitsMax = 16;
// Slots of a key, each in a segment of its own.
constexpr uint32_t kArity = 4;
// A slot is read as part of a word of 32 bits.
constexpr size_t kWordBytes = sizeof(uint32_t);
static_assert(kBitsMax + 7 <= 8 * kWordBytes);

// Slots for 2^i keys, with which nearly nine seeds in ten work (measured). Of
// other numbers of keys, seven seeds in ten do at least.
constexpr std::array<uint64_t, 23> kSlotsOfPowers = {
    8,     12,     16,     20,     28,      44,      76,     140,
    272,   576,    1152,   2304,   4608,    9216,    18304,  36224,
    71552, 141824, 282112, 559872, 1113600, 2218800, 4416600};

// Returns the number of slots for `entries`, except for rounding. Between
// powers of two it is on a straight line; beyond the table it is proportional
// to the entries.
uint64_t SlotsWanted(uint64_t entries) {
  constexpr size_t kLast = kSlotsOfPowers.size() - 1;
  const auto power = static_cast<size_t>(std::bit_width(entries)) - 1;
  if (power >= kLast) return (entries * kSlotsOfPowers[kLast]) >> kLast;
  const uint64_t low = kSlotsOfPowers[power];
  const uint64_t step = kSlotsOfPowers[power + 1] - low;
  const uint64_t above = entries - (uint64_t{1} << power);
  return low + ((step * above) >> power);
}

// Returns the number of segments. Each is a multiple of the one before, so that
// more entries never take fewer slots.
uint32_t SegmentsFor(uint64_t entries) {
  constexpr uint32_t kOneWindow = kArity;  // no coupling: best for few keys
  const auto power = std::bit_width(entries) - 1;
  if (power < 9) return kOneWindow;
  if (power < 10) return 16;
  if (power < 11) return 32;
  if (power < 15) return 64;
  if (power < 18) return 128;
  if (power < 22) return 256;
  return power < 25 ? 512 : 1024;
}

struct Layout {
  explicit Layout(uint64_t entries)
      : segments(SegmentsFor(entries)),
        segment_slots(static_cast<uint32_t>(
            (SlotsWanted(entries) + segments - 1) / segments)) {}

  uint64_t slots() const { return uint64_t{segments} * segment_slots; }

  uint32_t segments;
  uint32_t segment_slots;
};

// What a probe needs.
struct State {
  State() = default;
  State(const RetrievalShape& shape, const Layout& layout)
      : hasher(shape.seed),
        starts(layout.segments - (kArity - 1)),
        segment_slots(layout.segment_slots),
        bits(shape.result_bits >> 8),
        mask((uint32_t{1} << bits) - 1) {}

  std::array<uint32_t, kArity> SlotsOf(const PeelingHashes& hashes) const {
    // Equal to a's share of all slots in which a key may start, so that hashes
    // in order have first slots in order.
    const Uint128 place = Uint128{hashes.a} * starts;
    const uint64_t base = static_cast<uint64_t>(place >> 64) * segment_slots;
    const uint64_t fraction = static_cast<uint64_t>(place) >> 32;
    const uint64_t n = segment_slots;
    return {static_cast<uint32_t>(base + Reduce32(fraction, n)),
            static_cast<uint32_t>(base + n + Reduce32(hashes.b >> 32, n)),
            static_cast<uint32_t>(base + 2 * n + Reduce32(hashes.b, n)),
            static_cast<uint32_t>(base + 3 * n + Reduce32(hashes.c >> 32, n))};
  }
  uint32_t FingerprintOf(const PeelingHashes& hashes) const {
    return static_cast<uint32_t>(hashes.b >> 32) & mask;
  }

  PeelingHasher hasher;
  uint32_t starts = 0;  // segments in which a key may start
  uint32_t segment_slots = 0;
  uint32_t bits = 0;
  uint32_t mask = 0;
};

// Returns the word that begins with the byte of the slot's first bit.
const char* WordOf(const char* body, uint32_t slot, uint32_t bits) {
  return body + (uint64_t{slot} * bits >> 3);
}

// Returns a slot, with what follows it above its bits.
uint32_t SlotAt(const char* body, uint32_t slot, uint32_t bits) {
  return DecodeFixed32(WordOf(body, slot, bits)) >> (slot * bits & 7);
}

bool Probe(const FilterView& view, const FilterKey& key) {
  if (!key.has_hash64()) return HashThenProbe<Probe>(view, key);
  const auto& state = view.state<State>();
  const PeelingHashes hashes = state.hasher.Of(key.Hash64());
  uint32_t difference = state.FingerprintOf(hashes);
  for (const uint32_t slot : state.SlotsOf(hashes)) {
    difference ^= SlotAt(view.bytes().data(), slot, state.bits);
  }
  return (difference & state.mask) == 0;
}

void Prefetch(const FilterView& view, const FilterKey& key) {
  const auto& state = view.state<State>();
  for (const uint32_t slot : state.SlotsOf(state.hasher.Of(key.Hash64()))) {
    __builtin_prefetch(WordOf(view.bytes().data(), slot, state.bits));
  }
}

// Returns the hashes in about the order of their first slots: the slots of
// neighbours then are in the cache together.
HashParts PartsByPlace(std::span<const uint64_t> hashes, const State& state) {
  constexpr int kBits = 10;
  static_assert(size_t{1} << kBits <= kHashPartsMax);
  HashParts parts;
  parts.Order(hashes, size_t{1} << kBits, [&state](uint64_t hash) {
    return state.hasher.First(hash) >> (64 - kBits);
  });
  return parts;
}

// Writes the lowest `bits` bits of each value, without gaps.
void Pack(const std::vector<uint16_t>& values, uint32_t bits, char* to) {
  uint64_t buffer = 0;
  uint32_t filled = 0;
  for (const uint16_t value : values) {
    buffer |= uint64_t{value} << filled;
    filled += bits;
    if (filled >= 32) {
      EncodeFixed32(to, static_cast<uint32_t>(buffer));
      to += 4;
      buffer >>= 32;
      filled -= 32;
    }
  }
  for (; filled > 0; filled -= std::min(filled, 8u), buffer >>= 8) {
    *to++ = static_cast<char>(buffer);
  }
}

std::optional<uint64_t> BytesOf(const RetrievalShape& shape,
                                const Layout& layout) {
  const uint32_t bits = shape.result_bits >> 8;
  if ((shape.result_bits & 0xff) != 0 || bits < kBitsMin || bits > kBitsMax) {
    return std::nullopt;
  }
  // The word of the last slot is the end.
  return ((layout.slots() - 1) * bits >> 3) + kWordBytes;
}

class Codec final : public RetrievalCodec {
 public:
  Codec() : RetrievalCodec("BinaryFuse", "tamis.BinaryFuse", kMarker) {}

 private:
  // Rounds up: the rate is at most the wanted one, up to 16 bits.
  uint16_t ResultBits(double one_in) const override {
    const double bits = std::ceil(std::log2(one_in) - kResultBitsError);
    return static_cast<uint16_t>(
        std::clamp(bits, double{kBitsMin}, double{kBitsMax}) * 256);
  }

  std::optional<uint64_t> BodyBytes(
      const RetrievalShape& shape) const override {
    return BytesOf(shape, Layout(shape.entries));
  }

  bool Build(std::span<uint64_t> hashes, const RetrievalShape& shape,
             const Helpers& /*helpers*/, char* body) const override {
    const Layout layout(shape.entries);
    const State state(shape, layout);
    const auto slots_of = [&state](uint64_t hash) {
      return state.SlotsOf(state.hasher.Of(hash));
    };
    Peeling<kArity> peeling(layout.slots(), layout.segment_slots,
                            DeferredKeys::kMax);
    const auto values = peeling.Solve(
        PartsByPlace(hashes, state), slots_of, [&state](uint64_t hash) {
          return state.FingerprintOf(state.hasher.Of(hash));
        });
    if (!values) return false;
    Pack(*values, state.bits, body);
    return true;
  }

  FilterView OpenBody(const RetrievalShape& shape,
                      const Slice& body) const override {
    const Layout layout(shape.entries);
    if (BytesOf(shape, layout) != body.size()) return FilterView::AlwaysMatch();
    return FilterView(Probe, body, State(shape, layout), Prefetch);
  }

  double Rate(const RetrievalShape& shape) const override {
    return std::ldexp(1.0, -(shape.result_bits >> 8));
  }
};

}  // namespace

const FilterCodec* BinaryFuseCodec() { return Immortal<const Codec>(); }

}  // namespace tamis
