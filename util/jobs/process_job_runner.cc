// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/process_job_runner.h"

#include <atomic>

#include "util/base/mutex.h"
#include "util/base/process.h"
#include "util/jobs/thread_job_runner.h"

namespace tamis {

namespace {

// Of one process, never destroyed.
struct Shared {
  const OwnerProcess owner;
  Mutex mutex;
  std::weak_ptr<ThreadJobRunner> runner GUARDED_BY(mutex);
};

// In a forked child, that of the parent is left as it is: another thread may
// have held its mutex. Threads that race here all use the same one.
Shared* OfThisProcess() {
  static constinit std::atomic<Shared*> kept{nullptr};
  Shared* shared = kept.load(std::memory_order_acquire);
  while (shared == nullptr || !shared->owner.IsCurrent()) {
    auto made = std::make_unique<Shared>();
    if (kept.compare_exchange_strong(shared, made.get(),
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      if (shared != nullptr) IgnoreLeakOf(shared);
      shared = made.release();
    }
  }
  return shared;
}

}  // namespace

std::shared_ptr<JobRunner> ProcessJobRunner(size_t high_threads,
                                            size_t low_threads) {
  Shared* const shared = OfThisProcess();
  MutexLock lock(&shared->mutex);
  std::shared_ptr<ThreadJobRunner> runner = shared->runner.lock();
  if (runner != nullptr) {
    runner->AllowThreads(high_threads, low_threads);
  } else {
    runner = MakeSharedInProcess<ThreadJobRunner>(high_threads, low_threads);
    shared->runner = runner;
  }
  return runner;
}

}  // namespace tamis
