// SPDX-License-Identifier: Apache-2.0
//
// After a background error that may pass, a timer of the JobRunner tries to
// resume, so that an idle database gets its memtables to disk without waiting
// for the next write. A runner that keeps no time leaves it to that write.
//
//   error is set ──▶ Arm ── interval ──▶ resume() ──▶ (error again) ──▶ Arm
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tamis/job_runner.h"

namespace tamis {

// Any thread.
class AutoResume {
 public:
  // `resume` throws nothing.
  explicit AutoResume(std::function<void()> resume);
  ~AutoResume() { Stop(); }
  AutoResume(const AutoResume&) = delete;
  AutoResume& operator=(const AutoResume&) = delete;

  // Calls resume() in a job after `micros` microseconds. Does nothing while a
  // call is pending.
  void Arm(JobRunner* runner, uint64_t micros) noexcept;
  // Waits for a running resume(). It is not called afterwards.
  // REQUIRES: no lock is held that resume() takes.
  void Stop();

 private:
  // Shared with the timer, which may come when all is long over.
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
