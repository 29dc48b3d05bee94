// SPDX-License-Identifier: Apache-2.0
//
// Env's calls. Its threads belong to the process (per_process.h), and are never
// joined at the end of it.
#include "tamis/env.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <thread>
#include <utility>

#include "tamis/clock.h"
#include "tamis/job_runner.h"
#include "tamis/thread_status.h"

#include "util/base/immortal.h"
#include "util/base/mutex.h"
#include "util/base/per_process.h"
#include "util/jobs/thread_priority.h"

namespace tamis {

namespace {

// A call of Schedule that has not begun.
struct ScheduledCall {
  void (*function)(void* arg);
  void* arg;
  void* tag;
  void (*unschedule_function)(void* arg);
};

class CallPool {
 public:
  explicit CallPool(JobPriority priority) : priority_(priority) {}

  void Schedule(const ScheduledCall& call) {
    MutexLock lock(&mutex_);
    if (runner_ == nullptr) {
      const auto threads = static_cast<size_t>(threads_);
      runner_ = NewThreadJobRunner(threads, threads);
    }
    const auto place = calls_.insert(calls_.end(), call);
    try {
      // It runs the oldest call, if one is left.
      runner_->Schedule(priority_, [this] { RunOne(); });
    } catch (...) {
      calls_.erase(place);
      throw;
    }
  }
  int UnSchedule(void* tag) {
    std::list<ScheduledCall> dropped;
    {
      MutexLock lock(&mutex_);
      for (auto call = calls_.begin(); call != calls_.end();) {
        const auto next = std::next(call);
        if (call->tag == tag) dropped.splice(dropped.end(), calls_, call);
        call = next;
      }
    }
    for (const ScheduledCall& call : dropped) {
      if (call.unschedule_function != nullptr) {
        call.unschedule_function(call.arg);
      }
    }
    return static_cast<int>(dropped.size());
  }
  unsigned waiting() {
    MutexLock lock(&mutex_);
    return static_cast<unsigned>(calls_.size());
  }
  void SetThreads(int threads, bool only_more) {
    MutexLock lock(&mutex_);
    threads = std::max(threads, 1);
    if (threads == threads_ || (only_more && threads < threads_)) return;
    threads_ = threads;
    // Its jobs run, and its threads wait for ever: it is never destroyed.
    if (runner_ != nullptr) retired_.push_back(std::move(runner_));
  }
  int threads() {
    MutexLock lock(&mutex_);
    return threads_;
  }

 private:
  void RunOne() {
    ScheduledCall call;
    {
      MutexLock lock(&mutex_);
      if (calls_.empty()) return;
      call = calls_.front();
      calls_.pop_front();
    }
    call.function(call.arg);
  }

