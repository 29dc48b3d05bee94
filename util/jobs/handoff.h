// SPDX-License-Identifier: Apache-2.0
//
// Work in two steps: one thread prepares pieces, and what is left to do for
// each is done in the order in which they were handed over, one at a time.
//
//   prepares     ──Push──▶ | 6 | 5 | 4 | ──▶ work(3)
//   slot 7                  as many as there are slots, round and round
//
// A job beside the pusher works as far as the runner has a thread for it. The
// pusher does a piece itself where every slot is taken and nobody is at work;
// with one slot, that is each piece, at once. What is done, and in which order,
// is the same in all cases.
//
// One thread pushes; work runs in any, never in two at once, and sees what the
// pusher did before Push. An exception out of work ends it: nothing is done any
// more, and Push and Drain throw it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "tamis/job_runner.h"

#include "util/jobs/run_parts.h"

namespace tamis {

// Where jobs run beside a thread. A small value; what it names outlives whoever
// has it.
struct Helpers {
  JobRunner* runner = nullptr;
  // How its jobs are scheduled; empty: there are none. What it is given may run
  // when the work is long over, and does nothing then.
  ScheduleJob schedule;
};

class Handoff {
 public:
  // `work` does not wait for the pusher. REQUIRES: slots > 0, and helpers where
  // there are more than one.
  Handoff(Helpers helpers, size_t slots, std::function<void(size_t slot)> work);
  // As Drop.
  ~Handoff();
  Handoff(const Handoff&) = delete;
  Handoff& operator=(const Handoff&) = delete;

  // The slot to prepare: from 0 on, round and round. It is the pusher's until
  // Push.
  size_t slot() const { return slot_; }
  // Hands the slot over. Another is free on return.
  void Push();
  // Returns when all that was handed over is done.
  void Drain();
  // Does no more than the piece that is being done, and returns when that is.
  void Drop();

 private:
  class Ring;

  const Helpers helpers_;
  const size_t slots_;
  const std::shared_ptr<Ring> ring_;
  size_t slot_ = 0;
};

}  // namespace tamis
