// SPDX-License-Identifier: Apache-2.0
//
// The queue of writers, with group commit. The first writer is the leader. It
// adds the batches of the writers after it to its group, writes the log once
// for all of them, and wakes them with the outcome. The other writers wait.
//
//   [leader | follower | follower | next leader | ...]
//    └──────── one group ────────┘
//
// A writer without a batch only leads (WriteBarrier). Meanwhile no other thread
// writes, so it may switch the log and the memtables.
//
// The queue is an intrusive list of the writers, which are on the stacks of
// their threads. A writer that does not wait allocates nothing.
//
// REQUIRES, for every call: the database's mutex is held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/options.h"
#include "tamis/status.h"
#include "tamis/write_batch.h"

#include "db/family/column_family_set.h"
#include "util/base/mutex.h"

namespace tamis {

class WriteQueue {
 public:
  struct Writer {
    Writer() = default;
    Writer(WriteBatch* write_batch, const WriteOptions& options)
        : batch(write_batch),
          sync(options.sync),
          disable_wal(options.disableWAL) {}
    // nullptr: the writer only leads.
    WriteBatch* const batch = nullptr;
    const bool sync = false;
    const bool disable_wal = false;
    // The families that the batch was checked against; nullptr: it changes only
    // the default one.
    ColumnFamilySet::ViewPtr families;
    bool done = false;
    Status status;

    // For the queue.
    Writer* next = nullptr;
    CondVar* woken = nullptr;  // set while it waits
  };

  // The leader and the writers after it that share its log record. They remain
  // until Finish, so ForEach needs no mutex, and others may join meanwhile.
  struct Group {
    Writer* first;
    Writer* last;
    size_t count;
    size_t bytes;  // of the batches, including their headers

    template <typename Visit>
    void ForEach(Visit&& visit) const {
      for (Writer* writer = first;; writer = writer->next) {
        visit(*writer);
        if (writer == last) return;  // a thread that joins sets its `next`
      }
    }
  };

  explicit WriteQueue(Mutex* db_mutex) : mutex_(*db_mutex) {}

  // Returns when the writer leads, or when another leader has completed it.
  void Join(Writer* writer, JobRunner* runner);

  // The leader and the writers after it, up to the first that has no batch,
  // differs in disable_wal, was checked against families that have changed
  // since, or would exceed max_bytes. REQUIRES: `leader` leads, and has a batch
  // that was checked against the current families.
  Group GroupOf(Writer* leader, const ColumnFamilySet& families,
                size_t max_bytes) const;

  // Completes the leader and `count` - 1 writers after it; the next one leads.
  void Finish(size_t count, const Status& status) noexcept;

 private:
  Mutex& mutex_;
  Writer* leader_ = nullptr;  // nullptr: the queue is empty
  Writer* last_ = nullptr;
};

// Leads the queue during its lifetime: no other thread writes meanwhile.
class WriteBarrier {
 public:
  // REQUIRES: the database's mutex is held, here and in the destructor.
  WriteBarrier(WriteQueue* queue, JobRunner* runner) : queue_(*queue) {
    queue_.Join(&writer_, runner);
  }
  ~WriteBarrier() { queue_.Finish(1, Status::OK()); }
  WriteBarrier(const WriteBarrier&) = delete;
  WriteBarrier& operator=(const WriteBarrier&) = delete;

 private:
  WriteQueue& queue_;
  WriteQueue::Writer writer_;
};

}  // namespace tamis
