// SPDX-License-Identifier: Apache-2.0
//
// The generic rate limiter grants one burst of bytes each period:
//
//   now ──────────┬──────────────┬──────────────┬─────▶
//            refill: burst   refill: burst   refill
//
// Bytes that nobody takes in a period are lost. A request that finds too few
// waits in the queue of its priority. One of the waiting threads sleeps until
// the next refill, grants to the queues, and hands that task to another.
#include "tamis/rate_limiter.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "util/base/check.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

constexpr int64_t kRefillsPerTuning = 100;
// The lowest rate of an auto-tuned limiter, and the step of a change, as parts
// of its limit and its rate.
constexpr int64_t kLowestPart = 20;
constexpr int64_t kStepPart = 20;

class GenericRateLimiter final : public RateLimiter {
 public:
  GenericRateLimiter(int64_t rate, int64_t period, int32_t fairness, Mode mode,
                     bool auto_tuned, std::shared_ptr<Clock> clock)
      : RateLimiter(mode),
        period_(std::max<int64_t>(period, 1)),
        fairness_(std::clamp(fairness, 1, 100)),
        auto_tuned_(auto_tuned),
        clock_(std::move(clock)),
        limit_(std::max<int64_t>(rate, 1)) {
    SetRate(auto_tuned_ ? std::max<int64_t>(limit_ / 2, 1) : limit_);
    available_ = burst_;
    next_refill_ = Now() + period_;
    tuned_at_ = Now();
  }

  void SetBytesPerSecond(int64_t bytes_per_second) override {
    const std::lock_guard lock(mutex_);
    limit_ = std::max<int64_t>(bytes_per_second, 1);
    SetRate(limit_);
  }
  int64_t GetBytesPerSecond() const override {
    const std::lock_guard lock(mutex_);
    return rate_;
  }
  int64_t GetSingleBurstBytes() const override {
    const std::lock_guard lock(mutex_);
    return burst_;
  }

  using RateLimiter::Request;
  void Request(int64_t bytes, IOPriority priority,
               Statistics* statistics) override {
    TAMIS_CHECK(priority < IO_TOTAL);
    std::unique_lock lock(mutex_);
    ++requests_[priority];
    while (bytes > 0) {
      const int64_t part = std::min(bytes, burst_);
      Acquire(part, priority, statistics, &lock);
      bytes_[priority] += part;
      bytes -= part;
    }
  }

  int64_t GetTotalBytesThrough(IOPriority priority) const override {
    return Sum(bytes_, priority);
  }
  int64_t GetTotalRequests(IOPriority priority) const override {
    return Sum(requests_, priority);
  }
  Status GetTotalPendingRequests(int64_t* requests,
                                 IOPriority priority) const override {
    std::array<int64_t, IO_TOTAL> waiting{};
    {
      const std::lock_guard lock(mutex_);
      for (size_t i = 0; i < IO_TOTAL; ++i) {
        waiting[i] = static_cast<int64_t>(queues_[i].size());
      }
    }
    *requests = Sum(waiting, priority);
    return Status::OK();
  }

 private:
  // A request that waits, on the stack of its thread.
  struct Waiter {
    int64_t left;
    bool granted = false;
    std::condition_variable changed;
  };
  using Lock = std::unique_lock<std::mutex>;

