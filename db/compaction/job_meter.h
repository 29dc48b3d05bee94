// SPDX-License-Identifier: Apache-2.0
//
// A JobMeter measures how long a job takes, and the processor time of all
// threads that work for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "tamis/clock.h"

#include "db/family/job_stats.h"
#include "util/jobs/parallel_for.h"
#include "util/stats/cpu_timer.h"

namespace tamis {

// One thread, that of the job.
class JobMeter {
 public:
  // Adds one job and its times to *stats at the end of its life.
  JobMeter(Clock* clock, JobStats* stats)
      : clock_(*clock), stats_(*stats), start_nanos_(clock->NowNanos()) {}
  ~JobMeter() {
    timer_.reset();
    ++stats_.jobs;
    stats_.cpu_micros += cpu_->load(std::memory_order_relaxed) / 1000;
    stats_.micros += (clock_.NowNanos() - start_nanos_) / 1000;
  }
  JobMeter(const JobMeter&) = delete;
  JobMeter& operator=(const JobMeter&) = delete;

  // Returns a function that schedules helpers of the job as `schedule` does,
  // and counts their processor time. A helper may start after the job's end.
  ScheduleJob Counted(ScheduleJob schedule) const {
    if (schedule == nullptr) return schedule;
    return [cpu = cpu_,
            schedule = std::move(schedule)](std::function<void()> job) {
      schedule([cpu, job = std::move(job)] {
        const CpuTimer timer(cpu.get());
        job();
      });
    };
  }

 private:
  Clock& clock_;
  JobStats& stats_;
  const uint64_t start_nanos_;
  const std::shared_ptr<CpuTimer::Total> cpu_ =
      std::make_shared<CpuTimer::Total>(0);
  std::optional<CpuTimer> timer_{std::in_place, cpu_.get()};
};

}  // namespace tamis
