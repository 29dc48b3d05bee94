// SPDX-License-Identifier: Apache-2.0
//
// DeferredTasks run tasks beside the thread that adds them. Any thread that has
// time runs the next one: a helper job, a thread that would otherwise wait, or
// the thread that needs the results:
//
//   adder    ──Add──▶ | 4 | 3 | ──▶ RunOne in any thread
//   results  ◀── WaitForAll, which runs what no thread has begun
//
// Nothing waits for a thread to become free. Without helpers, Add runs each
// task itself.
//
// Threads: one thread at a time adds, waits and drops; any thread calls RunOne.
// Tasks run concurrently, never wait for the adder, and see everything that it
// did before Add; after WaitForAll, it sees what they did. After a task throws,
// tasks not yet begun are discarded, and Add and WaitForAll rethrow.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "util/jobs/helpers.h"

namespace tamis {

class DeferredTasks {
 public:
  // At most waiting_max tasks wait, so that what they hold is bounded.
  DeferredTasks(Helpers helpers, size_t waiting_max);
  // Calls Drop().
  ~DeferredTasks();
  DeferredTasks(const DeferredTasks&) = delete;
  DeferredTasks& operator=(const DeferredTasks&) = delete;

  // Adds a task. If too many wait, runs the oldest.
  void Add(std::function<void()> task);
  // Runs the oldest task that no thread has begun. Returns false if there is
  // none.
  bool RunOne() noexcept;
  // Returns once every task has run. Runs those that no thread has begun.
  void WaitForAll();
  // Discards tasks not yet begun, and waits for those that run.
  void Drop() noexcept;

 private:
  class Queue;

  const Helpers helpers_;
  const size_t waiting_max_;
  const std::shared_ptr<Queue> queue_;
};

}  // namespace tamis
