// SPDX-License-Identifier: Apache-2.0
#include "filter/fence_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "filter/byte_model.h"
#include "filter/fence_builder.h"
#include "filter/fence_format.h"
#include "filter/fence_group.h"
#include "filter/range_after_prefix.h"
#include "util/base/immortal.h"
#include "util/coding/coding.h"
#include "util/coding/key_head.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

// A string, and the number of bytes that it shares with a fence.
struct Place {
  Slice string;
  size_t shared;
};

// Reads fences in order. Any bytes are safe to read.
class FenceCursor {
 public:
  FenceCursor(const Slice& filter, const FenceState& state)
      : filter_(filter), state_(state) {}

  // Returns the first fence of a block; "" if it is malformed.
  Slice FirstFence(uint32_t block) const {
    const char* limit;
    const char* const p = FencesOf(block, &limit);
    FenceEntry first;
    if (p == nullptr || ReadFence(p, limit, &first) == nullptr) return {};
    return first.rest;
  }
  // Moves before the first fence of a block.
  void SeekToBlock(uint32_t block) {
    next_block_ = block;
    p_ = limit_ = nullptr;
  }

  // Moves to the last fence of the block that is less than the string by its
  // head. Sets place->shared if it moves. Returns false if the bytes are
  // malformed.
  // REQUIRES: Read returned kFence; that fence is the first of the block and
  // not greater than the string, and place->shared is about it.
  bool SkipFences(Place* place);

  enum Result { kFence, kEnd, kMalformed };
  // Moves to the next fence, also that of the next block.
  Result Read() {
    if (p_ != limit_) {
      group_ += GroupSize(fence_.num_keys, state_.low_bits);
      first_of_block_ = false;
      if (++fences_of_block_ > kFencesPerBlock) return kMalformed;
    } else {
      if (next_block_ == state_.num_blocks) return kEnd;
      p_ = FencesOf(next_block_++, &limit_);
      if (p_ == nullptr) return kMalformed;
      group_ = limit_;
      first_of_block_ = true;
      fences_of_block_ = 1;
    }
    p_ = ReadFence(p_, limit_, &fence_);
    if (p_ == nullptr || (first_of_block_ && fence_.shared != 0) ||
        static_cast<size_t>(filter_.data() + state_.heads - group_) <
            GroupSize(fence_.num_keys, state_.low_bits)) {
      return kMalformed;
    }
    return kFence;
  }
  // REQUIRES: Read returned kFence.
  const FenceEntry& fence() const { return fence_; }
  const char* group() const { return group_; }
  bool first_of_block() const { return first_of_block_; }

 private:
  // Returns the first fence of a block, and sets *limit to where its fences
  // end; nullptr if the block is malformed.
  const char* FencesOf(uint32_t block, const char** limit) const {
    const uint32_t offset = DecodeFixed32(filter_.data() + state_.offsets() +
                                          block * sizeof(uint32_t));
    if (offset >= state_.heads) return nullptr;
    const char* const blocks_end = filter_.data() + state_.heads;
    uint32_t size;
    const char* const p =
        GetVarint32Ptr(filter_.data() + offset, blocks_end, &size);
    if (p == nullptr || size == 0 ||
        size > static_cast<size_t>(blocks_end - p)) {
      return nullptr;
    }
    *limit = p + size;
    return p;
  }

  const Slice filter_;
  const FenceState& state_;
  uint32_t next_block_ = 0;
  const char* p_ = nullptr;
  const char* limit_ = nullptr;
  FenceEntry fence_;
  const char* group_ = nullptr;
  bool first_of_block_ = true;
  size_t fences_of_block_ = 0;
};

