// SPDX-License-Identifier: Apache-2.0
#include "table/get_context.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "util/coding/printable.h"

namespace tamis {

namespace {

// Releases the reference that Consume passes to PinSlice.
void ReleaseBlock(void* owner) {
  static_cast<const BlockBuffer*>(owner)->Unref();
}

}  // namespace

bool GetContext::Consume(const ParsedInternalKey& key, const Slice& value,
                         PinnedBytes* pin) {
  if (done()) return false;
  newest_ = std::max(newest_, key.sequence);
  if (key.sequence < covered_by_) [[unlikely]] {
    // A range tombstone hides this version and all older ones, so newer
    // operands have no base.
    EndAtTombstone();
    return false;
  }
  switch (key.type) {
    case kTypeValue:
      if (state_ == State::kMerging) {
        base_.emplace(value.ToStringView());
        state_ = State::kMergeReady;
        return false;
      }
      state_ = State::kFound;
      if (pin != nullptr && pin->buffer() != nullptr &&
          value.size() > kCopyBytesMax) {
        value_->PinSlice(value, ReleaseBlock,
                         const_cast<BlockBuffer*>(pin->Release()));
      } else {
        value_->PinSelf(value);
      }
      return false;
    case kTypeDeletion:
    case kTypeSingleDeletion:
      EndAtTombstone();
      return false;
    case kTypeMerge:
      state_ = State::kMerging;
      operands_.push_back(value.ToString());
      return true;
    default:
      Fail(Status::NotSupported(
          "this release cannot read the entry of a key",
          std::string(ValueTypeName(key.type)) + " (type " +
              std::to_string(static_cast<int>(key.type)) + ") of key '" +
              PrintableHex(key.user_key) + "' at sequence " +
              std::to_string(key.sequence)));
      return false;
  }
}

void GetContext::Fail(Status status) {
  state_ = State::kCorrupt;
  status_ = std::move(status);
}

void GetContext::EndAtTombstone() {
  state_ = state_ == State::kMerging ? State::kMergeReady : State::kDeleted;
}

void GetContext::Merge() {
  const std::vector<Slice> oldest_first(operands_.rbegin(), operands_.rend());
  const Slice base = base_ ? Slice(*base_) : Slice();
  Status status = FullMerge(merge_with_, user_key_, base_ ? &base : nullptr,
                            oldest_first, value_->GetSelf());
  if (!status.ok()) {
    Fail(std::move(status));
    return;
  }
  value_->PinSelf();
  state_ = State::kFound;
}

Status GetContext::Finish() {
  if (state_ == State::kMerging || state_ == State::kMergeReady) Merge();
  switch (state_) {
    case State::kFound:
      return Status::OK();
    case State::kAbsent:
    case State::kDeleted:
      return Status::NotFound();
    case State::kMerging:
    case State::kMergeReady:
    case State::kCorrupt:
      break;
  }
  return status_;
}

Status GetContext::FinishOperands(std::vector<std::string>* oldest_first) {
  oldest_first->clear();
  if (state_ != State::kMerging && state_ != State::kMergeReady) {
    const Status status = Finish();
    if (status.ok()) oldest_first->push_back(value_->ToString());
    return status;
  }
  if (base_) oldest_first->push_back(std::move(*base_));
  oldest_first->insert(oldest_first->end(),
                       std::make_move_iterator(operands_.rbegin()),
                       std::make_move_iterator(operands_.rend()));
  return Status::OK();
}

}  // namespace tamis
