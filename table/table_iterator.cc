// SPDX-License-Identifier: Apache-2.0
#include "table/table_iterator.h"

#include <string>
#include <utility>

#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// How many blocks after a seek may displace others in the cache. The later
// blocks of a long scan must not displace those of point reads and short scans,
// even if the scan is repeated.
constexpr int kNearBlocks = 4;

}  // namespace

Status TableIterator::status() const {
  if (skipped_) return Status::OK();
  if (!status_.ok()) return status_;
  if (!index_.status().ok()) return index_.status();
  return data_.status();
}

bool TableIterator::PinValue(PinnedBytes* pin) {
  const PinnedBytes& block = *data_.pin();
  if (is_partial_ || block.buffer() == nullptr) return false;
  if (pin->buffer() != block.buffer()) *pin = block.Share();
  return true;
}

bool TableIterator::FindBlock(BlockFetcher::DataBlock* block) {
  const PerfTimer timer(&tls_perf_context.new_table_block_iter_nanos);
  data_.Close();
  is_partial_ = false;
  if (!index_.Valid()) return false;
  if (blocks_entered_ < kNearBlocks) {
    ++blocks_entered_;
  } else if (context_.fill == CacheFill::kReadRecently) {
    context_.fill = CacheFill::kRoom;
  }
  const BlockPlace place = index_.place();
  const EpochDomain::Guard guard(table_->fetcher.epochs());
  block->block = table_->fetcher.FindData(place, context_);
  if (block->has_block()) {
    block->block.Keep();
    return true;
  }
  Result<BlockFetcher::DataBlock> found = table_->fetcher.ReadData(
      place, table_->data_form, context_, scratch_.get());
  if (!found.ok()) {
    status_ = found.status();
    window_.Forget();
    return false;
  }
  *block = *std::move(found);
  block->block.Keep();
  return true;
}

bool TableIterator::OpenFound(BlockFetcher::DataBlock block) {
  const PerfTimer timer(&tls_perf_context.new_table_block_iter_nanos);
  if (!block.has_block()) {
    const Result<Slice> payload =
        table_->fetcher.Unpack(index_.handle(), BlockKind::kData, block.stored,
                               context_, &scratch_.get()->uncompressed);
    if (!payload.ok()) {
      status_ = payload.status();
      window_.Forget();
      return false;
    }
    block.block = PinnedBytes::Borrow(*payload);
  }
  return OpenBytes(std::move(block.block));
}

bool TableIterator::OpenBytes(PinnedBytes bytes) {
  data_.Open(std::move(bytes), table_->data_format(),
             {&table_->context.file_name, index_.handle().offset});
  return data_.status().ok();
}

bool TableIterator::SeekInStored(const StoredPayload& stored,
                                 const Slice& target) {
  if (!table_->may_search_stored ||
      !table_->fetcher.StartSteps(stored, &decoder_,
                                  &scratch_.get()->uncompressed)) {
    return false;
  }
  StoredAnswer answer;
  {
    TAMIS_PERF_TIMER(timer, block_decompress_time);
    answer = SeekStored(&decoder_, target, &sought_key_, &sought_);
  }
  if (answer == StoredAnswer::kMalformed) return false;  // reported by others
  RecordTick(context_.statistics, NUMBER_BLOCK_DECOMPRESSED);
  if (answer == StoredAnswer::kFound) {
    stored_ = stored;
    is_partial_ = true;
    data_.ShowBeforeOpen(sought_.key, sought_.value);
  }
  return true;
}

bool TableIterator::DecodeRest() {
  is_partial_ = false;
  data_.Close();
  bool decoded;
  {
    TAMIS_PERF_TIMER(timer, block_decompress_time);
    decoded = decoder_.Finish();
  }
  if (!decoded) {  // uncompresses it again, and reports the error
    BlockFetcher::DataBlock block;
    block.stored = stored_;
    return OpenFound(std::move(block)) && SeekAgain();
  }
  if (!OpenBytes(PinnedBytes::Borrow(scratch_.get()->uncompressed.bytes()))) {
    return false;
  }
  return data_.TryMoveTo(sought_.offset, sought_.end, sought_.key,
                         sought_.value) ||
         SeekAgain();
}

bool TableIterator::SeekAgain() {
  data_.Seek(sought_.key);
  if (!data_.status().ok()) return false;
  if (data_.Valid() && data_.key() == sought_.key) return true;
  status_ = data_.origin().Corruption(
      "an entry read from its beginning is not among its entries");
  data_.Close();
  return false;
}

void TableIterator::BeginSeek() {
  skipped_ = false;
  status_ = Status::OK();
  blocks_entered_ = 0;
  context_.fill = fill_;
}

// Skips blocks without entries.
void TableIterator::SkipForward() {
  while (!data_.Valid() && data_.status().ok() && index_.Valid()) {
    index_.Next();
    if (!OpenBlock()) return;
    data_.SeekToFirst();
  }
}

void TableIterator::SkipBackward() {
  window_.set_forward(false);
  while (!data_.Valid() && data_.status().ok() && index_.Valid()) {
    index_.Prev();
    if (!OpenBlock()) return;
    data_.SeekToLast();
  }
}

void TableIterator::SeekToFirst() {
  BeginSeek();
  window_.set_forward(true);
  index_.SeekToFirst();
  if (!OpenBlock()) return;
  data_.SeekToFirst();
  SkipForward();
}