// Returns the number of blocks whose first fence is at most x.
uint32_t BlocksUpTo(const FenceCursor& cursor, const Slice& filter,
                    const FenceState& state, const Slice& x) {
  const char* const heads = filter.data() + state.heads;
  const auto head_at = [heads](uint32_t i) {
    return DecodeFixed64(heads + i * sizeof(uint64_t));
  };
  const uint64_t head = KeyHead(x);
  // Without branches that depend on the heads.
  uint32_t low = 0;
  for (uint32_t n = state.num_blocks; n > 0;) {
    const uint32_t half = (n + 1) / 2;
    low = head_at(low + half - 1) < head ? low + half : low;
    n -= half;
  }
  if (low == state.num_blocks || head_at(low) != head) return low;
  uint32_t high = low;
  for (uint32_t n = state.num_blocks - low; n > 0;) {
    const uint32_t half = (n + 1) / 2;
    high = head_at(high + half - 1) <= head ? high + half : high;
    n -= half;
  }
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (cursor.FirstFence(middle).compare(x) <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Returns a mask of the first n bytes of a head.
uint64_t FirstBytes(size_t n) {
  return n >= sizeof(uint64_t) ? ~uint64_t{0} : ~(~uint64_t{0} >> (8 * n));
}

// Compares key heads (key_head.h) that begin after the bytes that the string
// shares with the first fence. All fences up to the string share these bytes,
// too. Computes the head of a fence from that of the fence before, so that it
// reads only a few bytes of each fence.
bool FenceCursor::SkipFences(Place* place) {
  constexpr size_t kBytes = 7;  // before the rest
  const size_t from = place->shared;
  const uint64_t wanted = KeyHead(place->string, from);
  uint64_t head = KeyHead(fence_.rest, from);
  const char* p = p_;
  const char* last = nullptr;
  uint32_t num_keys = fence_.num_keys;
  size_t bytes_of_groups = 0;
  size_t skipped = 0;
  for (; p < limit_ && skipped < kFencesPerBlock; ++skipped) {
    // Whole words can be read here, because the heads follow the blocks.
    const uint64_t bytes = DecodeFixed64(p);
    const size_t shared = bytes >> 8 & 0xff;
    const size_t rest = bytes >> 16 & 0xff;
    // Sizes of more than one byte are left to Read.
    if ((bytes & 0x80808000u) != 0 || shared < from ||
        kBytes + rest > static_cast<size_t>(limit_ - p)) {
      break;
    }
    const size_t kept = shared - from;
    if (kept < sizeof(uint64_t)) {
      const uint64_t added = DecodeBigEndian64(p + kBytes) & FirstBytes(rest);
      const uint64_t next = (head & FirstBytes(kept)) | added >> (8 * kept);
      if (next >= wanted) break;
      head = next;
    }
    bytes_of_groups += GroupSize(num_keys, state_.low_bits);
    num_keys = (bytes & 0xff) + 1;
    last = p;
    p += kBytes + rest;
  }
  if (last == nullptr) return true;
  if (ReadFence(last, limit_, &fence_) == nullptr) return false;
  const auto left = static_cast<size_t>(filter_.data() + state_.heads - group_);
  if (bytes_of_groups + GroupSize(fence_.num_keys, state_.low_bits) > left) {
    return false;
  }
  p_ = p;
  group_ += bytes_of_groups;
  first_of_block_ = false;
  fences_of_block_ += skipped;
  const auto same = static_cast<size_t>(std::countl_zero(head ^ wanted)) / 8;
  place->shared = std::min({from + same, fence_.size(), place->string.size()});
  return true;
}

// Returns whether the cursor's fence is less than the string, or equal to it if
// `or_equal`. Sets place->shared. REQUIRES: the fence before it in the block,
// if any, is not greater than the string, and place->shared is about that
// fence.
bool IsUpTo(const FenceCursor& cursor, Place* place, bool or_equal) {
  const FenceEntry& fence = cursor.fence();
  if (cursor.first_of_block()) place->shared = 0;
  if (fence.shared > place->shared) return true;
  if (fence.shared < place->shared) {
    place->shared = fence.shared;
    return false;
  }
  const Slice rest(place->string.data() + place->shared,
                   place->string.size() - place->shared);
  const size_t common = SharedPrefixLength(rest, fence.rest);
  place->shared += common;
  if (common == fence.rest.size()) return or_equal || common < rest.size();
  if (common == rest.size()) return false;
  return static_cast<uint8_t>(fence.rest[common]) <
         static_cast<uint8_t>(rest[common]);
}

struct Group {
  FenceEntry fence;
  const char* bytes;
};

// Answers one probe.
class Prober {
 public:
  Prober(const Slice& filter, const FenceState& state)
      : filter_(filter),
        state_(state),
        model_(filter.data() + state.model(), state.first_byte,
               state.num_bytes()),
        cursor_(filter, state_) {}

  // Returns whether a key may be in [begin, end). nullopt is a bound that all
  // keys are within.
  bool Any(const std::optional<Slice>& begin, const std::optional<Slice>& end);

 private:
  // Returns whether a key of the group may be in [begin, end). nullptr is a
  // bound that all keys are within. REQUIRES: the fence is at most either.
  bool GroupAny(const Group& group, const Place* begin, const Place* end) const;
  // Returns whether a key from the cursor's fence on may be less than `end`.
  // REQUIRES: the fence is less than it.
  bool AnyFromHere(const Place& end);
  // Returns whether the cursor's fence is less than `end`, and sets
  // end->shared. REQUIRES: begin < end, and begin->shared and *end are what
  // `begin` shares with the fence, which is greater, and with `end`.
  bool IsBeforeEnd(const Place& begin, Place* end) const;

  const Slice filter_;
  const FenceState state_;
  const ByteModel model_;
  FenceCursor cursor_;
  size_t bounds_share_ = 0;  // bytes that begin and end share; set by Any
};

bool Prober::GroupAny(const Group& group, const Place* begin,
                      const Place* end) const {
  const GroupFrame frame = group.fence.Frame(state_.low_bits);
  const size_t prefix = group.fence.group_prefix();
  // Greater than all keys with the prefix, since not less than the fence.
  if (begin != nullptr && begin->shared < prefix) return false;
  const bool has_end = end != nullptr && end->shared >= prefix;
  const uint64_t part_min = frame.PartMin();
  uint64_t from = 0;
  uint64_t to = frame.CellMax();
  ByteModel::Code code;
  size_t read = prefix;
  if (begin != nullptr) {
    if (has_end) {
      // Codes the bytes that begin and end share only once.
      read = std::max(prefix, bounds_share_);
      model_.Read(begin->string, prefix, read, part_min, &code);
    }
    ByteModel::Code whole = code;
    model_.Read(begin->string, read, begin->string.size(), part_min, &whole);
    if (frame.IsAfter(whole.begin)) return false;
    if (!frame.IsBefore(whole.begin)) from = frame.CellOf(whole.begin);
  }
  if (has_end) {
    model_.Read(end->string, read, end->string.size(), part_min, &code);
    if (frame.IsBefore(code.begin)) return false;
    if (!frame.IsAfter(code.begin)) to = frame.CellOf(code.begin);
  }
  return GroupHolds(group.bytes, group.fence.num_keys, state_.low_bits, from,
                    to);
}

bool Prober::AnyFromHere(const Place& end) {
  const Group group{cursor_.fence(), cursor_.group()};
  switch (cursor_.Read()) {
    case FenceCursor::kMalformed:
      return true;
    case FenceCursor::kEnd:
      break;
    case FenceCursor::kFence: {
      Place next = end;
      if (IsUpTo(cursor_, &next, false)) return true;  // includes the group
    }
  }
  return GroupAny(group, nullptr, &end);
}

bool Prober::IsBeforeEnd(const Place& begin, Place* end) const {
  if (begin.shared != end->shared) return begin.shared > end->shared;
  // The fence and `end` differ from `begin` at the same place.
  const FenceEntry& fence = cursor_.fence();
  const size_t at = end->shared;
  const Slice fence_rest(fence.rest.data() + (at - fence.shared),
                         fence.size() - at);
  const Slice end_rest(end->string.data() + at, end->string.size() - at);
  end->shared += SharedPrefixLength(fence_rest, end_rest);
  return fence_rest.compare(end_rest) < 0;
}

bool Prober::Any(const std::optional<Slice>& begin,
                 const std::optional<Slice>& end) {
  const uint32_t blocks =
      begin ? BlocksUpTo(cursor_, filter_, state_, *begin) : 0;
  if (blocks == 0) {
    cursor_.SeekToBlock(0);
    if (!end || cursor_.Read() != FenceCursor::kFence) return true;
    Place place{*end, 0};
    return IsUpTo(cursor_, &place, false) && AnyFromHere(place);
  }
  cursor_.SeekToBlock(blocks - 1);
  Place first{*begin, 0};
  if (cursor_.Read() != FenceCursor::kFence || !IsUpTo(cursor_, &first, true)) {
    return true;  // malformed
  }
  // Finds the last fence at or before `begin`, and the next one.
  if (!cursor_.SkipFences(&first)) return true;
  Group group;
  Place next;
  FenceCursor::Result result;
  for (;;) {
    group = {cursor_.fence(), cursor_.group()};
    next = first;
    result = cursor_.Read();
    if (result == FenceCursor::kMalformed) return true;
    if (result == FenceCursor::kEnd || !IsUpTo(cursor_, &next, true)) break;
    first = next;
  }
  if (!end) {
    return result == FenceCursor::kFence || GroupAny(group, &first, nullptr);
  }
  const size_t shared = SharedPrefixLength(*begin, *end);
  bounds_share_ = shared;
  // Of three strings in order, the outer ones share what all share.
  const Place last{*end, std::min(first.shared, shared)};
  Place last_of_next{*end, shared};
  if (result == FenceCursor::kEnd || !IsBeforeEnd(next, &last_of_next)) {
    return GroupAny(group, &first, &last);
  }
  return GroupAny(group, &first, nullptr) || AnyFromHere(last_of_next);
}

bool Probe(const RangeFilterView& view, const Slice& begin, const Slice& end) {
  const auto state = view.state<FenceState>();
  const Slice prefix(view.bytes().data() + state.prefix(), state.prefix_bytes);
  const auto range = RestrictToPrefix(begin, end, prefix);
  return range && Prober(view.bytes(), state).Any(range->begin, range->end);
}

class Codec final : public RangeFilterCodec {
 public:
  std::string_view name() const override { return "Fence"; }
  std::string_view family() const override { return "tamis.Fence"; }

  std::unique_ptr<RangeFilterBuilder> NewBuilder(
      double bits_per_key) const override {
    // Fewer bits do not pay: groups would be cut until fences take more.
    constexpr double kLowBitsMin = 4;
    const double low = std::floor(bits_per_key - kFenceOverheadBits);
    // The comparison is false for NaN.
    const double bits = low >= kLowBitsMin
                            ? std::min<double>(low, kGroupLowBitsMax)
                            : kLowBitsMin;
    return NewFenceBuilder(static_cast<uint32_t>(bits));
  }

  RangeFilterView Open(const Slice& filter) const override {
    const std::optional<FenceState> state = ParseFenceTrailer(filter);
    return state ? RangeFilterView(Probe, filter, *state)
                 : RangeFilterView::AlwaysMatch();
  }

  // The rate of evenly distributed keys, unless more keys share their cell than
  // chance explains.
  double PredictedFalsePositiveRate(const Slice& filter) const override {
    const std::optional<FenceState> state = ParseFenceTrailer(filter);
    if (!state) return 1;
    const double even = std::ldexp(1.0, -int{state->low_bits});
    const double crowded = static_cast<double>(state->crowded) / UINT16_MAX;
    const double chance =
        3 * std::sqrt(even / static_cast<double>(
                                 std::max<uint64_t>(state->num_keys, 1)));
    return crowded > even + chance ? crowded : even;
  }

  std::string Parameters(const Slice& filter) const override {
    const std::optional<FenceState> state = ParseFenceTrailer(filter);
    if (!state) return "";
    // In tenths of a percent, rounded up.
    const uint32_t share =
        (state->crowded * 1000u + UINT16_MAX - 1) / UINT16_MAX;
    return std::to_string(state->num_keys) + " keys, a shared prefix of " +
           std::to_string(state->prefix_bytes) + " bytes, 2^" +
           std::to_string(state->low_bits) +
           " cells a key; of the short ranges where keys are likely, about " +
           std::to_string(share / 10) + "." + std::to_string(share % 10) +
           " % match";
  }
};

}  // namespace

const RangeFilterCodec* FenceCodec() { return Immortal<const Codec>(); }

}  // namespace tamis
