// SPDX-License-Identifier: Apache-2.0
//
// The bytes:
//
//   upper      u64 words of 2n bits: for each of n values of the codes' high
//              part, a one for each code that has it, then a zero
//   lower      the w low bits of each code, packed; then 8 zero bytes
//   places     u32 for every 128th zero of `upper`, from the first: the number
//              of bits before it
//   alphabets  for each position of a key after the prefix that counts
//   prefix     of all keys
//   trailer    u64 n | u32 hash seed | u32 prefix bytes | u8 w | u8 positions |
//              u8 0 | u8 version 0
#include "filter/grafite.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "filter/bit_select.h"
#include "filter/elias_fano.h"
#include "filter/key_number_reader.h"
#include "filter/key_numbers.h"
#include "filter/range_filter_worth.h"
#include "util/base/check.h"
#include "util/base/immortal.h"
#include "util/base/processor.h"
#include "util/base/uint128.h"
#include "util/coding/coding.h"
#include "util/coding/hash.h"

namespace tamis {

namespace {

constexpr size_t kTrailerBytes = 20;
constexpr size_t kZerosPerPlace = 128;
constexpr uint32_t kLowBitsMax = 32;
constexpr size_t kWordBytes = 8;
// Bits per key besides the w low ones: two for `upper`, 1/4 for `places`.
constexpr double kOverheadBits = 2.25;

struct State {
  uint64_t n;
  uint32_t low_bits;  // w
  uint32_t seed;
  uint32_t prefix_bytes;
  uint32_t positions;
};

// Where the parts of a filter begin.
struct Layout {
  explicit Layout(const State& state)
      : lower((2 * state.n + 63) / 64 * kWordBytes),
        places(lower + (state.n * state.low_bits + 7) / 8 + kWordBytes),
        alphabets(places + (state.n + kZerosPerPlace - 1) / kZerosPerPlace *
                               sizeof(uint32_t)),
        prefix(alphabets + state.positions * kNumberPositionBytes),
        end(prefix + state.prefix_bytes) {}
  uint64_t lower;
  uint64_t places;
  uint64_t alphabets;
  uint64_t prefix;
  uint64_t end;  // where the trailer begins
};

uint64_t Hash(uint64_t block, uint32_t seed) {
  uint64_t h = (block + (uint64_t{seed} << 32) + 0x9e3779b97f4a7c15u) *
               0xd6e8feb86659fd93u;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
  return h ^ (h >> 32);
}

// Codes are below r.
class Coder {
 public:
  explicit Coder(const State& state)
      : r_(state.n << state.low_bits), seed_(state.seed) {}

  uint64_t r() const { return r_; }
  uint64_t CodeOf(uint64_t x) const { return CodeOf(x / r_, x % r_); }
  uint64_t CodeOf(uint64_t block, uint64_t offset) const {
    const uint64_t shift = MultiplyHigh(Hash(block, seed_), r_);
    return shift >= r_ - offset ? shift - (r_ - offset) : shift + offset;
  }

 private:
  const uint64_t r_;
  const uint32_t seed_;
};

// The sorted codes. Any bytes are safe to search.
class Codes {
 public:
  Codes(const char* bytes, const State& state)
      : bytes_(bytes), n_(state.n), low_bits_(state.low_bits), layout_(state) {}

  // Returns whether a code is in [from, to]. REQUIRES: from <= to < r.
  template <BitCount kCount>
  __attribute__((always_inline)) bool Any(uint64_t from, uint64_t to) const {
    const uint64_t high = from >> low_bits_;
    const uint64_t place = PlaceOf<kCount>(high);
    if (place >= 2 * n_ || place < high) return AnyByRank(from, to);
    const uint64_t bits = DecodeFixed64(bytes_ + place / 8) >> (place % 8);
    // More bytes follow `lower` than kEliasFanoFew codes take.
    const std::optional<bool> any =
        EliasFanoAny(bits, place - high, n_, low_bits_, from, to,
                     [this](uint64_t i) { return Low(i); });
    return any ? *any : AnyByRank(from, to);
  }

