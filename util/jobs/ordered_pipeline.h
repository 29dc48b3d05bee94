// SPDX-License-Identifier: Apache-2.0
//
// An OrderedPipeline has two stages. One thread, the pusher, prepares items,
// and work() processes them one at a time, in the order they were pushed.
//
//   prepares     ──Push──▶ | 6 | 5 | 4 | ──▶ work(3)
//   slot 7                  a ring of `slots` slots
//
// A helper job processes items concurrently with the pusher if the runner has a
// free thread. When all slots are full and no helper is running, the pusher
// processes an item itself in Push; with one slot, it processes every item so.
// Before it waits for a helper, it does other work, if it has some. The order
// of items is the same in all cases.
//
// Threads: one thread pushes. work() may run in any thread, never in two at
// once, and sees everything the pusher did before Push. After work() throws, no
// further items are processed, and Push and Drain rethrow.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "util/jobs/helpers.h"

namespace tamis {

class OrderedPipeline {
 public:
  // other_work() does a piece of work that takes less than a millisecond or so,
  // and returns whether there was one; it must not throw. May be empty.
  // REQUIRES: slots > 0; helpers.schedule if slots > 1; work() and other_work()
  // never wait for the pusher.
  OrderedPipeline(Helpers helpers, size_t slots,
                  std::function<void(size_t slot)> work,
                  std::function<bool()> other_work = nullptr);
  // Calls Drop().
  ~OrderedPipeline();
  OrderedPipeline(const OrderedPipeline&) = delete;
  OrderedPipeline& operator=(const OrderedPipeline&) = delete;

  // Returns the slot to prepare next, round-robin from 0. The pusher owns the
  // slot until Push.
  size_t slot() const { return slot_; }
  // Submits slot(). Returns once the next slot is free.
  void Push();
  // Returns once every submitted item has been processed. Without a helper, the
  // pusher processes the items.
  void Drain();
  // Discards items not yet started, and waits for the one being processed.
  void Drop();

 private:
  class Ring;

  const Helpers helpers_;
  const size_t slots_;
  const std::shared_ptr<Ring> ring_;
  size_t slot_ = 0;
};

}  // namespace tamis