  // In microseconds.
  int64_t Now() const {
    return static_cast<int64_t>(clock_->NowNanos() / 1000);
  }
  int64_t Sum(const std::array<int64_t, IO_TOTAL>& values,
              IOPriority priority) const {
    const std::lock_guard lock(mutex_);
    if (priority < IO_TOTAL) return values[priority];
    int64_t sum = 0;
    for (const int64_t value : values) sum += value;
    return sum;
  }
  // The functions below REQUIRE that the mutex is held.
  void SetRate(int64_t rate) {
    rate_ = rate;
    burst_ = static_cast<int64_t>(static_cast<double>(rate) *
                                  static_cast<double>(period_) / 1e6);
    burst_ = std::max<int64_t>(burst_, 1);
  }
  bool NobodyWaits() const {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const auto& queue) { return queue.empty(); });
  }

  void Acquire(int64_t bytes, IOPriority priority, Statistics* statistics,
               Lock* lock) {
    if (NobodyWaits()) {
      if (Now() >= next_refill_) Refill();
      if (available_ >= bytes) {
        available_ -= bytes;
        return;
      }
    }
    RecordTick(statistics, NUMBER_RATE_LIMITER_DRAINS);
    Waiter waiter{.left = bytes, .granted = false, .changed = {}};
    queues_[priority].push_back(&waiter);
    while (!waiter.granted) {
      if (refilling_) {
        waiter.changed.wait(*lock,
                            [&] { return waiter.granted || !refilling_; });
      } else {
        WaitAndRefill(lock);
      }
    }
    if (!refilling_) WakeNextRefiller();
  }

  void WaitAndRefill(Lock* lock) {
    const int64_t now = Now();
    if (now < next_refill_) {
      const auto micros = static_cast<uint64_t>(next_refill_ - now);
      refilling_ = true;
      lock->unlock();
      clock_->SleepForMicroseconds(micros);
      lock->lock();
      refilling_ = false;
    }
    Refill();
  }

  void WakeNextRefiller() {
    for (const auto& queue : queues_) {
      if (queue.empty()) continue;
      queue.front()->changed.notify_one();
      return;
    }
  }

  void Refill() {
    const int64_t now = Now();
    next_refill_ = now + period_;
    available_ = burst_;
    ++refills_;
    Grant(IO_USER);
    if (refills_ % fairness_ == 0) {
      for (const IOPriority priority : {IO_LOW, IO_MID, IO_HIGH}) {
        Grant(priority);
      }
    } else {
      for (const IOPriority priority : {IO_HIGH, IO_MID, IO_LOW}) {
        Grant(priority);
      }
    }
    if (!auto_tuned_) return;
    if (available_ == 0) ++drained_;
    if (now - tuned_at_ >= kRefillsPerTuning * period_) Tune(now);
  }

  // A large request takes what there is, and the rest of it at later refills.
  void Grant(IOPriority priority) {
    auto& queue = queues_[priority];
    while (!queue.empty() && available_ > 0) {
      Waiter* const first = queue.front();
      const int64_t bytes = std::min(first->left, available_);
      first->left -= bytes;
      available_ -= bytes;
      if (first->left > 0) return;
      queue.pop_front();
      first->granted = true;
      first->changed.notify_one();
    }
  }

  void Tune(int64_t now) {
    const int64_t periods = (now - tuned_at_) / period_;
    const int64_t percent = drained_ * 100 / periods;
    const int64_t step = std::max<int64_t>(rate_ / kStepPart, 1);
    if (percent >= 90) {
      SetRate(std::min(rate_ + step, limit_));
    } else if (percent < 50) {
      const int64_t lowest = std::max<int64_t>(limit_ / kLowestPart, 1);
      SetRate(std::max(rate_ - step, lowest));
    }
    tuned_at_ = now;
    drained_ = 0;
  }

  const int64_t period_;
  const int64_t fairness_;
  const bool auto_tuned_;
  const std::shared_ptr<Clock> clock_;

  mutable std::mutex mutex_;  // guards all below
  int64_t limit_;             // of the rate
  int64_t rate_ = 0;
  int64_t burst_ = 0;      // bytes of a refill
  int64_t available_ = 0;  // bytes that are left of the last one
  int64_t next_refill_ = 0;
  int64_t refills_ = 0;
  bool refilling_ = false;  // a thread sleeps until next_refill_
  std::array<std::deque<Waiter*>, IO_TOTAL> queues_;
  std::array<int64_t, IO_TOTAL> bytes_{};
  std::array<int64_t, IO_TOTAL> requests_{};
  int64_t tuned_at_ = 0;
  int64_t drained_ = 0;  // refills since then that were used up
};

}  // namespace

RateLimiter::~RateLimiter() = default;

RateLimiter* NewGenericRateLimiter(int64_t rate_bytes_per_sec,
                                   int64_t refill_period_us, int32_t fairness,
                                   RateLimiter::Mode mode, bool auto_tuned,
                                   std::shared_ptr<Clock> clock) {
  return new GenericRateLimiter(rate_bytes_per_sec, refill_period_us, fairness,
                                mode, auto_tuned, std::move(clock));
}

RateLimiter* NewGenericRateLimiter(int64_t rate_bytes_per_sec,
                                   int64_t refill_period_us, int32_t fairness,
                                   RateLimiter::Mode mode, bool auto_tuned) {
  return NewGenericRateLimiter(rate_bytes_per_sec, refill_period_us, fairness,
                               mode, auto_tuned, NewSystemClock());
}

}  // namespace tamis