 private:
  uint64_t LowMask() const { return (uint64_t{1} << low_bits_) - 1; }
  // Does what Any does, for any number of codes with the same high part.
  __attribute__((noinline)) bool AnyByRank(uint64_t from, uint64_t to) const {
    const uint64_t from_high = from >> low_bits_;
    const uint64_t to_high = to >> low_bits_;
    const size_t end = Rank(to_high + 1);
    const size_t next = to_high == from_high ? end : Rank(from_high + 1);
    size_t i = Rank(from_high);
    for (size_t n = next - std::min(i, next); n > 0;) {
      const size_t half = n / 2;
      if (Low(i + half) < (from & LowMask())) {
        i += half + 1;
        n -= half + 1;
      } else {
        n = half;
      }
    }
    if (i >= end) return false;
    if (to_high == from_high) return Low(i) <= (to & LowMask());
    return i < Rank(to_high) || Low(i) <= (to & LowMask());
  }
  // Returns the number of codes whose high part is below `high`.
  size_t Rank(uint64_t high) const {
    const uint64_t place = PlaceOf<BitCount::kPortable>(high);
    return std::min<uint64_t>(place - std::min(place, high), n_);
  }
  // Returns where the bits of a high part begin in `upper`, or 2n if they are
  // not there. Prefetches the place where the low bits of its codes probably
  // are.
  template <BitCount kCount>
  __attribute__((always_inline)) uint64_t PlaceOf(uint64_t high) const {
    if (high == 0) return 0;
    const uint64_t zero = high - 1;
    const uint64_t place = DecodeFixed32(
        bytes_ + layout_.places + zero / kZerosPerPlace * sizeof(uint32_t));
    const uint64_t end = 2 * n_;
    if (place >= end) return end;
    uint64_t skip = zero % kZerosPerPlace;  // zeros before the one wanted
    // About one code has each high part.
    const uint64_t guess = place - std::min(place, zero - skip) + skip;
    __builtin_prefetch(LowWord(std::min(guess, n_)));
    uint64_t word = place / 64;
    uint64_t zeros = ~Word(word) & (~uint64_t{0} << (place % 64));
    while (CountBits<kCount>(zeros) <= skip) {
      skip -= CountBits<kCount>(zeros);
      if (++word * 64 >= end) return end;
      zeros = ~Word(word);
    }
    return word * 64 + SelectBit(zeros, static_cast<uint32_t>(skip)) + 1;
  }
  uint64_t Word(uint64_t i) const {
    return DecodeFixed64(bytes_ + i * kWordBytes);
  }
  const char* LowWord(uint64_t i) const {
    return bytes_ + layout_.lower + i * low_bits_ / 8;
  }
  uint64_t Low(uint64_t i) const {
    return (DecodeFixed64(LowWord(i)) >> (i * low_bits_ % 8)) & LowMask();
  }

