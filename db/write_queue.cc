// SPDX-License-Identifier: Apache-2.0
#include "db/write_queue.h"

#include "util/check.h"

namespace tamis {

void WriteQueue::Join(Writer* writer, JobRunner* runner) {
  mutex_.AssertHeld();
  writers_.push_back(writer);
  mutex_.Wait(runner, writer->woken, [this, writer] {
    return writer->done || writers_.front() == writer;
  });
}

std::vector<WriteQueue::Writer*> WriteQueue::Group(
    const Writer* leader, const ColumnFamilySet::View& families,
    size_t max_bytes) const {
  TAMIS_CHECK(writers_.front() == leader);
  std::vector<Writer*> group;
  size_t bytes = 0;
  for (Writer* writer : writers_) {
    if (writer->batch == nullptr ||
        writer->disable_wal != leader->disable_wal) {
      break;
    }
    if (writer->families != nullptr && writer->families.get() != &families) {
      break;  // to be checked again, by itself
    }
    bytes += writer->batch->GetDataSize();
    if (!group.empty() && bytes > max_bytes) break;
    group.push_back(writer);
  }
  return group;
}

void WriteQueue::Finish(size_t count, const Status& status) {
  TAMIS_CHECK(count > 0 && count <= writers_.size());
  for (size_t i = 0; i < count; ++i) {
    Writer* writer = writers_.front();
    writers_.pop_front();
    writer->status = status;
    writer->done = true;
    // The last touch: once it runs, it is gone.
    if (i > 0) writer->woken.notify_one();
  }
  if (!writers_.empty()) writers_.front()->woken.notify_one();
}

}  // namespace tamis
