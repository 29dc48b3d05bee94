// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/process_job_runner.h"

#include "util/base/mutex.h"
#include "util/base/per_process.h"
#include "util/jobs/thread_job_runner.h"

namespace tamis {

namespace {

struct Shared {
  Mutex mutex;
  std::weak_ptr<ThreadJobRunner> runner GUARDED_BY(mutex);
};

}  // namespace

std::shared_ptr<JobRunner> ProcessJobRunner(size_t high_threads,
                                            size_t low_threads) {
  Shared* const shared = PerProcess<Shared>();
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