  const char* const bytes_;
  const uint64_t n_;
  const uint32_t low_bits_;
  const Layout layout_;
};

// Returns whether one of `count` numbers, from `first` on, may have a code.
// REQUIRES: 1 <= count <= r.
__attribute__((noinline)) bool AnyNumber(const Coder& coder, const Codes& codes,
                                         uint64_t first, uint64_t count) {
  const uint64_t r = coder.r();
  // The numbers of one block of r have consecutive codes, modulo r.
  const auto any = [&](uint64_t block, uint64_t offset, uint64_t in_block) {
    const uint64_t from = coder.CodeOf(block, offset);
    const uint64_t to = coder.CodeOf(block, offset + in_block - 1);
    if (from <= to) return codes.Any<BitCount::kPortable>(from, to);
    return codes.Any<BitCount::kPortable>(from, r - 1) ||
           codes.Any<BitCount::kPortable>(0, to);
  };
  const uint64_t block = first / r;
  const uint64_t offset = first % r;
  const uint64_t in_block = std::min(count, r - offset);
  return any(block, offset, in_block) ||
         (in_block < count && any(block + 1, 0, count - in_block));
}

template <BitCount kCount>
__attribute__((always_inline)) inline bool ProbeBy(const RangeFilterView& view,
                                                   const Slice& begin,
                                                   const Slice& end) {
  const auto state = view.state<State>();
  const Layout layout(state);
  const char* const bytes = view.bytes().data();
  const KeyNumberReader numbers(
      Slice(bytes + layout.prefix, state.prefix_bytes),
      Slice(bytes + layout.alphabets, layout.prefix - layout.alphabets));
  const Coder coder(state);
  const uint64_t r = coder.r();
  const auto values = numbers.Between<kCount>(begin, end, r);
  if (!values) return false;
  const uint64_t more = values->last - values->first;
  if (more >= r) return true;
  const Codes codes(bytes, state);
  const uint64_t block = values->first / r;
  const uint64_t offset = values->first % r;
  const uint64_t from = coder.CodeOf(block, offset);
  // Most ranges are within a block and have consecutive codes.
  if (more < r - offset && more < r - from) {
    return codes.Any<kCount>(from, from + more);
  }
  return AnyNumber(coder, codes, values->first, more + 1);
}

bool ProbePortable(const RangeFilterView& view, const Slice& begin,
                   const Slice& end) {
  return ProbeBy<BitCount::kPortable>(view, begin, end);
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) bool ProbePopcount(
    const RangeFilterView& view, const Slice& begin, const Slice& end) {
  return ProbeBy<BitCount::kInstruction>(view, begin, end);
}
#else
constexpr RangeProbe ProbePopcount = nullptr;
#endif

class Builder final : public RangeFilterBuilder {
 public:
  explicit Builder(uint32_t low_bits) : low_bits_(low_bits) {}

  const RangeFilterCodec& codec() const override { return *GrafiteCodec(); }

  void Add(const Slice& user_key) override {
    if (keys_.empty() || user_key != keys_.last()) keys_.Add(user_key);
  }

  size_t ApproximateMemoryUsage() const override {
    return keys_.ApproximateMemoryUsage();
  }

  std::string Finish() override;

 private:
  std::string Encode(const State& state, const KeyNumbers& numbers,
                     const std::vector<uint64_t>& sorted_codes) const;

