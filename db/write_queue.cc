// SPDX-License-Identifier: Apache-2.0
#include "db/write_queue.h"

#include "util/base/check.h"

namespace tamis {

void WriteQueue::Join(Writer* writer, JobRunner* runner) {
  mutex_.AssertHeld();
  writer->next = nullptr;
  if (front_ == nullptr) {
    front_ = back_ = writer;
    return;
  }
  back_->next = writer;
  back_ = writer;
  CondVar woken;
  writer->woken = &woken;
  mutex_.Wait(runner, woken,
              [this, writer] { return writer->done || front_ == writer; });
  writer->woken = nullptr;
}

WriteQueue::Group WriteQueue::GroupOf(Writer* leader,
                                      const ColumnFamilySet& families,
                                      size_t max_bytes) const {
  TAMIS_CHECK(front_ == leader);
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
      if (writer->families != view) break;  // to be checked again, by itself
    }
    const size_t bytes = group.bytes + writer->batch->GetDataSize();
    if (bytes > max_bytes) break;
    group = {leader, writer, group.count + 1, bytes};
  }
  return group;
}

void WriteQueue::Finish(size_t count, const Status& status) noexcept {
  for (size_t i = 0; i < count; ++i) {
    Writer* const writer = front_;
    TAMIS_CHECK(writer != nullptr);
    front_ = writer->next;
    if (i == 0) continue;  // the leader, which is here
    writer->status = status;
    writer->done = true;
    // The last touch: once it runs, it is gone.
    writer->woken->notify_one();
  }
  if (front_ == nullptr) {
    back_ = nullptr;
  } else {
    front_->woken->notify_one();
  }
}

}  // namespace tamis
