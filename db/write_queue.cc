// SPDX-License-Identifier: Apache-2.0
#include "db/write_queue.h"

#include "util/base/check.h"

namespace tamis {

void WriteQueue::Join(Writer* writer, JobRunner* runner) {
  mutex_.AssertHeld();
  TAMIS_DCHECK(!writer->done);
  TAMIS_DCHECK((leader_ == nullptr) == (last_ == nullptr));
  writer->next = nullptr;
  if (leader_ == nullptr) {
    leader_ = last_ = writer;
    return;
  }
  TAMIS_DCHECK(last_->next == nullptr);
  last_->next = writer;
  last_ = writer;
  CondVar woken;
  writer->woken = &woken;
  mutex_.Wait(runner, woken,
              [this, writer] { return writer->done || leader_ == writer; });
  writer->woken = nullptr;
}

WriteQueue::Group WriteQueue::GroupOf(Writer* leader,
                                      const ColumnFamilySet& families,
                                      size_t max_bytes) const {
  mutex_.AssertHeld();
  TAMIS_CHECK(leader_ == leader);
  TAMIS_CHECK(leader->batch != nullptr);
  Group group{leader, leader, 1, leader->batch->GetDataSize()};
  ColumnFamilySet::ViewPtr view;
  for (Writer* writer = leader->next; writer != nullptr;
       writer = writer->next) {
    if (writer->batch == nullptr ||
        writer->disable_wal != leader->disable_wal) {
      break;
    }
    if (writer->families != nullptr) {
      if (view == nullptr) view = families.view();
      if (writer->families != view) break;  // it is checked again when it leads
    }
    const size_t bytes = group.bytes + writer->batch->GetDataSize();
    if (bytes > max_bytes) break;
    group = {leader, writer, group.count + 1, bytes};
  }
  return group;
}

void WriteQueue::Finish(size_t count, const Status& status) noexcept {
  mutex_.AssertHeld();
  TAMIS_CHECK(count > 0);
  for (size_t i = 0; i < count; ++i) {
    Writer* const writer = leader_;
    TAMIS_CHECK(writer != nullptr);
    TAMIS_DCHECK(!writer->done);
    leader_ = writer->next;
    if (i == 0) continue;  // the leader runs this
    writer->status = status;
    writer->done = true;
    TAMIS_CHECK(writer->woken != nullptr);
    // The last access: as soon as its thread runs, the writer may be destroyed.
    writer->woken->notify_one();
  }
  if (leader_ == nullptr) {
    last_ = nullptr;
  } else {
    TAMIS_CHECK(leader_->woken != nullptr);
    leader_->woken->notify_one();
  }
}

}  // namespace tamis
