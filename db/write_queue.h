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
// REQUIRES, for every call: the database's mutex is held.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "tamis/status.h"
#include "tamis/write_batch.h"

#include "util/mutex.h"

namespace tamis {

class WriteQueue {
 public:
  struct Writer {
    explicit Writer(WriteBatch* write_batch, bool wants_sync)
        : batch(write_batch), sync(wants_sync) {}
    WriteBatch* const batch;  // nullptr: the front of the queue is all it wants
    const bool sync;
    bool done = false;
    Status status;
    CondVar woken;
  };

  explicit WriteQueue(Mutex* db_mutex) : mutex_(*db_mutex) {}

  // Returns when the writer leads, or is done because another led it.
  void Join(Writer* writer, JobRunner* runner);

  // The leader and those behind it that go with it: batches only, up to
  // max_bytes together. REQUIRES: `leader` is at the front and has a batch.
  std::vector<Writer*> Group(const Writer* leader, size_t max_bytes) const;

  // The first `count` are done, the leader among them; the next one leads.
  void Finish(size_t count, const Status& status);

 private:
  Mutex& mutex_;
  std::deque<Writer*> writers_;
};

}  // namespace tamis
