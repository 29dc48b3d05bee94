// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/follower.h"

#include <chrono>
#include <unistd.h>
#include <utility>

#include "util/base/exceptions.h"

namespace tamis {

Follower::Follower(const DBContext& context, PrimaryTail* primary)
    : context_(context),
      primary_(*primary),
      process_(::getpid()),
      thread_([this] { Run(); }) {}

void Follower::Stop() noexcept {
  if (process_ != ::getpid()) {
    if (thread_.joinable()) thread_.detach();
    return;
  }
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    thread.swap(thread_);  // of several calls, one joins it
  }
  stopped_.notify_all();
  if (thread.joinable()) thread.join();
}

Status Follower::last_look() const {
  const std::lock_guard lock(mutex_);
  return last_look_;
}

void Follower::Run() {
  const std::chrono::milliseconds period(
      context_.options.follower_refresh_catchup_period_ms);
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, period, [this] { return stop_; })) {
    lock.unlock();
    IgnoreExceptions([this] { Look(); });
    lock.lock();
  }
}

// LOG has the first of several looks that fail alike.
void Follower::Look() {
  const Status status = CatchExceptions([this] { return primary_.CatchUp(); });
  Status before = status;
  {
    const std::lock_guard lock(mutex_);
    std::swap(before, last_look_);
  }
  if (before == status) return;
  context_.event_log->Event("follow").Add("status", status);
}

}  // namespace tamis
