// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/own_jobs.h"

#include "util/stats/perf_counters.h"

namespace tamis {

// The numbers of RocksDB's Env::Priority.
PoolScope::PoolScope(JobPriority priority) noexcept
    : before_(tls_iostats_context.thread_pool_id) {
  tls_iostats_context.thread_pool_id = priority == JobPriority::kHigh ? 2 : 1;
}

PoolScope::~PoolScope() { tls_iostats_context.thread_pool_id = before_; }

void OwnJobs::Job::RunOnce() {
  const PoolScope pool(priority);
  std::exchange(run, nullptr)();
}

bool OwnJobs::Schedule(JobRunner* runner, JobPriority priority,
                       std::function<void()> job) {
  const auto made = std::make_shared<Job>(priority, std::move(job));
  {
    MutexLock lock(&mutex_);
    if (ended_) return false;
    listed_.push_back(made);
  }
  try {
    runner->Schedule(priority, [this, made] {
      if (!made->Take()) return;
      Unlist(made);
      made->RunOnce();
    });
  } catch (...) {
    // RunWaiting may have run it, which is as good.
    if (!made->Take()) return true;
    Unlist(made);
    throw;
  }
  return true;
}

void OwnJobs::Unlist(const JobPtr& job) {
  MutexLock lock(&mutex_);
  std::erase(listed_, job);
}

void OwnJobs::RunWaiting() {
  std::vector<JobPtr> listed;
  {
    MutexLock lock(&mutex_);
    listed.swap(listed_);
  }
  for (const JobPtr& job : listed) {
    if (job->Take()) job->RunOnce();
  }
}

void OwnJobs::End() {
  {
    MutexLock lock(&mutex_);
    ended_ = true;
  }
  RunWaiting();
}

}  // namespace tamis
