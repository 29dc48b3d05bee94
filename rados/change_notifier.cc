// SPDX-License-Identifier: Apache-2.0
#include "rados/change_notifier.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace tamis::rados {

namespace {

constexpr uint64_t kQuietNanos = 100'000'000;
// For answers, while fewer than kUnderWayMax notifications are under way.
constexpr uint64_t kPatienceNanos = 50'000'000;
constexpr uint32_t kUnderWayMax = 16;
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
  uint32_t under_way = 0;
  bool untold = false;  // something changed since the last one was sent
  // In nanoseconds of the clock.
  uint64_t quiet_until = 0;
  uint64_t patient_until = 0;

  // Whether to send one now, which is then under way. With the mutex.
  bool Begin() {
    const uint64_t now = clock->NowNanos();
    const bool must_wait =
        under_way >= kUnderWayMax || (under_way > 0 && now < patient_until);
    if (!untold || ended || now < quiet_until || must_wait) return false;
    untold = false;
    patient_until = now + kPatienceNanos;
    ++under_way;
    return true;
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
    if (!state_->Begin()) return;
  }
  Notify(state_);
}

// REQUIRES: state->Begin() returned true. End waits for it.
void ChangeNotifier::Notify(const std::shared_ptr<State>& state) {
  state->store->NotifyAsync(
      state->watched, [state](const StoreResult& result, size_t watches) {
        {
          const std::lock_guard lock(state->mutex);
          if (result.ok() && watches == 0) {
            state->quiet_until = state->clock->NowNanos() + kQuietNanos;
          }
          --state->under_way;
          if (!state->Begin()) {
            state->idle.notify_all();
            return;
          }
        }
        Notify(state);
      });
}

void ChangeNotifier::End() {
  std::unique_lock lock(state_->mutex);
  state_->ended = true;
  state_->idle.wait_for(lock, kEndWait,
                        [this] { return state_->under_way == 0; });
}

}  // namespace tamis::rados
