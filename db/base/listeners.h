// SPDX-License-Identifier: Apache-2.0
//
// The listeners of a database, and the events that they have not been told yet.
// Events are posted wherever they occur, also under the database's mutex, and
// delivered one at a time by a job of the JobRunner:
//
//   Post ──▶ queue ──▶ a job, without locks ──▶ each listener
//
// Any thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "tamis/job_runner.h"
#include "tamis/listener.h"
#include "tamis/options.h"

#include "db/base/event_log.h"
#include "util/base/exceptions.h"

namespace tamis {

class Listeners {
 public:
  using Call = std::function<void(EventListener*, DB*)>;

  // `log` must outlive *this.
  Listeners(const DBOptions& options, EventLog* log);
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  // Adds an event. If memory or threads are short, the event is lost or
  // delivered late.
  template <typename Function>
  void Post(Function&& call) noexcept {
    IgnoreExceptions([&] { PostCall(Call(std::forward<Function>(call))); });
  }
  // Makes the call now, in this thread. REQUIRES: the thread holds no lock.
  void CallNow(const Call& call) noexcept;

  // Starts the delivery of events, of earlier ones too. Without it, they are
  // dropped. `db` must live until End returns; nullptr: there is no event of a
  // database, as in a worker.
  void Begin(DB* db) noexcept;
  // Returns when the events that were posted before it are delivered; this
  // thread may deliver them. Does not wait if a listener calls it. REQUIRES:
  // the thread holds no lock.
  void DeliverPosted() noexcept;
  // Delivers what is left, waits for the calls of other threads and drops later
  // events. Does not wait if a listener calls it. REQUIRES: the thread holds no
  // lock.
  void End() noexcept;

 private:
  void PostCall(Call call);

  // Shared with the job, which may outlive *this.
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
