// SPDX-License-Identifier: Apache-2.0
//
// An EpochDomain implements epoch-based reclamation (Fraser, "Practical
// lock-freedom", 2004). Readers use objects that writers remove concurrently,
// without taking a reference count or a lock.
//
//   reader                          writer
//   Guard guard(&domain);           unlink the object, so that nobody finds it
//   find the object, use it         domain.Retire(object, free)
//   ~Guard                            ... freed after every Guard that existed
//                                     at the Retire has ended
//
// Entering costs one seq_cst exchange on a cache line of the thread's own.
// Calls of Retire and Reclaim free the objects; there is no thread for it.
//
// Readers must load the pointers that lead to an object with seq_cst, and the
// writer must unlink it with a seq_cst store. Then either the reader sees that
// the object is gone, or the writer sees the reader.
//
// Retire and Reclaim are linear in the number of live threads that have entered
// the domain. A thread finds its slot in O(1), regardless of the number of
// domains it uses.
//
// Threads: any. A thread may nest Guards of one domain. In a forked child,
// threads do not return their slots.
#pragma once

#include <cstddef>
#include <memory>

namespace tamis {

class EpochDomain {
 public:
  EpochDomain();
  // Frees every retired object. REQUIRES: every Guard has ended.
  ~EpochDomain();
  EpochDomain(const EpochDomain&) = delete;
  EpochDomain& operator=(const EpochDomain&) = delete;

  class Guard {
   public:
    // Enters the domain; a nullptr domain guards nothing. A thread's first
    // Guard in a domain allocates and may throw std::bad_alloc, and so does
    // every Guard in a thread whose thread_locals have been destroyed. Other
    // Guards do not allocate.
    explicit Guard(EpochDomain* domain);
    ~Guard() { Leave(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    // Ends the Guard early.
    void Leave();

   private:
    void* slot_;
  };

  // Calls free(object) once every reader that may have found the object has
  // left. If no reader is inside, this call frees it, unless 128 or more
  // earlier objects are still waiting. A caller within a Guard of its own
  // delays the free but is not blocked. `bytes` is the object's size, for
  // waiting_bytes(). Returns false if there is no memory to record the object,
  // which is then never freed.
  bool Retire(void* object, void (*free)(void*), size_t bytes) noexcept;
  // Frees every retired object that no reader can still use.
  void Reclaim() noexcept;
  // Returns the bytes retired but not yet freed.
  size_t waiting_bytes() const;

  // Returns the number of slots that Retire and Reclaim scan: one per live
  // thread that has entered the domain.
  size_t slots() const;
  // Returns the number of domains in which the calling thread has a slot. Slots
  // of destroyed domains are dropped lazily: at most four remain, or three per
  // live domain if that is more.
  static size_t domains_of_this_thread();

 private:
  struct State;
  // Shared with threads, which return their slots on exit even if the domain
  // has been destroyed.
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
