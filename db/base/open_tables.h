// SPDX-License-Identifier: Apache-2.0
//
// The tables that are kept open, where their number is limited. A reader is a
// descriptor, a resident index and perhaps a filter: one hand closes all three
// together.
//
//   TableSlot    the place of one table: its reader while it is open
//   OpenTables   the ring of those that are, and the clock hand
//
// A reader that somebody uses is closed when he lets go of it. So at most
// `limit` tables are open, besides those in use.
//
// Any thread. Locks: ring, then slot.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "table/table_reader.h"
#include "util/base/mutex.h"

namespace tamis {

class OpenTables;

// Outlives every call but Forget, which its destructor makes.
class TableSlot {
 public:
  TableSlot() = default;
  ~TableSlot();
  TableSlot(const TableSlot&) = delete;
  TableSlot& operator=(const TableSlot&) = delete;

  // nullptr: it is not open.
  std::shared_ptr<const TableReader> Get() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (reader_ != nullptr) used_.store(true, std::memory_order_relaxed);
    return reader_;
  }
  void Set(std::shared_ptr<const TableReader> reader) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    reader_ = std::move(reader);
  }
  // The reader of an open that the hand has ended but a user has not.
  std::shared_ptr<const TableReader> StillInUse() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return closed_.lock();
  }

 private:
  friend class OpenTables;
  bool InUse() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return reader_.use_count() > 1;
  }
  std::shared_ptr<const TableReader> Take() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    closed_ = reader_;
    return std::exchange(reader_, nullptr);
  }

  Mutex mutex_;  // held for a pointer copy
  std::shared_ptr<const TableReader> reader_ GUARDED_BY(mutex_);
  std::weak_ptr<const TableReader> closed_ GUARDED_BY(mutex_);
  // Since the hand last came by. Relaxed: a hint.
  std::atomic<bool> used_{false};
  // Set when it first joins the ring, by one thread that opens it.
  OpenTables* ring_ = nullptr;
  size_t slot_ = 0;  // under the ring's mutex; REQUIRES: in_ring_
  bool in_ring_ = false;
};

class OpenTables {
 public:
  // REQUIRES: limit > 0
  explicit OpenTables(size_t limit) : limit_(limit) {}
  OpenTables(const OpenTables&) = delete;
  OpenTables& operator=(const OpenTables&) = delete;

  // Room for one more table, which is taken before the table is opened, and
  // given back unless the table joins the ring.
  class Room {
   public:
    // Closes others until there is room. `tables`: nullptr: there is no limit.
    explicit Room(OpenTables* tables) : tables_(tables) {
      if (tables_ != nullptr) tables_->Reserve();
    }
    ~Room() {
      if (tables_ != nullptr) tables_->GiveUp();
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    // REQUIRES: there is a limit; the table's reader is set, and the table is
    // not in the ring; one thread at a time per table.
    void Join(TableSlot* table) noexcept {
      std::exchange(tables_, nullptr)->Join(table);
    }

   private:
    OpenTables* tables_;
  };

  // The table goes. One that never joined may too.
  void Forget(TableSlot* table) EXCLUDES(mutex_);

  size_t limit() const { return limit_; }

 private:
  void Reserve() EXCLUDES(mutex_);
  void Join(TableSlot* table) noexcept EXCLUDES(mutex_);
  void GiveUp() noexcept EXCLUDES(mutex_);
  // Moves the hand to the next table that nobody has used since it last came
  // by and that nobody uses, or, when there is none, to any.
  std::shared_ptr<const TableReader> CloseOne() REQUIRES(mutex_);
  void Leave(TableSlot* table) REQUIRES(mutex_);

  const size_t limit_;
  Mutex mutex_;
  // Has the capacity for those that are reserved, too.
  std::vector<TableSlot*> ring_ GUARDED_BY(mutex_);
  size_t hand_ GUARDED_BY(mutex_) = 0;
  size_t reserved_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
