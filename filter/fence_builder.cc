// SPDX-License-Identifier: Apache-2.0
#include "filter/fence_builder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "filter/byte_model.h"
#include "filter/fence_filter.h"
#include "filter/fence_format.h"
#include "filter/fence_group.h"
#include "filter/kept_keys.h"
#include "filter/range_filter_worth.h"
#include "util/coding/coding.h"
#include "util/coding/key_head.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

// A group is cut in two if more than one key of kCrowdedShare is crowded. Each
// half gets kCutKeysMin keys or more, and there is at most one group for
// kKeysPerGroupMin keys of the table.
constexpr size_t kCrowdedShare = 8;
constexpr size_t kCutKeysMin = 4;
constexpr size_t kKeysPerGroupMin = 6;

// Writes fences and groups in blocks. Calls: Add* EndBlock AppendTo
class BlockWriter {
 public:
  explicit BlockWriter(uint32_t low_bits) : low_bits_(low_bits) {}

  void Add(const Slice& fence, uint32_t loose, const GroupFrame& frame,
           const std::vector<uint64_t>& cells);
  // Ends the last block.
  void EndBlock();

  uint32_t num_blocks() const { return static_cast<uint32_t>(heads_.size()); }
  uint64_t num_groups() const { return num_groups_; }
  // Returns the bytes of all fences and groups.
  uint64_t bytes() const {
    return blocks_.size() + fences_.size() + groups_.size();
  }
  // Appends the blocks, the heads and the offsets.
  void AppendTo(std::string* out) const;

 private:
  const uint32_t low_bits_;
  std::string blocks_;
  std::vector<uint64_t> heads_;
  std::vector<uint64_t> offsets_;
  uint64_t num_groups_ = 0;
  // Of the block that is being written.
  std::string fences_;
  std::string groups_;
  std::string last_fence_;
};

void BlockWriter::Add(const Slice& fence, uint32_t loose,
                      const GroupFrame& frame,
                      const std::vector<uint64_t>& cells) {
  const bool first_of_block = num_groups_ % kFencesPerBlock == 0;
  ++num_groups_;
  size_t shared = 0;
  if (first_of_block) {
    if (!fences_.empty()) EndBlock();
    heads_.push_back(KeyHead(fence));
  } else {
    shared = SharedPrefixLength(last_fence_, fence);
  }
  AppendFence(
      FenceEntry{.shared = static_cast<uint32_t>(shared),
                 .rest = Slice(fence.data() + shared, fence.size() - shared),
                 .loose = loose,
                 .num_keys = static_cast<uint32_t>(cells.size()),
                 .frame_low = static_cast<uint16_t>(frame.low()),
                 .frame_span = static_cast<uint8_t>(frame.span())},
      &fences_);
  last_fence_.assign(fence.data(), fence.size());
  AppendGroup(cells, low_bits_, &groups_);
}

void BlockWriter::EndBlock() {
  offsets_.push_back(blocks_.size());
  PutVarint32(&blocks_, static_cast<uint32_t>(fences_.size()));
  blocks_ += fences_;
  blocks_ += groups_;
  fences_.clear();
  groups_.clear();
}

void BlockWriter::AppendTo(std::string* out) const {
  *out += blocks_;
  for (const uint64_t head : heads_) PutFixed64(out, head);
  for (const uint64_t offset : offsets_) {
    PutFixed32(out, static_cast<uint32_t>(offset));
  }
}

class Builder final : public RangeFilterBuilder {
 public:
  explicit Builder(uint32_t low_bits)
      : low_bits_(low_bits), writer_(low_bits) {}

  const RangeFilterCodec& codec() const override { return *FenceCodec(); }

  void Add(const Slice& user_key) override { keys_.Add(user_key); }

  size_t ApproximateMemoryUsage() const override {
    return keys_.ApproximateMemoryUsage();
  }

  std::string Finish() override;

 private:
  size_t CutIn(size_t from, size_t to) const;
  uint64_t SetCells(const ByteModel& model, const GroupFrame& frame,
                    size_t begin, size_t end, size_t prefix_bytes);
  void AddGroups(const ByteModel& model, size_t begin, size_t end);

  const uint32_t low_bits_;
  BlockWriter writer_;
  KeptKeys keys_;
  uint64_t num_crowded_ = 0;
  std::vector<uint64_t> cells_;  // of a group
};

// Returns the last index in [from, to] of a key that shares least with the one
// before it.
size_t Builder::CutIn(size_t from, size_t to) const {
  size_t cut = from;
  for (size_t i = from; i <= to; ++i) {
    if (keys_.shared(i) <= keys_.shared(cut)) cut = i;
  }
  return cut;
}

