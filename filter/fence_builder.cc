// SPDX-License-Identifier: Apache-2.0
#include "filter/fence_builder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "filter/byte_model.h"
#include "filter/fence_filter.h"
#include "filter/fence_format.h"
#include "filter/fence_group.h"
#include "util/coding/coding.h"
#include "util/coding/key_head.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

// Keys of more bytes than this get no filter: the builder keeps them.
constexpr size_t kKeyBytesMax = size_t{256} << 20;
// A filter may have this many times the bits per key that were asked for, and
// any filter may have kSizeSmall bytes.
constexpr uint64_t kSizeShareMax = 3;
constexpr uint64_t kSizeSmall = 4096;
// The model is trained with at most twice as many keys.
constexpr size_t kTrainingKeys = 16384;
// A group is cut in two if more than one key of kCrowdedShare is crowded. Each
// half gets kCutKeysMin keys or more, and there is at most one group for
// kKeysPerGroupMin keys of the table.
constexpr size_t kCrowdedShare = 8;
constexpr size_t kCutKeysMin = 4;
constexpr size_t kKeysPerGroupMin = 6;
// No filter is written if more of the keys are crowded.
constexpr double kCrowdedShareMax = 0.5;

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

  void Add(const Slice& user_key) override {
    if (gave_up_) return;
    size_t shared = user_key.size();
    if (!ends_.empty()) {
      const Slice last = Key(ends_.size() - 1);
      shared = SharedPrefixLength(last, user_key);
      if (shared == user_key.size() && shared == last.size()) return;
    }
    shared_.push_back(static_cast<uint32_t>(shared));
    keys_.append(user_key.data(), user_key.size());
    ends_.push_back(keys_.size());
    if (keys_.size() > kKeyBytesMax) GiveUp();
  }

  size_t ApproximateMemoryUsage() const override {
    return keys_.capacity() + ends_.capacity() * sizeof(uint64_t) +
           shared_.capacity() * sizeof(uint32_t);
  }

  std::string Finish() override;

 private:
  void GiveUp() {
    gave_up_ = true;
    keys_ = std::string();
    ends_ = {};
    shared_ = {};
  }
  Slice Key(size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {keys_.data() + begin, ends_[i] - begin};
  }
  size_t CutIn(size_t from, size_t to) const;
  uint64_t SetCells(const ByteModel& model, const GroupFrame& frame,
                    size_t begin, size_t end, size_t prefix_bytes);
  void AddGroups(const ByteModel& model, size_t begin, size_t end);

  const uint32_t low_bits_;
  BlockWriter writer_;
  bool gave_up_ = false;
  std::string keys_;  // one after the other
  std::vector<uint64_t> ends_;
  // How many bytes each key shares with the one before it; the first key, while
  // keys are added, with itself, then with all.
  std::vector<uint32_t> shared_;
  size_t prefix_bytes_ = 0;  // that all keys share
  uint64_t num_crowded_ = 0;
  std::vector<uint64_t> cells_;  // of a group
};

// Returns the last index in [from, to] of a key that shares least with the one
// before it.
size_t Builder::CutIn(size_t from, size_t to) const {
  size_t cut = from;
  for (size_t i = from; i <= to; ++i) {
    if (shared_[i] <= shared_[cut]) cut = i;
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
        frame.CellOf(frame.CodeOf(model, Key(i), prefix_bytes));
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
  const size_t shared = shared_[begin];
  // The bytes by which the fence is greater than the key before it.
  const size_t distinct = begin == 0 ? shared : shared + 1;
  const size_t prefix_bytes =
      n == 1 ? shared
             : *std::min_element(
                   shared_.begin() + static_cast<ptrdiff_t>(begin + 1),
                   shared_.begin() + static_cast<ptrdiff_t>(end));
  const GroupFrame frame =
      GroupFrame::Of(model, Key(begin), Key(end - 1), prefix_bytes,
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
  writer_.Add(
      Slice(Key(begin).data() + prefix_bytes_, fence_bytes - prefix_bytes_),
      static_cast<uint32_t>(fence_bytes - prefix_bytes), frame, cells_);
}

std::string Builder::Finish() {
  const size_t n = ends_.size();
  // Nothing was added, or Add gave up.
  if (n == 0 || n > kRangeFilterKeysMax) return {};
  prefix_bytes_ = *std::ranges::min_element(shared_);
  shared_.front() = static_cast<uint32_t>(prefix_bytes_);
  ByteModelTrainer trainer;
  const size_t step = std::max<size_t>(1, n / kTrainingKeys);
  for (size_t i = 0; i < n; i += step) trainer.Add(Key(i), shared_[i]);
  std::string shares;
  trainer.Finish(&shares);
  const ByteModel model(shares.data(), trainer.first(), trainer.num_bytes());
  for (size_t begin = 0; begin < n;) {
    size_t end = std::min(n, begin + kGroupKeysMax);
    if (end < n) end = CutIn(begin + kGroupKeysMax / 2, end);
    AddGroups(model, begin, end);
    begin = end;
    // Long prefixes of small groups, which no filter is worth.
    if (8 * writer_.bytes() >
        kSizeShareMax * (low_bits_ + 4) * end + 8 * kSizeSmall) {
      return {};
    }
  }
  if (static_cast<double>(num_crowded_) >
      kCrowdedShareMax * static_cast<double>(n)) {
    return {};
  }
  writer_.EndBlock();
  std::string filter;
  writer_.AppendTo(&filter);
  filter += shares;
  filter.append(keys_, 0, prefix_bytes_);
  AppendFenceTrailer(
      FenceState{
          .num_keys = n,
          .num_blocks = writer_.num_blocks(),
          .prefix_bytes = static_cast<uint32_t>(prefix_bytes_),
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
