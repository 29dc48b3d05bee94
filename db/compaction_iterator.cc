// SPDX-License-Identifier: Apache-2.0
#include "db/compaction_iterator.h"

#include <algorithm>
#include <utility>

namespace tamis {

CompactionIterator::CompactionIterator(InternalIterator* input,
                                       const Options& options,
                                       MayExistBelow may_exist_below)
    : input_(input),
      options_(options),
      may_exist_below_(std::move(may_exist_below)) {
  TAMIS_CHECK(
      std::is_sorted(options_.snapshots.begin(), options_.snapshots.end()));
}

void CompactionIterator::SeekToFirst() {
  input_->SeekToFirst();
  FindNextToKeep();
}

void CompactionIterator::Next() {
  TAMIS_DCHECK(valid_);
  input_->Next();
  FindNextToKeep();
}

size_t CompactionIterator::StripeOf(SequenceNumber sequence) const {
  const auto first_that_sees = std::lower_bound(
      options_.snapshots.begin(), options_.snapshots.end(), sequence);
  return static_cast<size_t>(first_that_sees - options_.snapshots.begin());
}

void CompactionIterator::FindNextToKeep() {
  valid_ = false;
  for (; input_->Valid(); input_->Next()) {
    ++counts_.entries_read;
    ParsedInternalKey parsed;
    if (!ParseInternalKey(input_->key(), &parsed)) {
      status_ = Status::Corruption("an entry of a kind that is never stored",
                                   InternalKeyToString(input_->key()));
      return;
    }
    if (parsed.type != kTypeValue && parsed.type != kTypeDeletion) {
      status_ =
          Status::NotSupported(std::string("compacting an entry of kind ") +
                                   ValueTypeName(parsed.type),
                               InternalKeyToString(input_->key()));
      return;
    }
    if (Keep(parsed)) {
      valid_ = true;
      return;
    }
  }
  status_ = input_->status();
}

bool CompactionIterator::Keep(const ParsedInternalKey& parsed) {
  const bool same_key =
      has_current_ &&
      options_.order.CompareUserKeys(parsed.user_key, current_user_key_) == 0;
  const size_t stripe = StripeOf(parsed.sequence);
  if (same_key) {
    if (stripe == newer_stripe_) {
      ++counts_.dropped_hidden;
      return false;
    }
  } else {
    has_current_ = true;
    current_user_key_.assign(parsed.user_key.data(), parsed.user_key.size());
    shown_current_ = false;
  }
  newer_stripe_ = stripe;

  const bool everybody_sees_it = stripe == 0;
  if (parsed.type == kTypeDeletion && everybody_sees_it && may_exist_below_ &&
      !may_exist_below_(parsed.user_key)) {
    ++counts_.dropped_obsolete;
    return false;
  }
  same_as_previous_ = std::exchange(shown_current_, true);
  const bool zero =
      options_.bottommost && everybody_sees_it && parsed.type == kTypeValue;
  key_.clear();
  AppendInternalKey(&key_, parsed.user_key, zero ? 0 : parsed.sequence,
                    parsed.type);
  return true;
}

}  // namespace tamis
