// SPDX-License-Identifier: Apache-2.0
//
// Runs background work without threads. Jobs run inside the
// waits and RunOne, in an order
// derived from the seed. The same seed and the same calls give the same run.
#include <utility>
#include <vector>

#include "tamis/job_runner.h"

#include "util/base/check.h"
#include "util/base/random.h"

namespace tamis {

namespace {

// One thread. A job may schedule and wait, so RunOne may nest.
class SeededJobRunner final : public DeterministicJobRunner {
 public:
  explicit SeededJobRunner(uint64_t seed) : random_(seed) {}
  SeededJobRunner(const SeededJobRunner&) = delete;
  SeededJobRunner& operator=(const SeededJobRunner&) = delete;
  ~SeededJobRunner() override { RunAll(); }

  void Schedule(JobPriority, std::function<void()> job) override {
    jobs_.push_back(std::move(job));
  }

  void Wait(std::unique_lock<std::mutex>& lock, std::condition_variable&,
            const std::function<bool()>& predicate) override {
    while (!predicate()) {
      lock.unlock();
      const bool ran = RunAny();
      lock.lock();
      TAMIS_CHECK(ran && "Wait: no job is left that could make it true");
    }
  }

  bool WaitFor(std::unique_lock<std::mutex>& lock,
               std::condition_variable& changed, Clock& clock, uint64_t micros,
               const std::function<bool()>& predicate) override {
    if (predicate()) return true;
    lock.unlock();
    RunAny();
    lock.lock();
    return JobRunner::WaitFor(lock, changed, clock, micros, predicate);
  }

  bool RunOne() override { return RunAny(); }
  void RunUntilIdle() override { RunAll(); }
  size_t pending() const override { return jobs_.size(); }

 private:
  bool RunAny() {
    if (jobs_.empty()) return false;
    const auto picked =
        jobs_.begin() + static_cast<ptrdiff_t>(random_.Uniform(jobs_.size()));
    const std::function<void()> job = std::move(*picked);
    jobs_.erase(picked);
    job();
    return true;
  }
  void RunAll() {
    while (RunAny()) {
    }
  }

  Random random_;
  std::vector<std::function<void()>> jobs_;
};

}  // namespace

std::shared_ptr<DeterministicJobRunner> NewDeterministicJobRunner(
    uint64_t seed) {
  return std::make_shared<SeededJobRunner>(seed);
}

}  // namespace tamis