// Sets cells_. Returns the number of keys whose cell is also that of another
// key. Had such a key not been added, a range that begins with it would match.
uint64_t Builder::SetCells(const ByteModel& model, const GroupFrame& frame,
                           size_t begin, size_t end, size_t prefix_bytes) {
  cells_.clear();
  uint64_t crowded = 0;
  bool last_was_equal = false;
  for (size_t i = begin; i < end; ++i) {
    const uint64_t cell =
        frame.CellOf(frame.CodeOf(model, keys_[i], prefix_bytes));
    const bool equal = !cells_.empty() && cell == cells_.back();
    if (equal) crowded += last_was_equal ? 1 : 2;
    last_was_equal = equal;
    cells_.push_back(cell);
  }
  return crowded;
}

// Adds the keys in [begin, end) as one group, or cut where neighbours share
// least if too many are crowded: the parts share more bytes, so their frames
// divide the codes more finely.
void Builder::AddGroups(const ByteModel& model, size_t begin, size_t end) {
  const size_t n = end - begin;
  const size_t shared = keys_.shared(begin);
  // The bytes by which the fence is greater than the key before it.
  const size_t distinct = begin == 0 ? shared : shared + 1;
  const size_t prefix_bytes =
      n == 1 ? shared : keys_.shared(CutIn(begin + 1, end - 1));
  const GroupFrame frame =
      GroupFrame::Of(model, keys_[begin], keys_[end - 1], prefix_bytes,
                     static_cast<uint32_t>(n), low_bits_);
  const uint64_t crowded = SetCells(model, frame, begin, end, prefix_bytes);
  if (crowded * kCrowdedShare > n && n >= 2 * kCutKeysMin &&
      writer_.num_groups() * kKeysPerGroupMin < end) {
    const size_t margin = std::max(kCutKeysMin, n / 8);
    const size_t cut = CutIn(begin + margin, end - margin);
    AddGroups(model, begin, cut);
    AddGroups(model, cut, end);
    return;
  }
  num_crowded_ += crowded;
  const size_t fence_bytes = std::max(distinct, prefix_bytes);
  const size_t all_share = keys_.prefix().size();
  writer_.Add(Slice(keys_[begin].data() + all_share, fence_bytes - all_share),
              static_cast<uint32_t>(fence_bytes - prefix_bytes), frame, cells_);
}

std::string Builder::Finish() {
  const size_t n = keys_.size();
  if (n == 0 || n > kRangeFilterKeysMax) return {};  // or there were too many
  const double bits_per_key = low_bits_ + kFenceOverheadBits;
  ByteModelTrainer trainer;
  const size_t step = ByteModelTrainer::StepOf(n);
  for (size_t i = 0; i < n; i += step) trainer.Add(keys_[i], keys_.shared(i));
  std::string shares;
  trainer.Finish(&shares);
  const ByteModel model(shares.data(), trainer.first(), trainer.num_bytes());
  for (size_t begin = 0; begin < n;) {
    size_t end = std::min(n, begin + kGroupKeysMax);
    if (end < n) end = CutIn(begin + kGroupKeysMax / 2, end);
    AddGroups(model, begin, end);
    begin = end;
    // Long prefixes of small groups, which no filter is worth.
    if (IsTooLarge(writer_.bytes(), bits_per_key, /*lost=*/0, end)) return {};
  }
  if (!ExcludesEnough(num_crowded_, n) ||
      IsTooLarge(writer_.bytes(), bits_per_key, num_crowded_, n)) {
    return {};
  }
  writer_.EndBlock();
  std::string filter;
  writer_.AppendTo(&filter);
  filter += shares;
  filter += keys_.prefix().ToStringView();
  AppendFenceTrailer(
      FenceState{
          .num_keys = n,
          .num_blocks = writer_.num_blocks(),
          .prefix_bytes = static_cast<uint32_t>(keys_.prefix().size()),
          .heads = 0,
          .crowded = static_cast<uint16_t>(num_crowded_ * UINT16_MAX / n),
          .low_bits = static_cast<uint8_t>(low_bits_),
          .first_byte = trainer.first(),
          .last_byte =
              static_cast<uint8_t>(trainer.first() + trainer.num_bytes() - 1)},
      &filter);
  return filter.size() <= UINT32_MAX ? filter : std::string();
}

}  // namespace

std::unique_ptr<RangeFilterBuilder> NewFenceBuilder(uint32_t low_bits) {
  return std::make_unique<Builder>(low_bits);
}

}  // namespace tamis
