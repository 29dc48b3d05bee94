// SPDX-License-Identifier: Apache-2.0
//
// Writers queue here. The one at the front leads: it takes what stands behind
// it into its group, writes the log once for all of them, and wakes them with
// the outcome. Everybody else waits.
//
//   front                                    back
//   [leader | follower | follower | next leader ...]
//    └──────── one group ────────┘
//
// A writer without a batch asks for the front of the queue alone: who is there
// may switch log and memtable, since nobody writes to them.
//
// The queue is a chain through the writers themselves, and only one that has to
// wait makes something to wait on: nobody behind, nothing allocated.
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
    // nullptr: the front of the queue is all it wants.
    WriteBatch* const batch = nullptr;
    const bool sync = false;
    const bool disable_wal = false;
    // The families that it was checked against; nullptr: it is of the default
    // one alone.
    ColumnFamilySet::ViewPtr families;
    bool done = false;
    Status status;

    Writer* next = nullptr;    // the queue's: who stands behind
    CondVar* woken = nullptr;  // the queue's: set while it waits
  };

  // Neighbours, the first of them at the front. They stay until Finish; Visit
  // needs no mutex, while others may join behind.
  struct Group {
    Writer* first;
    Writer* last;
    size_t count;
    size_t bytes;  // of the batches, each with its header

    template <typename Visit>
    void ForEach(Visit&& visit) const {
      for (Writer* writer = first;; writer = writer->next) {
        visit(*writer);
        if (writer == last) return;  // its `next` is for who joins
      }
    }
  };

  explicit WriteQueue(Mutex* db_mutex) : mutex_(*db_mutex) {}

  // Returns when the writer leads, or is done because another led it.
  void Join(Writer* writer, JobRunner* runner);

  // The leader and those behind it that go with it: batches only, all logged
  // or none, all checked against the families as they are, up to max_bytes
  // together.
  // REQUIRES: `leader` is at the front, has a batch, and was.
  Group GroupOf(Writer* leader, const ColumnFamilySet& families,
                size_t max_bytes) const;

  // The first `count` are done, the leader among them; the next one leads.
  void Finish(size_t count, const Status& status) noexcept;

 private:
  Mutex& mutex_;
  Writer* front_ = nullptr;  // nullptr: nobody is here
  Writer* back_ = nullptr;
};

// The front of the queue for the length of a scope: nobody writes meanwhile.
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
