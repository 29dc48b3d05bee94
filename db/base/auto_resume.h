// SPDX-License-Identifier: Apache-2.0
//
// After a transient background error, a timer of the JobRunner resumes, so that
// an idle database flushes its memtables without waiting for the next write. If
// the runner has no timer, the next write resumes. The same timer looks whether
// a compaction that had no room has it now.
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
  // `resume` must not throw.
  explicit AutoResume(std::function<void()> resume);
  ~AutoResume() { Stop(); }
  AutoResume(const AutoResume&) = delete;
  AutoResume& operator=(const AutoResume&) = delete;

  // Makes a timer of the runner call resume() after `micros` microseconds,
  // unless a call is pending. Returns whether one is; false if the runner has
  // no timer.
  bool Arm(JobRunner* runner, uint64_t micros) noexcept;
  // Returns whether a call is pending or runs. Arms one at once if there is
  // none; false if that failed or the runner has no timer.
  bool EnsureArmed(JobRunner* runner) noexcept;
  // Waits for a running resume(), which is not called afterwards.
  // REQUIRES: the caller holds no lock that resume() acquires.
  void Stop();

 private:
  // Shared with the timer, which may outlive this object.
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
