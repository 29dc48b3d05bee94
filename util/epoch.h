// SPDX-License-Identifier: Apache-2.0
//
// An EpochDomain lets readers look at objects that others take away, without
// a count and without a lock on the reader's side:
//
//   reader                          who takes away
//   Guard guard(&domain);           unlink the object, so that nobody finds it
//   find it, look at it             domain.Retire(object, free)
//   ~Guard                            ... freed when every Guard that was there
//                                     at the Retire is gone
//
// To enter costs one seq_cst exchange on a cache line of the thread's own. What
// waits is freed by later calls of Retire and Reclaim, not by a thread.
//
// Whoever looks for an object loads what leads to it with seq_cst, and who
// takes it away stores so: then one of the two sees the other.
//
// Retire and Reclaim cost as much as there are live threads that have entered
// the domain. A thread finds its place in a domain in O(1), however many
// domains it uses.
//
// Any thread. Guards of one thread and domain may nest. In a forked process a
// thread that ends leaves its slots as they are.
#pragma once

#include <cstddef>
#include <memory>

namespace tamis {

class EpochDomain {
 public:
  EpochDomain();
  // REQUIRES: no Guard is left. Frees all that waits.
  ~EpochDomain();
  EpochDomain(const EpochDomain&) = delete;
  EpochDomain& operator=(const EpochDomain&) = delete;

  class Guard {
   public:
    // nullptr: nothing is guarded. Allocates, and may throw std::bad_alloc,
    // the first time that a thread enters the domain, and each time in a thread
    // whose thread_locals are destroyed. No other Guard allocates.
    explicit Guard(EpochDomain* domain);
    ~Guard() { Leave(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    // Before its end.
    void Leave();

   private:
    void* slot_;
  };

  // Calls free(object) when nobody who may have found it is inside any more;
  // at once, before it returns, when nobody is inside at all. `bytes`: what it
  // takes, for waiting_bytes(). The caller may be inside: then it waits.
  // False: there is no memory to remember the object, which is never freed.
  bool Retire(void* object, void (*free)(void*), size_t bytes) noexcept;
  // Frees what no longer has to wait.
  void Reclaim() noexcept;
  // Of what was retired and is not freed yet.
  size_t waiting_bytes() const;

  // Slots that Retire and Reclaim look at: one for each live thread that has
  // entered.
  size_t slots() const;
  // Domains that the calling thread keeps a slot of. Destroyed ones are among
  // them for a while: at most four, or three for each that is left.
  static size_t domains_of_this_thread();

 private:
  struct State;
  // Threads that end give their slots back, even after the domain.
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
