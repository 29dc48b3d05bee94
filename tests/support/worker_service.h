// SPDX-License-Identifier: Apache-2.0
//
// A CompactionService whose worker runs in Wait, in this process. Tests change
// what it passes on.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tamis/db.h"

namespace tamis {

// What a worker must be given of the options of a database.
inline CompactionServiceOptionsOverride WorkerObjectsOf(
    const Options& options) {
  CompactionServiceOptionsOverride worker;
  worker.file_system = options.file_system;
  worker.job_runner = options.job_runner;
  worker.file_checksum_gen_factory = options.file_checksum_gen_factory;
  worker.comparator = options.comparator;
  worker.merge_operator = options.merge_operator;
  worker.compaction_filter = options.compaction_filter;
  worker.compaction_filter_factory = options.compaction_filter_factory;
  worker.prefix_extractor = options.prefix_extractor;
  worker.table_properties_collector_factories =
      options.table_properties_collector_factories;
  return worker;
}

// A file system for tests that gives workers one of their own, as another
// machine has.
class HasWorkers {
 public:
  virtual ~HasWorkers() = default;
  virtual std::shared_ptr<FileSystem> OfWorker() = 0;
};

// Any thread, once the public members are set.
class WorkerService : public CompactionService {
 public:
  using JobStatus = CompactionServiceJobStatus;

  const char* Name() const override { return "test.WorkerService"; }
  CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& info, const std::string& input) override {
    if (schedule_returns != JobStatus::kSuccess) {
      return CompactionServiceScheduleResponse(schedule_returns);
    }
    const std::lock_guard lock(mutex_);
    const std::string id = "job " + std::to_string(infos_.size());
    infos_.push_back(info);
    inputs_[id] = {info.db_name, input};
    return {id, JobStatus::kSuccess};
  }
  JobStatus Wait(const std::string& id, std::string* result) override {
    std::pair<std::string, std::string> job;
    {
      const std::lock_guard lock(mutex_);
      job = inputs_.at(id);
      inputs_.erase(id);
    }
    if (before) before(&job.second);
    const Status status =
        DB::OpenAndCompact(open_options, job.first, output_directory,
                           job.second, result, overrides);
    JobStatus outcome = status.ok() ? JobStatus::kSuccess : JobStatus::kFailure;
    if (after) outcome = after(status, result);
    return outcome;
  }
  void OnInstallation(const std::string& /*id*/, JobStatus status) override {
    const std::lock_guard lock(mutex_);
    ++installations_[status];
  }

  std::vector<CompactionServiceJobInfo> infos() const {
    const std::lock_guard lock(mutex_);
    return infos_;
  }
  // How often OnInstallation told this.
  int told(JobStatus status) const {
    const std::lock_guard lock(mutex_);
    const auto found = installations_.find(status);
    return found == installations_.end() ? 0 : found->second;
  }

  CompactionServiceOptionsOverride overrides;
  OpenAndCompactOptions open_options;
  std::string output_directory;
  JobStatus schedule_returns = JobStatus::kSuccess;
  // Called before the worker runs, and with what it returned; says what Wait
  // returns.
  std::function<void(std::string* input)> before;
  std::function<JobStatus(const Status& status, std::string* result)> after;

 private:
  mutable std::mutex mutex_;
  std::vector<CompactionServiceJobInfo> infos_;
  // By id: the database's directory, and the input.
  std::map<std::string, std::pair<std::string, std::string>> inputs_;
  std::map<JobStatus, int> installations_;
};

}  // namespace tamis
