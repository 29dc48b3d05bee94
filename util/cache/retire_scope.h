// SPDX-License-Identifier: Apache-2.0
//
// A RetireScope retires the objects of one owner, such as a column family, to
// an EpochDomain that several owners share. The owner can be destroyed while
// readers of other owners are in the domain, and does not wait for them.
//
//   domain   [ other | entry | other | entry ]
//                        │               │
//                        ▼               ▼
//   scope            [ object ] ───▶ [ object ]      oldest first
//
// An entry releases its object once: when the domain finds that no reader can
// use the object any more, or when the scope ends.
//
// Any thread may call Retire and NewRoom. The destructor must not run
// concurrently with a call.
#pragma once

#include <cstddef>
#include <memory>

#include "util/base/mutex.h"
#include "util/cache/epoch.h"

namespace tamis {

class RetireScope {
 private:
  struct Entry;
  struct DeleteEntry {
    void operator()(Entry* entry) const;
  };

 public:
  // Memory to record one object. The caller takes it in advance, so that Retire
  // cannot fail.
  using Room = std::unique_ptr<Entry, DeleteEntry>;
  // May throw std::bad_alloc.
  static Room NewRoom();

  RetireScope() = default;
  // Releases every object that still waits for readers. Waits only for a
  // release that another thread has begun. REQUIRES: no reader uses an object
  // that was retired here, and no other call runs.
  ~RetireScope();
  RetireScope(const RetireScope&) = delete;
  RetireScope& operator=(const RetireScope&) = delete;

  // Releases the reference once every reader that may have found the object
  // has left, as EpochDomain::Retire does. If the domain is out of memory, a
  // later call tries again. The domain must outlive *this. `bytes` is the
  // object's size, for EpochDomain::waiting_bytes(). The call may release
  // objects of other owners, so the caller must hold no lock that their
  // destructors take. REQUIRES: room is not nullptr; each call passes the same
  // domain; the object was unlinked as EpochDomain requires.
  void Retire(EpochDomain* domain, Room room,
              std::shared_ptr<const void> object, size_t bytes) noexcept
      EXCLUDES(mutex_);

 private:
  // In the form that EpochDomain::Retire takes.
  static void ReleaseObject(void* object);
  static void Unref(Entry* entry);
  // Returns false if the domain had no memory and refused the entry.
  bool PassToDomain(EpochDomain* domain, Entry* entry) EXCLUDES(mutex_);
  // Returns an entry that the domain refused, for another try, or nullptr.
  Entry* TakeRefused() EXCLUDES(mutex_);
  // Removes the first entry from the list and returns it, if its object was
  // released; else returns nullptr.
  Entry* TakeReleased() EXCLUDES(mutex_);

  Mutex mutex_;
  // Entries in the order of the calls, without those at the front that were
  // released.
  Entry* first_ GUARDED_BY(mutex_) = nullptr;
  Entry* last_ GUARDED_BY(mutex_) = nullptr;
  // Entries that the domain had no memory for.
  size_t refused_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