  const uint32_t low_bits_;
  SortedKeys keys_;
};

// Sorts codes below r by radix sort, with digits of 11 bits.
void SortCodes(std::vector<uint64_t>* codes, uint64_t r) {
  constexpr int kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  const auto bits = static_cast<int>(std::bit_width(r - 1));
  std::vector<uint64_t> sorted(codes->size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [shift](uint64_t code) {
      return code >> shift & (kDigits - 1);
    };
    // First counts each digit, then finds where the codes with it begin.
    std::array<size_t, kDigits + 1> at{};
    for (const uint64_t code : *codes) ++at[digit(code) + 1];
    for (size_t i = 1; i < kDigits; ++i) at[i] += at[i - 1];
    for (const uint64_t code : *codes) sorted[at[digit(code)]++] = code;
    codes->swap(sorted);
  }
}

std::string Builder::Finish() {
  if (keys_.empty() || keys_.count() > kRangeFilterKeysMax) return {};
  const KeyNumbers numbers(keys_);
  std::vector<uint64_t> codes = numbers.Of(keys_);
  // A range between two keys of one value always matches.
  if (!ExcludesEnough(keys_.count() - codes.size(), keys_.count())) return {};
  const State state{
      .n = codes.size(),
      .low_bits = low_bits_,
      .seed = static_cast<uint32_t>(Hash64(keys_.last())),
      .prefix_bytes = static_cast<uint32_t>(keys_.prefix().size()),
      .positions = static_cast<uint32_t>(numbers.positions())};
  const Coder coder(state);
  for (uint64_t& code : codes) code = coder.CodeOf(code);
  SortCodes(&codes, coder.r());
  return Encode(state, numbers, codes);
}

std::string Builder::Encode(const State& state, const KeyNumbers& numbers,
                            const std::vector<uint64_t>& sorted_codes) const {
  const Layout layout(state);
  std::string filter(layout.alphabets, '\0');
  const auto or_word = [&filter](uint64_t bit, uint64_t value) {
    char* const word = filter.data() + bit / 8;
    EncodeFixed64(word, DecodeFixed64(word) | value << (bit % 8));
  };
  const uint64_t mask = (uint64_t{1} << state.low_bits) - 1;
  uint64_t zero = 0;  // the next zero whose place is stored
  uint64_t i = 0;     // number of codes stored
  const auto store_places_to = [&](uint64_t high) {
    for (; zero < high; zero += kZerosPerPlace) {
      EncodeFixed32(filter.data() + layout.places +
                        zero / kZerosPerPlace * sizeof(uint32_t),
                    static_cast<uint32_t>(zero + i));
    }
  };
  for (const uint64_t code : sorted_codes) {
    const uint64_t high = code >> state.low_bits;
    store_places_to(high);
    or_word(high + i, 1);
    or_word(8 * layout.lower + i * state.low_bits, code & mask);
    ++i;
  }
  store_places_to(state.n);
  numbers.AppendTo(&filter);
  filter += keys_.prefix();
  TAMIS_CHECK(filter.size() == layout.end);
  PutFixed64(&filter, state.n);
  PutFixed32(&filter, state.seed);
  PutFixed32(&filter, state.prefix_bytes);
  filter.push_back(static_cast<char>(state.low_bits));
  filter.push_back(static_cast<char>(state.positions));
  filter.append(2, '\0');
  return filter;
}

std::optional<State> Parse(const Slice& filter) {
  if (filter.size() < kTrailerBytes) return std::nullopt;
  const char* const trailer = filter.end() - kTrailerBytes;
  const State state{.n = DecodeFixed64(trailer),
                    .low_bits = static_cast<uint8_t>(trailer[16]),
                    .seed = DecodeFixed32(trailer + 8),
                    .prefix_bytes = DecodeFixed32(trailer + 12),
                    .positions = static_cast<uint8_t>(trailer[17])};
  if (state.n == 0 || state.n > kRangeFilterKeysMax || state.low_bits == 0 ||
      state.low_bits > kLowBitsMax || state.positions > kNumberPositionsMax ||
      trailer[18] != '\0' || trailer[19] != '\0' ||
      Layout(state).end != filter.size() - kTrailerBytes) {
    return std::nullopt;
  }
  return state;
}

class Codec final : public RangeFilterCodec {
 public:
  Codec() : probe_(GrafiteProbes().fastest()) {}

  std::string_view name() const override { return "Grafite"; }
  std::string_view family() const override { return "tamis.Grafite"; }

  std::unique_ptr<RangeFilterBuilder> NewBuilder(
      double bits_per_key) const override {
    const double low = std::round(bits_per_key - kOverheadBits);
    // The comparison is false for NaN.
    const double bits = low >= 1 ? std::min<double>(low, kLowBitsMax) : 1;
    return std::make_unique<Builder>(static_cast<uint32_t>(bits));
  }

  RangeFilterView Open(const Slice& filter) const override {
    const std::optional<State> state = Parse(filter);
    return state ? RangeFilterView(probe_, filter, *state)
                 : RangeFilterView::AlwaysMatch();
  }

  double PredictedFalsePositiveRate(const Slice& filter) const override {
    const std::optional<State> state = Parse(filter);
    return state ? std::ldexp(1.0, -static_cast<int>(state->low_bits)) : 1;
  }

  std::string Parameters(const Slice& filter) const override {
    const std::optional<State> state = Parse(filter);
    if (!state) return "";
    return std::to_string(state->n) + " keys, a shared prefix of " +
           std::to_string(state->prefix_bytes) +
           " bytes; a range of L values matches with L / 2^" +
           std::to_string(state->low_bits);
  }

 private:
  const RangeProbe probe_;
};

}  // namespace

const RangeFilterCodec* GrafiteCodec() { return Immortal<const Codec>(); }

RangeProbes GrafiteProbes() {
  return {ProbePortable, HasPopcount() ? ProbePopcount : nullptr};
}

}  // namespace tamis
