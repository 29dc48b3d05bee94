// SPDX-License-Identifier: Apache-2.0
//
// The WriteQueue orders writers and lets them commit in groups. The first
// writer is the leader. It adds the batches of the writers after it to its
// group, writes the log once for all of them, and wakes them with the outcome.
// The other writers wait. Calls of a leader: Join, GroupOf if it has a batch,
// Finish.
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
    WriteBatch* const batch = nullptr;  // nullptr if the writer only leads
    const bool sync = false;
    const bool disable_wal = false;
    // The families that the batch was checked against, or nullptr if it changes
    // only the default one.
    ColumnFamilySet::ViewPtr families;
    // Whether a leader has completed the writer, with the outcome in `status`.
    bool done = false;
    Status status;

    // Used only by the queue.
    Writer* next = nullptr;
    CondVar* woken = nullptr;  // not nullptr while the writer waits
  };

  // The leader and the writers after it that share its log record. They stay in
  // the queue until Finish, so the leader calls ForEach without the mutex, and
  // others may join meanwhile.
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

  // Adds the writer to the queue, and waits until it leads or another leader
  // has completed it (writer->done). The writer must stay valid until then; a
  // writer that leads, until Finish.
  void Join(Writer* writer, JobRunner* runner);

  // Returns the leader and the writers after it, up to the first writer that
  // has no batch, differs in disable_wal, was checked against families that
  // have changed since, or would make the group exceed max_bytes. REQUIRES:
  // `leader` leads, and has a batch that was checked against the current
  // families.
  Group GroupOf(Writer* leader, const ColumnFamilySet& families,
                size_t max_bytes) const;

  // Completes the leader and `count` - 1 writers after it, with this status.
  // The next writer then leads. REQUIRES: the caller leads; count >= 1.
  void Finish(size_t count, const Status& status) noexcept;

 private:
  Mutex& mutex_;
  Writer* leader_ = nullptr;  // nullptr if the queue is empty
  Writer* last_ = nullptr;
};

// A WriteBarrier leads the queue during its lifetime, so that no other thread
// writes meanwhile. The constructor waits until it leads.
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
