// SPDX-License-Identifier: Apache-2.0
#include "rados/change_notifier.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace tamis::rados {

namespace {

constexpr uint64_t kQuietNanos = 100'000'000;
// Longer than a notification that the cluster has received.
constexpr std::chrono::seconds kEndWait(2);

}  // namespace

struct ChangeNotifier::State {
  State(ObjectStore* to, Clock* by, ObjectName object)
      : store(to), clock(by), watched(std::move(object)) {}

  ObjectStore* const store;
  Clock* const clock;
  const ObjectName watched;

  std::mutex mutex;
  std::condition_variable idle;
  bool ended = false;
  bool under_way = false;
  bool untold = false;       // something changed since the last one was sent
  uint64_t quiet_until = 0;  // in nanoseconds of the clock

  // With the mutex.
  bool MayTell() const {
    return untold && !ended && clock->NowNanos() >= quiet_until;
  }
};

ChangeNotifier::ChangeNotifier(ObjectStore* store, Clock* clock,
                               ObjectName watched)
    : state_(std::make_shared<State>(store, clock, std::move(watched))) {}

ChangeNotifier::~ChangeNotifier() = default;

void ChangeNotifier::Changed() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->untold = true;
  }
  Tick();
}

void ChangeNotifier::Tick() {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->under_way || !state_->MayTell()) return;
    state_->untold = false;
    state_->under_way = true;
  }
  Notify(state_);
}

// REQUIRES: state->under_way, for which End waits.
void ChangeNotifier::Notify(const std::shared_ptr<State>& state) {
  state->store->NotifyAsync(
      state->watched, [state](const StoreResult& result, size_t watches) {
        {
          const std::lock_guard lock(state->mutex);
          if (result.ok() && watches == 0) {
            state->quiet_until = state->clock->NowNanos() + kQuietNanos;
          }
          if (!state->MayTell()) {
            state->under_way = false;
            state->idle.notify_all();
            return;
          }
          state->untold = false;
        }
        Notify(state);
      });
}

void ChangeNotifier::End() {
  std::unique_lock lock(state_->mutex);
  state_->ended = true;
  state_->idle.wait_for(lock, kEndWait, [this] { return !state_->under_way; });
}

}  // namespace tamis::rados