  const JobPriority priority_;
  Mutex mutex_;
  std::list<ScheduledCall> calls_ GUARDED_BY(mutex_);
  int threads_ GUARDED_BY(mutex_) = 1;
  std::shared_ptr<JobRunner> runner_ GUARDED_BY(mutex_);  // from first use on
  std::vector<std::shared_ptr<JobRunner>> retired_ GUARDED_BY(mutex_);
};

struct EnvThreads {
  CallPool low{JobPriority::kLow};
  CallPool high{JobPriority::kHigh};
  Mutex mutex;
  std::vector<std::thread> started GUARDED_BY(mutex);
};

JobPriority JobsOf(Env::Priority pool) {
  return pool == Env::HIGH ? JobPriority::kHigh : JobPriority::kLow;
}

CallPool* PoolOf(Env::Priority pool) {
  auto* const threads = PerProcess<EnvThreads>();
  return JobsOf(pool) == JobPriority::kHigh ? &threads->high : &threads->low;
}

}  // namespace

Env::Env(std::shared_ptr<FileSystem> file_system)
    : file_system_(std::move(file_system)) {}

Env::~Env() = default;

Env* Env::Default() {
  struct Made {
    Env env{NewPosixFileSystem()};
  };
  return &Immortal<Made>()->env;
}

std::unique_ptr<Env> NewCompositeEnv(
    const std::shared_ptr<FileSystem>& file_system) {
  return std::make_unique<Env>(file_system);
}

Env* NewMemEnv(Env* /*base_env*/) { return new Env(NewMemFileSystem()); }

Status Env::CreateFromUri(const ConfigOptions& /*config_options*/,
                          const std::string& env_uri, const std::string& fs_uri,
                          Env** env, std::shared_ptr<Env>* guard) {
  for (const std::string& uri : {env_uri, fs_uri}) {
    if (!uri.empty() && uri != "posix://") {
      return Status::NotSupported(
          uri,
          "only the Env of the operating system is known by a URI; "
          "DBOptions::file_system takes others");
    }
  }
  *env = Default();
  if (guard != nullptr) guard->reset();
  return Status::OK();
}

void Env::Schedule(void (*function)(void* arg), void* arg, Priority pri,
                   void* tag, void (*unschedule_function)(void* arg)) {
  PoolOf(pri)->Schedule({function, arg, tag, unschedule_function});
}

int Env::UnSchedule(void* tag, Priority pri) {
  return tag == nullptr ? 0 : PoolOf(pri)->UnSchedule(tag);
}

unsigned Env::GetThreadPoolQueueLen(Priority pri) const {
  return PoolOf(pri)->waiting();
}

void Env::SetBackgroundThreads(int number, Priority pri) {
  PoolOf(pri)->SetThreads(number, /*only_more=*/false);
}

void Env::IncBackgroundThreadsIfNeeded(int number, Priority pri) {
  PoolOf(pri)->SetThreads(number, /*only_more=*/true);
}

int Env::GetBackgroundThreads(Priority pri) const {
  return PoolOf(pri)->threads();
}

void Env::LowerThreadPoolIOPriority(Priority pool) {
  LowerThreadIO(JobsOf(pool));
}

Status Env::LowerThreadPoolCPUPriority(Priority pool, CpuPriority pri) {
  if (pri > CpuPriority::kLow) {
    return Status::NotSupported("LowerThreadPoolCPUPriority",
                                "expected kLow or kIdle");
  }
  LowerThreadCpu(JobsOf(pool), pri);
  return Status::OK();
}

void Env::LowerThreadPoolCPUPriority(Priority pool) {
  LowerThreadCpu(JobsOf(pool), CpuPriority::kLow);
}

void Env::StartThread(void (*function)(void* arg), void* arg) {
  EnvThreads* const threads = PerProcess<EnvThreads>();
  MutexLock lock(&threads->mutex);
  threads->started.reserve(threads->started.size() + 1);
  threads->started.emplace_back(function, arg);
}

void Env::WaitForJoin() {
  EnvThreads* const threads = PerProcess<EnvThreads>();
  std::vector<std::thread> started;
  {
    MutexLock lock(&threads->mutex);
    started.swap(threads->started);
  }
  for (std::thread& thread : started) thread.join();
}

uint64_t Env::NowMicros() { return NewSystemClock()->NowMicros(); }

uint64_t Env::NowNanos() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void Env::SleepForMicroseconds(int micros) {
  std::this_thread::sleep_for(std::chrono::microseconds(micros));
}

Status Env::GetCurrentTime(int64_t* unix_time) {
  *unix_time = static_cast<int64_t>(NowMicros() / 1'000'000);
  return Status::OK();
}

Status Env::FileExists(const std::string& path) {
  const Status status = file_system_->FileExists(path);
  return status.IsPathNotFound() ? Status::NotFound(path, "no such file")
                                 : status;
}

Status Env::GetChildren(const std::string& directory,
                        std::vector<std::string>* names) {
  return file_system_->GetChildren(directory, names);
}

Status Env::DeleteFile(const std::string& path) {
  return file_system_->RemoveFile(path);
}

Status Env::CreateDir(const std::string& path) {
  const Status there = file_system_->FileExists(path);
  if (there.ok()) return Status::IOError(path, "it exists already");
  return file_system_->CreateDirIfMissing(path);
}

Status Env::CreateDirIfMissing(const std::string& path) {
  return file_system_->CreateDirIfMissing(path);
}

Status Env::DeleteDir(const std::string& path) {
  return file_system_->RemoveDir(path);
}

Status Env::GetFileSize(const std::string& path, uint64_t* size) {
  return file_system_->GetFileSize(path, size);
}

Status Env::GetFileModificationTime(const std::string& path,
                                    uint64_t* seconds) {
  return file_system_->GetFileModificationTime(path, seconds);
}

Status Env::RenameFile(const std::string& from, const std::string& to) {
  return file_system_->RenameFile(from, to);
}

Status Env::LinkFile(const std::string& from, const std::string& to) {
  return file_system_->LinkFile(from, to);
}

Status Env::GetAbsolutePath(const std::string& path, std::string* absolute) {
  return file_system_->GetAbsolutePath(path, absolute);
}

Status Env::GetThreadList(std::vector<ThreadStatus>* threads) {
  return tamis::GetThreadList(threads);
}

}  // namespace tamis
