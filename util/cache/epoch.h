// SPDX-License-Identifier: Apache-2.0
//
// An EpochDomain is epoch-based reclamation: readers use objects that writers
// remove, without a reference count or a lock on the reader's side.
//
//   reader                          writer
//   Guard guard(&domain);           unlink the object, so that nobody finds it
//   find the object, use it         domain.Retire(object, free)
//   ~Guard                            ... freed after every Guard that existed
//                                     at the Retire has ended
//
// Entering costs one seq_cst exchange on a cache line of the thread's own.
// Later calls of Retire and Reclaim free retired objects; there is no thread
// for it.
//
// Readers load the pointers that lead to an object with seq_cst, and the writer
// unlinks it by a seq_cst store. Then the reader sees that the object is gone,
// or the writer sees the reader.
//
// Retire and Reclaim take time linear in the live threads that have entered the
// domain. A thread finds its slot in a domain in O(1), however many domains it
// uses.
//
// Threads: any. Guards of one thread and domain may nest. In a forked process a
// thread that ends does not give its slots back.
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
    // A nullptr domain guards nothing. A thread's first Guard in a domain
    // allocates, and may throw std::bad_alloc; so does every Guard in a thread
    // whose thread_locals are destroyed. No other Guard allocates.
    explicit Guard(EpochDomain* domain);
    ~Guard() { Leave(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    // Ends the Guard before its destructor does.
    void Leave();

   private:
    void* slot_;
  };

  // Calls free(object) once every reader that may have found it has left. With
  // no reader inside, this call frees it, unless 128 or more objects that were
  // retired earlier are not freed yet. A caller that is inside a Guard itself
  // delays the free, not this call. `bytes` is the object's size,
  // for waiting_bytes(). False: there is no memory to remember the object,
  // which is never freed.
  bool Retire(void* object, void (*free)(void*), size_t bytes) noexcept;
  // Frees every retired object that no reader can still use.
  void Reclaim() noexcept;
  // Bytes that were retired and are not freed yet.
  size_t waiting_bytes() const;

  // Slots that Retire and Reclaim scan: one for each live thread that has
  // entered the domain.
  size_t slots() const;
  // Domains in which the calling thread keeps a slot. Slots of destroyed
  // domains are dropped late: at most four of them remain, or three for each
  // live domain if that is more.
  static size_t domains_of_this_thread();

 private:
  struct State;
  // Shared with threads: one that ends gives its slot back even when the domain
  // is already destroyed.
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
