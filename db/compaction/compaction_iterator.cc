// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_iterator.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

namespace tamis {

namespace {

// A larger merged value might not fit into a table, and a flush would never
// succeed. Its operands are kept instead.
constexpr size_t kMergedBytesMax = size_t{1} << 30;

// A seek opens a table again, which takes about as long.
constexpr uint64_t kSkippedBeforeSeek = 1000;

bool CanCompact(ValueType type) {
  return type == kTypeValue || type == kTypeDeletion ||
         type == kTypeSingleDeletion || type == kTypeMerge;
}

}  // namespace

CompactionIterator::CompactionIterator(InternalIterator* input,
                                       const Options& options,
                                       MayExistBelow may_exist_below)
    : input_(input),
      options_(options),
      stripes_(options.snapshots),
      may_exist_below_(std::move(may_exist_below)) {}

void CompactionIterator::SeekToFirst() {
  input_->SeekToFirst();
  FindNextToKeep();
}

void CompactionIterator::Seek(const Slice& user_key) {
  input_->Seek(LookupKey(user_key, kMaxSequenceNumber).internal_key());
  FindNextToKeep();
}

void CompactionIterator::Next() {
  TAMIS_DCHECK(valid_);
  if (queue_.empty()) {
    Advance();
  } else if (++queue_at_ < queue_.size()) {
    ShowQueue();
    return;
  } else {
    queue_.clear();
  }
  FindNextToKeep();
}

void CompactionIterator::Advance() {
  TAMIS_DCHECK(input_->Valid());
  ++counts_.entries_read;
  input_->Next();
}

void CompactionIterator::DropHidden() {
  ++counts_.dropped_hidden;
  Advance();
}

void CompactionIterator::FindNextToKeep() {
  valid_ = false;
  while (input_->Valid()) {
    ParsedInternalKey parsed;
    if (!ParseInput(&parsed)) return;
    Enter(parsed);
    if (Take(parsed)) {
      valid_ = true;
      return;
    }
    if (!status_.ok()) [[unlikely]]
      return;
  }
  status_ = input_->status();
}

bool CompactionIterator::ParseInput(ParsedInternalKey* parsed) {
  // Nearly all entries are puts.
  const Slice key = input_->key();
  if (key.size() >= kInternalKeyTailBytes) [[likely]] {
    const uint64_t tail = ExtractTail(key);
    if ((tail & 0xff) == kTypeValue) [[likely]] {
      *parsed = {ExtractUserKey(key), tail >> 8, kTypeValue};
      return true;
    }
  }
  if (!ParseInternalKey(input_->key(), parsed)) {
    status_ = Status::Corruption("an entry of a type that is never stored",
                                 PrintableInternalKey(input_->key()));
    return false;
  }
  if (!CanCompact(parsed->type)) {
    status_ =
        Status::NotSupported(std::string("compaction of an entry of type ") +
                                 ValueTypeName(parsed->type),
                             PrintableInternalKey(input_->key()));
    return false;
  }
  return true;
}

bool CompactionIterator::AtSameKey(ParsedInternalKey* parsed) const {
  return input_->Valid() && ParseInternalKey(input_->key(), parsed) &&
         CanCompact(parsed->type) && IsCurrent(parsed->user_key);
}

void CompactionIterator::SetCurrent(const Slice& user_key) {
  key_.Clear();
  char* const room = key_.Room(user_key.size() + kInternalKeyTailBytes);
  std::memcpy(room, user_key.data(), user_key.size());
  current_bytes_ = user_key.size();
}

bool CompactionIterator::IsCurrent(const Slice& user_key) const {
  if (!options_.order.equal_keys_have_equal_bytes()) {
    return options_.order.CompareUserKeys(user_key, current()) == 0;
  }
  const size_t n = user_key.size();
  if (n != current_bytes_) return false;
  // Neighbours differ in their last bytes.
  if (n >= sizeof(uint64_t) &&
      DecodeFixed64(user_key.end() - sizeof(uint64_t)) !=
          DecodeFixed64(current().end() - sizeof(uint64_t))) {
    return false;
  }
  return std::memcmp(user_key.data(), key_.data(), n) == 0;
}

// Makes the version's key and stripe the current ones.
void CompactionIterator::Enter(const ParsedInternalKey& parsed) {
  const bool same_key = has_current_ && IsCurrent(parsed.user_key);
  const size_t stripe = stripes_.StripeOf(parsed.sequence);
  if (same_key && stripe == stripe_) return;
  if (!same_key) {
    has_current_ = true;
    SetCurrent(parsed.user_key);
    shown_current_ = false;
    if (skipping_) [[unlikely]] {
      skipping_ =
          options_.order.CompareUserKeys(parsed.user_key, skip_until_) < 0;
    }
  }
  stripe_ = stripe;
  newer_ = Newer::kNothing;
  covering_ = options_.tombstones == nullptr
                  ? 0
                  : options_.tombstones->Covering(parsed.user_key,
                                                  stripes_.LastOf(stripe));
}

bool CompactionIterator::Take(const ParsedInternalKey& parsed) {
  // A hidden single delete is processed too. A later single delete may remove
  // the put that hides it, and expose the put that this one deletes.
  if (Covered(parsed)) {
    ++counts_.dropped_covered;
    Advance();
    return false;
  }
  if (newer_ == Newer::kDeletion ||
      (newer_ == Newer::kPut && parsed.type != kTypeSingleDeletion)) {
    DropHidden();
    return false;
  }
  switch (parsed.type) {
    case kTypeValue:
      return TakePut(parsed);
    case kTypeDeletion:
      return TakeDeletion(parsed);
    case kTypeSingleDeletion:
      return TakeSingleDeletion(parsed);
    default:
      return TakeOperands(parsed);
  }
}

bool CompactionIterator::TakePut(const ParsedInternalKey& parsed) {
  // The newest version, and not the base of operands that were kept.
  if (options_.filter != nullptr && !shown_current_ &&
      options_.filter->MayAskAboutPut(parsed.sequence)) {
    return TakeFilteredPut(parsed);
  }
  return ShowPut(parsed);
}

bool CompactionIterator::ShowPut(const ParsedInternalKey& parsed) {
  newer_ = Newer::kPut;
  Show(parsed.user_key, parsed.sequence, parsed.type);
  return true;
}

bool CompactionIterator::TakeDeletion(const ParsedInternalKey& parsed) {
  newer_ = Newer::kDeletion;
  if (stripe_ == 0 && NothingBelow(parsed.user_key)) {
    ++counts_.dropped_obsolete;
    Advance();
    return false;
  }
  Show(parsed.user_key, parsed.sequence, parsed.type);
  return true;
}

bool CompactionIterator::TakeSingleDeletion(const ParsedInternalKey& parsed) {
  const bool hidden = newer_ == Newer::kPut;
  const SequenceNumber sequence = parsed.sequence;
  const std::string user_key = parsed.user_key.ToString();
  Advance();
  ParsedInternalKey older;
  const bool has_older = AtSameKey(&older) && InStripe(older);
  if (has_older && older.type == kTypeValue) {
    ++counts_.dropped_obsolete;
    DropHidden();
    return false;
  }
  if (has_older && !Covered(older) &&
      (older.type == kTypeSingleDeletion ||
       (older.type == kTypeDeletion && !hidden))) {
    // The older one deletes as much.
    ++counts_.dropped_hidden;
    return false;
  }
  if (!hidden) newer_ = Newer::kDeletion;
  if (stripe_ == 0 &&
      (NothingBelow(user_key) || (hidden && options_.bottommost))) {
    ++counts_.dropped_obsolete;
    return false;
  }
  // The base of the operands may have older puts below it. A single delete
  // would remove only the merged put and expose them.
  const bool over_operand = has_older && older.type == kTypeMerge;
  queue_.push_back({std::string(), std::string()});
  AppendInternalKey(&queue_[0].key, user_key, sequence,
                    over_operand ? kTypeDeletion : kTypeSingleDeletion);
  queue_at_ = 0;
  return ShowQueue();
}

bool CompactionIterator::TakeOperands(const ParsedInternalKey& newest) {
  ParsedInternalKey operand = newest;
  const SequenceNumber sequence = newest.sequence;
  std::string changed;
  do {
    switch (FilterOperand(operand, &changed)) {
      case Operand::kKept:
        queue_.push_back({input_->key().ToString(), std::move(changed)});
        break;
      case Operand::kRemoved:
        ++counts_.removed_by_filter;
        ++counts_.dropped_obsolete;
        break;
      case Operand::kKeyRemoved:
        counts_.dropped_hidden += queue_.size();
        counts_.removed_by_filter += queue_.size();
        queue_.clear();
        return TakeRemoved(current().ToString(), sequence);
      case Operand::kFailed:
        queue_.clear();
        return false;
    }
    Advance();
  } while (AtSameKey(&operand) && operand.type == kTypeMerge &&
           InStripe(operand) && !Covered(operand));
  if (queue_.empty()) return false;
  queue_at_ = 0;
  if (options_.merge_with.merge_operator == nullptr) return ShowQueue();
  switch (BaseOfOperands()) {
    case Base::kUnknown:
      MergePartially();
      break;
    case Base::kNothing:
      MergeFully(nullptr);
      break;
    case Base::kPut: {
      const Slice base = input_->value();
      if (MergeFully(&base)) DropHidden();
      break;
    }
  }
  return ShowQueue();
}

bool CompactionIterator::TakeFilteredPut(const ParsedInternalKey& parsed) {
  if (skipping_) return TakeRemoved(parsed.user_key, parsed.sequence);
  auto decision =
      options_.filter->Ask(parsed.user_key, kTypeValue, input_->value());
  if (!decision.ok()) {
    status_ = decision.status();
    return false;
  }
  switch (*decision) {
    case EntryFilter::Decision::kKeep:
      break;
    case EntryFilter::Decision::kRemove:
      return TakeRemoved(parsed.user_key, parsed.sequence);
    case EntryFilter::Decision::kPurge:
      ++counts_.removed_by_filter;
      return TakeSingleDeletion(parsed);
    case EntryFilter::Decision::kRemoveAndSkipUntil:
      if (!BeginSkip(parsed.user_key)) break;
      return TakeRemoved(parsed.user_key, parsed.sequence);
    case EntryFilter::Decision::kChangeValue:
      newer_ = Newer::kPut;
      queue_.push_back(
          {input_->key().ToString(), std::move(options_.filter->new_value())});
      queue_at_ = 0;
      Advance();
      return ShowQueue();
  }
  return ShowPut(parsed);
}

// Sets *changed to the operand's value.
CompactionIterator::Operand CompactionIterator::FilterOperand(
    const ParsedInternalKey& parsed, std::string* changed) {
  const Slice value = input_->value();
  EntryFilter* const filter = options_.filter;
  if (filter != nullptr && filter->MayAskAboutOperand(parsed.sequence)) {
    if (skipping_) return Operand::kKeyRemoved;
    auto decision = filter->Ask(parsed.user_key, kTypeMerge, value);
    if (!decision.ok()) {
      status_ = decision.status();
      return Operand::kFailed;
    }
    switch (*decision) {
      case EntryFilter::Decision::kKeep:
        break;
      case EntryFilter::Decision::kRemove:
      case EntryFilter::Decision::kPurge:
        return Operand::kRemoved;
      case EntryFilter::Decision::kRemoveAndSkipUntil:
        if (!BeginSkip(parsed.user_key)) break;
        return Operand::kKeyRemoved;
      case EntryFilter::Decision::kChangeValue:
        *changed = std::move(filter->new_value());
        return Operand::kKept;
    }
  }
  changed->assign(value.data(), value.size());
  return Operand::kKept;
}

bool CompactionIterator::TakeRemoved(const Slice& user_key,
                                     SequenceNumber sequence) {
  newer_ = Newer::kDeletion;
  ++counts_.removed_by_filter;
  if (stripe_ == 0 && NothingBelow(user_key)) {
    ++counts_.dropped_obsolete;
    Advance();
    if (skipping_) SeekPastSkipped();
    return false;
  }
  queue_.push_back({std::string(), std::string()});
  AppendInternalKey(&queue_[0].key, user_key, sequence, kTypeDeletion);
  queue_at_ = 0;
  Advance();
  return ShowQueue();
}

bool CompactionIterator::BeginSkip(const Slice& user_key) {
  const std::string& until = options_.filter->skip_until();
  if (options_.order.CompareUserKeys(user_key, until) >= 0) return false;
  skipping_ = true;
  skip_until_ = until;
  skipped_ = 0;
  return true;
}

void CompactionIterator::SeekPastSkipped() {
  ++skipped_;
  // Elsewhere, entries on the way may become deletions, or are seen.
  if (skipped_ != kSkippedBeforeSeek || !options_.bottommost ||
      !options_.snapshots.empty() || !input_->Valid() ||
      input_->key().size() < kInternalKeyTailBytes ||
      options_.order.CompareUserKeys(ExtractUserKey(input_->key()),
                                     skip_until_) >= 0) {
    return;
  }
  input_->Seek(LookupKey(skip_until_, kMaxSequenceNumber).internal_key());
}

CompactionIterator::Base CompactionIterator::BaseOfOperands() const {
  ParsedInternalKey older;
  if (AtSameKey(&older)) {
    // A covered version is no base, even if older snapshots see it.
    if (Covered(older)) return Base::kNothing;
    if (!InStripe(older)) return Base::kUnknown;
    return older.type == kTypeValue ? Base::kPut : Base::kNothing;
  }
  if (!input_->Valid()) {
    if (!input_->status().ok()) return Base::kUnknown;
  } else if (input_->key().size() < kInternalKeyTailBytes ||
             IsCurrent(ExtractUserKey(input_->key()))) {
    return Base::kUnknown;  // ParseInput will reject this entry
  }
  // The input has no older version. A range tombstone that this stripe's
  // readers see hides all versions below, in any stripe.
  return covering_ != 0 || NothingBelow(current()) ? Base::kNothing
                                                   : Base::kUnknown;
}

std::vector<Slice> CompactionIterator::OperandsOldestFirst() const {
  std::vector<Slice> operands;
  operands.reserve(queue_.size());
  for (auto it = queue_.rbegin(); it != queue_.rend(); ++it) {
    operands.emplace_back(it->value);
  }
  return operands;
}

// Returns false if the operands and their base are kept.
bool CompactionIterator::MergeFully(const Slice* base) {
  TAMIS_DCHECK(!queue_.empty());
  std::string merged;
  const Status status =
      FullMerge(options_.merge_with, ExtractUserKey(queue_[0].key), base,
                OperandsOldestFirst(), &merged);
  if (!status.ok() || merged.size() > kMergedBytesMax) return false;
  counts_.dropped_hidden += queue_.size() - 1;
  newer_ = Newer::kPut;
  queue_.resize(1);
  const std::string newest = std::move(queue_[0].key);
  queue_[0].key.clear();
  AppendInternalKey(&queue_[0].key, ExtractUserKey(newest),
                    ExtractSequence(newest), kTypeValue);
  queue_[0].value = std::move(merged);
  return true;
}

void CompactionIterator::MergePartially() {
  TAMIS_DCHECK(!queue_.empty());
  if (queue_.size() < 2) return;
  const std::vector<Slice> oldest_first = OperandsOldestFirst();
  const std::deque<Slice> operands(oldest_first.begin(), oldest_first.end());
  std::string merged;
  const MergeWith& with = options_.merge_with;
  if (!with.merge_operator->PartialMergeMulti(ExtractUserKey(queue_[0].key),
                                              operands, &merged, with.logger) ||
      merged.size() > kMergedBytesMax) {
    return;
  }
  counts_.dropped_hidden += queue_.size() - 1;
  queue_.resize(1);
  queue_[0].value = std::move(merged);
}

bool CompactionIterator::ShowQueue() {
  TAMIS_DCHECK(queue_at_ < queue_.size());
  const Slice key = queue_[queue_at_].key;
  const uint64_t tail = ExtractTail(key);
  Show(ExtractUserKey(key), tail >> 8, static_cast<ValueType>(tail & 0xff));
  return true;
}

// At the bottom, a put of stripe 0 needs no sequence number. It is the oldest
// version of its key, and range tombstones older than it are dropped, because
// they are in stripe 0 (TombstonesToKeep).
void CompactionIterator::Show(const Slice& user_key, SequenceNumber sequence,
                              ValueType type) {
  same_as_previous_ = std::exchange(shown_current_, true);
  const bool zero = options_.bottommost && stripe_ == 0 && type == kTypeValue;
  // key_ may have the bytes of another version, which compare equal.
  if (!options_.order.equal_keys_have_equal_bytes()) SetCurrent(user_key);
  TAMIS_DCHECK(current_bytes_ == user_key.size());
  EncodeFixed64(key_.data() + current_bytes_,
                PackSequenceAndType(zero ? 0 : sequence, type));
}

}  // namespace tamis
