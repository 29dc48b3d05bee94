// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/watchers.h"

#include <unistd.h>
#include <utility>

namespace tamis::bench {

namespace {

uint64_t OperationsOf(const std::vector<ThreadStats>& threads) {
  uint64_t operations = 0;
  for (const ThreadStats& thread : threads) operations += thread.operations();
  return operations;
}

// Clears the line that it wrote.
class ProgressLine {
 public:
  ProgressLine(std::string name, const std::vector<ThreadStats>& threads)
      : name_(std::move(name)), threads_(threads) {}
  ~ProgressLine() { std::fprintf(stderr, "\r%60s\r", ""); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show() const {
    std::fprintf(stderr, "\r%s: %llu operations", name_.c_str(),
                 static_cast<unsigned long long>(OperationsOf(threads_)));
  }

 private:
  const std::string name_;
  const std::vector<ThreadStats>& threads_;
};

}  // namespace

Watcher::Watcher(std::chrono::milliseconds interval, std::function<void()> look)
    : look_(std::move(look)), thread_([this, interval] { Watch(interval); }) {}

Watcher::~Watcher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watcher::Watch(std::chrono::milliseconds interval) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto next = std::chrono::steady_clock::now() + interval;
  while (!wake_.wait_until(lock, next, [this] { return done_; })) {
    look_();
    next += interval;
  }
}

std::unique_ptr<Watcher> ShowProgress(const std::string& name,
                                      const std::vector<ThreadStats>& threads) {
  if (isatty(STDERR_FILENO) == 0) return nullptr;
  const auto line = std::make_shared<ProgressLine>(name, threads);
  return std::make_unique<Watcher>(std::chrono::milliseconds(250),
                                   [line] { line->Show(); });
}

bool IntervalReport::Open(const std::string& path) {
  file_.reset(std::fopen(path.c_str(), "w"));
  if (file_ == nullptr) return false;
  std::fputs("secs_elapsed,interval_qps\n", file_.get());
  return true;
}

std::unique_ptr<Watcher> IntervalReport::Watch(
    int seconds, const std::vector<ThreadStats>& threads) {
  return std::make_unique<Watcher>(
      std::chrono::seconds(seconds),
      [this, seconds, &threads, before = uint64_t{0}]() mutable {
        const uint64_t operations = OperationsOf(threads);
        seconds_ += static_cast<uint64_t>(seconds);
        std::fprintf(
            file_.get(), "%llu,%llu\n",
            static_cast<unsigned long long>(seconds_),
            static_cast<unsigned long long>((operations - before) /
                                            static_cast<uint64_t>(seconds)));
        std::fflush(file_.get());
        before = operations;
      });
}

}  // namespace tamis::bench
