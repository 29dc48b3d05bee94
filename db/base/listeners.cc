// SPDX-License-Identifier: Apache-2.0
#include "db/base/listeners.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "util/base/exceptions.h"
#include "util/base/mutex.h"
#include "util/jobs/own_jobs.h"

namespace tamis {

class Listeners::State : public std::enable_shared_from_this<State> {
 public:
  State(const DBOptions& options, EventLog* log)
      : listeners_(options.listeners),
        runner_(options.job_runner.get()),
        log_(*log) {}

  void Post(Call call) EXCLUDES(mutex_) {
    {
      MutexLock lock(&mutex_);
      if (ended_) return;
      queue_.push_back(std::move(call));
      ++posted_;
      if (!begun_ || scheduled_ || delivering_) return;
      scheduled_ = true;
    }
    Schedule();
  }

  void Begin(DB* db) EXCLUDES(mutex_) {
    {
      MutexLock lock(&mutex_);
      db_ = db;
      begun_ = true;
      if (queue_.empty()) return;
      scheduled_ = true;
    }
    Schedule();
  }

  void DeliverPosted() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    const uint64_t last = posted_;
    while (begun_ && delivered_ < last &&
           deliverer_ != std::this_thread::get_id()) {
      if (!delivering_) {
        DeliverUpTo(last);
        continue;
      }
      mutex_.Wait(runner_, progress_, [this, last] {
        mutex_.AssertHeld();
        return !delivering_ || delivered_ >= last;
      });
    }
    if (queue_.empty() || !begun_ || scheduled_ || delivering_) return;
    scheduled_ = true;
    MutexUnlock unlock(&mutex_);
    Schedule();
  }

  void End() EXCLUDES(mutex_) {
    DeliverPosted();
    MutexLock lock(&mutex_);
    ended_ = true;
    queue_.clear();
    if (deliverer_ == std::this_thread::get_id()) return;
    mutex_.Wait(runner_, progress_, [this] {
      mutex_.AssertHeld();
      return !delivering_;
    });
  }

  void CallAll(const Call& call, DB* db) {
    for (const std::shared_ptr<EventListener>& listener : listeners_) {
      const Status status = CatchExceptions([&] {
        call(listener.get(), db);
        return Status::OK();
      });
      if (status.ok()) continue;
      log_.Event("listener_exception")
          .Add("listener", Slice(NameOf(*listener)))
          .Add("status", status);
    }
  }

 private:
  static std::string NameOf(const EventListener& listener) {
    std::string name;
    IgnoreExceptions([&] { name = listener.Name(); });
    return name;
  }

  void Schedule() EXCLUDES(mutex_) {
    const Status status = CatchExceptions([this] {
      runner_->Schedule(JobPriority::kHigh, [state = shared_from_this()] {
        const PoolScope pool(JobPriority::kHigh);
        state->Deliver();
      });
      return Status::OK();
    });
    if (status.ok()) return;
    // A later Post tries again.
    MutexLock lock(&mutex_);
    scheduled_ = false;
  }

  void Deliver() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    scheduled_ = false;
    // Otherwise another thread delivers what was posted meanwhile.
    if (delivering_ || !begun_) return;
    DeliverUpTo(std::numeric_limits<uint64_t>::max());
  }

  // Delivers events until `last` of them were delivered in all, or none is
  // left.
  void DeliverUpTo(uint64_t last) REQUIRES(mutex_) {
    delivering_ = true;
    deliverer_ = std::this_thread::get_id();
    while (!queue_.empty() && delivered_ < last) {
      const Call call = std::move(queue_.front());
      queue_.pop_front();
      DB* const db = db_;
      {
        MutexUnlock unlock(&mutex_);
        CallAll(call, db);
      }
      ++delivered_;
      progress_.notify_all();
    }
    delivering_ = false;
    deliverer_ = std::thread::id();
    progress_.notify_all();
  }

  const std::vector<std::shared_ptr<EventListener>> listeners_;
  JobRunner* const runner_;  // the database's: a job must not destroy it
  EventLog& log_;            // used only while events are delivered

  Mutex mutex_;
  CondVar progress_;  // an event was delivered, or a thread ended delivering
  std::deque<Call> queue_ GUARDED_BY(mutex_);
  uint64_t posted_ GUARDED_BY(mutex_) = 0;
  uint64_t delivered_ GUARDED_BY(mutex_) = 0;
  bool scheduled_ GUARDED_BY(mutex_) = false;   // a job that has not begun
  bool delivering_ GUARDED_BY(mutex_) = false;  // by the thread deliverer_
  std::thread::id deliverer_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
  bool begun_ GUARDED_BY(mutex_) = false;
  DB* db_ GUARDED_BY(mutex_) = nullptr;  // may be nullptr after Begin, too
};

Listeners::Listeners(const DBOptions& options, EventLog* log)
    : state_(std::make_shared<State>(options, log)) {}

Listeners::~Listeners() { End(); }

void Listeners::PostCall(Call call) { state_->Post(std::move(call)); }

void Listeners::CallNow(const Call& call) noexcept {
  IgnoreExceptions([&] { state_->CallAll(call, nullptr); });
}

void Listeners::Begin(DB* db) noexcept {
  IgnoreExceptions([&] { state_->Begin(db); });
}

void Listeners::DeliverPosted() noexcept {
  IgnoreExceptions([&] { state_->DeliverPosted(); });
}

void Listeners::End() noexcept {
  IgnoreExceptions([&] { state_->End(); });
}

}  // namespace tamis
