// SPDX-License-Identifier: Apache-2.0
//
// The writes of a Life.
#include <algorithm>

#include "tests/model/life.h"

namespace tamis::model {

namespace {

Status AddTo(WriteBatch* batch, const Change& change) {
  switch (change.kind) {
    case ChangeKind::kPut:
      return batch->Put(change.key, change.value);
    case ChangeKind::kDelete:
      return batch->Delete(change.key);
    case ChangeKind::kSingleDelete:
      return batch->SingleDelete(change.key);
    case ChangeKind::kMerge:
      return batch->Merge(change.key, change.value);
    case ChangeKind::kDeleteRange:
      return batch->DeleteRange(change.key, change.value);
  }
  return Status::InvalidArgument("no such change");
}

}  // namespace

void Life::KeepSingleKeys(Changes* changes) const {
  State state(model_.visible().key_comp());
  bool copied = false;
  for (Change& change : *changes) {
    if (change.kind != ChangeKind::kDeleteRange &&
        std::binary_search(history_.single_keys.begin(),
                           history_.single_keys.end(), change.key,
                           state.key_comp())) {
      const State& now = copied ? state : model_.visible();
      change.kind = now.contains(change.key) ? ChangeKind::kSingleDelete
                                             : ChangeKind::kPut;
      if (change.kind == ChangeKind::kSingleDelete) change.value.clear();
    }
    if (changes->size() == 1) return;
    if (!copied) state = model_.visible();
    copied = true;
    Apply(change, &state);
  }
}

std::string Life::Write(const Operation& o) {
  const bool was_healthy = Healthy();
  const uint64_t fired = faults_.fired();
  WriteOptions options;
  options.sync = o.flag;
  Status status;
  if (o.changes.size() == 1 && o.number % 2 == 0) {
    status = WriteAlone(options, o.changes[0]);
  } else {
    WriteBatch batch;
    for (const Change& change : o.changes) {
      status = AddTo(&batch, change);
      if (!status.ok()) return "a batch refuses a change: " + status.ToString();
    }
    status = db_->Write(options, &batch);
  }
  if (status.ok()) {
    if (!was_healthy) return "a write passes a background error";
    model_.Acknowledge(o.changes);
    if (o.flag) model_.AllIsDurable();
    return "";
  }
  if (was_healthy) model_.Fail(o.changes);
  return Judge("Write", status, was_healthy, fired);
}

Status Life::WriteAlone(const WriteOptions& options, const Change& change) {
  switch (change.kind) {
    case ChangeKind::kPut:
      return db_->Put(options, change.key, change.value);
    case ChangeKind::kDelete:
      return db_->Delete(options, change.key);
    case ChangeKind::kSingleDelete:
      return db_->SingleDelete(options, change.key);
    case ChangeKind::kMerge:
      return db_->Merge(options, change.key, change.value);
    case ChangeKind::kDeleteRange:
      return db_->DeleteRange(options, change.key, change.value);
  }
  return Status::InvalidArgument("no such change");
}

}  // namespace tamis::model
