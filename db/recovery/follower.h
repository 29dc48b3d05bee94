// SPDX-License-Identifier: Apache-2.0
//
// A Follower has a PrimaryTail look again and again, on a thread of its own: a
// primary may be far away, and its device or cluster may not answer for long.
// Jobs and timers of other databases do not wait for that.
//
//   look ── period ── look ── period ── ...     Stop: after the present look
//
// Where the file system tells of changes, it looks as soon as there is one, but
// not twice in 10 ms, or in a tenth of a shorter period.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tamis/status.h"

#include "db/base/db_context.h"
#include "db/recovery/primary_tail.h"

namespace tamis {

class Follower {
 public:
  // `context` and `primary` must outlive *this. The thread begins with a pause.
  // Throws std::system_error if there is no thread to be had.
  Follower(const DBContext& context, PrimaryTail* primary);
  ~Follower() { Stop(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Waits for a look that is under way; there is none afterwards. Any thread.
  void Stop() noexcept;
  // What the last look returned.
  Status last_look() const;

 private:
  void Run();
  void Look();
  void Wake();

  const DBContext& context_;
  PrimaryTail& primary_;
  const int process_;  // a forked child has no such thread

  mutable std::mutex mutex_;  // not held during a look
  std::condition_variable woken_;
  bool stop_ = false;
  bool changed_ = false;  // since the last look began
  Status last_look_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tamis