void TableIterator::SeekToLast() {
  BeginSeek();
  window_.set_forward(false);
  index_.SeekToLast();
  if (!OpenBlock()) return;
  data_.SeekToLast();
  SkipBackward();
}

namespace {

FilterOutcome AnswerOf(bool may_match) {
  return may_match ? FilterOutcome::kInVain : FilterOutcome::kExcluded;
}

// Returns how a match turned out.
FilterOutcome Judged(FilterOutcome answer, bool found) {
  return answer == FilterOutcome::kInVain && found ? FilterOutcome::kFound
                                                   : answer;
}

}  // namespace

bool TableIterator::MayShow(const Slice& target, SeekDirection direction) {
  range_answer_ = FilterOutcome::kNotProbed;
  prefix_answer_ = FilterOutcome::kNotProbed;
  return RangeMayShow(target, direction) && PrefixMayShow(target, direction);
}

bool TableIterator::ProbeRanges(const Slice& begin, const Slice& end) {
  const bool may = table_->range_filter->MayMatch(begin, end, context_);
  range_answer_ = AnswerOf(may);
  return may;
}

bool TableIterator::RangeMayShow(const Slice& target, SeekDirection direction) {
  if (table_->range_filter == nullptr) return true;
  const Slice user_key = ExtractUserKey(target);
  if (direction == SeekDirection::kForward) {
    const Slice* const end = context_.upper_bound;
    if (end == nullptr) return true;
    return user_key.compare(*end) < 0 && ProbeRanges(user_key, *end);
  }
  const Slice* const begin = context_.lower_bound;
  if (begin == nullptr) return true;
  if (begin->compare(user_key) > 0) return false;
  // A seek to the newest possible version starts before all versions of the
  // key. Other seeks may show the key itself.
  if (ExtractSequence(target) == kMaxSequenceNumber) {
    return *begin != user_key && ProbeRanges(*begin, user_key);
  }
  std::string end = user_key.ToString();
  end.push_back('\0');
  return ProbeRanges(*begin, end);
}

bool TableIterator::PrefixMayShow(const Slice& target,
                                  SeekDirection direction) {
  const SliceTransform* const prefixes = table_->filter_prefixes.get();
  if (prefixes == nullptr || table_->filter == nullptr) return true;
  const FilterPlacement placement = table_->filter->placement();
  const std::optional<Slice> key =
      KeyForPrefixFilter(table_->context.order, *prefixes, target, direction,
                         placement != FilterPlacement::kFull, context_);
  if (!key.has_value()) return true;
  const EpochDomain::Guard guard(table_->fetcher.epochs());
  const bool may = table_->PrefixMayMatch(*key, context_);
  // PrefixMayMatch does not probe filters of single blocks.
  if (placement != FilterPlacement::kBlockBased) {
    prefix_answer_ = AnswerOf(may);
    prefix_probed_ = *key;
  }
  return may;
}

void TableIterator::CountSampled(SeekDirection direction) const {
  if (!status().ok()) return;
  const uint64_t weight = context_.scope->sample_weight;
  FilterCounts& counts = *table_->context.filter_counts;
  const bool valid = Valid();
  const Slice shown = valid ? ExtractUserKey(key()) : Slice();
  if (range_answer_ != FilterOutcome::kNotProbed) {
    const bool found =
        valid && (direction == SeekDirection::kForward
                      ? shown.compare(*context_.upper_bound) < 0
                      : shown.compare(*context_.lower_bound) >= 0);
    counts.ranges.Add(Judged(range_answer_, found), weight);
  }
  if (prefix_answer_ != FilterOutcome::kNotProbed) {
    const SliceTransform& prefixes = *table_->filter_prefixes;
    const bool found =
        valid && prefixes.InDomain(shown) &&
        prefixes.Transform(shown) == prefixes.Transform(prefix_probed_);
    counts.seeks.Add(Judged(prefix_answer_, found), weight);
  }
}

void TableIterator::Seek(const Slice& target) {
  if (MayShow(target, SeekDirection::kForward)) {
    window_.set_forward(true);
    SeekInBlocks(target);
  } else {
    Skip();
  }
  CountFilters(SeekDirection::kForward);
}

void TableIterator::SeekForPrev(const Slice& target) {
  if (MayShow(target, SeekDirection::kBackward)) {
    window_.set_forward(false);
    SeekInBlocks(target);
    if (Valid()) {
      if (table_->context.order.Compare(key(), target) > 0) Prev();
    } else if (status().ok()) {
      SeekToLast();
    }
  } else {
    Skip();
  }
  CountFilters(SeekDirection::kBackward);
}

void TableIterator::SeekInBlocks(const Slice& target) {
  BeginSeek();
  index_.Seek(target);
  BlockFetcher::DataBlock block;
  if (!FindBlock(&block)) return;
  if (block.has_block() || !SeekInStored(block.stored, target)) {
    if (!OpenFound(std::move(block))) return;
    data_.Seek(target);
  }
  SkipForward();
}

void TableIterator::Skip() {
  skipped_ = true;
  is_partial_ = false;
  data_.Close();
}

void TableIterator::Next() {
  if (is_partial_ && !DecodeRest()) [[unlikely]]
    return;
  data_.Next();
  if (data_.Valid()) return;
  window_.set_forward(true);
  SkipForward();
}

void TableIterator::Prev() {
  if (is_partial_ && !DecodeRest()) [[unlikely]]
    return;
  data_.Prev();
  if (!data_.Valid()) SkipBackward();
}

}  // namespace tamis
