// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/follower.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <unistd.h>
#include <utility>

#include "tamis/file_system.h"

#include "util/base/exceptions.h"

namespace tamis {

namespace {

constexpr std::chrono::milliseconds kPauseMax(10);

}  // namespace

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
  woken_.notify_all();
  if (thread.joinable()) thread.join();
}

Status Follower::last_look() const {
  const std::lock_guard lock(mutex_);
  return last_look_;
}

void Follower::Run() {
  const std::chrono::milliseconds period(
      context_.options.follower_refresh_catchup_period_ms);
  const std::chrono::microseconds pause =
      std::min<std::chrono::microseconds>(period / 10, kPauseMax);
  // Without, it looks once in a period.
  std::unique_ptr<DirectoryWatch> watch;
  IgnoreExceptions([&] {
    context_.fs()
        ->WatchDirectory(
            context_.directory, [this] { Wake(); }, &watch)
        .PermitUncheckedError();
  });
  std::unique_lock lock(mutex_);
  for (;;) {
    woken_.wait_for(lock, pause, [this] { return stop_; });
    woken_.wait_for(lock, period - pause, [this] { return stop_ || changed_; });
    if (stop_) break;
    changed_ = false;
    lock.unlock();
    IgnoreExceptions([this] { Look(); });
    if (watch != nullptr) watch->Seen();
    lock.lock();
  }
  lock.unlock();  // the end of the watch may wait for Wake
}

void Follower::Wake() {
  {
    const std::lock_guard lock(mutex_);
    changed_ = true;
  }
  woken_.notify_all();
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
