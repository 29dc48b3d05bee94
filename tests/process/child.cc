// SPDX-License-Identifier: Apache-2.0
#include "tests/process/child.h"

#include <csignal>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

// In a forked child, where the stacks of the parent's threads, and what only
// they point to, look lost.
bool in_child = false;

}  // namespace

// LeakSanitizer asks before it looks.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return in_child ? 1 : 0; }

namespace tamis::process {

namespace {

constexpr auto kPause = std::chrono::milliseconds(1);

}  // namespace

void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "child %d: %s\n", static_cast<int>(::getpid()),
               what.c_str());
  ::_exit(kChildFailed);
}

Child::Child(const std::function<int()>& body) {
  // Or both write what is buffered.
  std::fflush(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    in_child = true;
    ::_exit(body());
  }
  Require(pid_ > 0, "fork failed");
}

Child::~Child() { Kill(); }

int Child::Wait(std::chrono::seconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!ended_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = true;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (std::chrono::steady_clock::now() > until) {
      Kill();
      code_ = -1;
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
  return code_;
}

void Child::Kill() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ended_ = true;
  code_ = 128 + SIGKILL;
}

int RunChild(const std::function<int()>& body) {
  Child child(body);
  return child.Wait();
}

SharedCounters::SharedCounters() {
  void* const memory =
      ::mmap(nullptr, kCount * sizeof(*counters_), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Require(memory != MAP_FAILED, "mmap failed");
  counters_ = new (memory) std::atomic<uint64_t>[kCount] {};
}

SharedCounters::~SharedCounters() {
  ::munmap(counters_, kCount * sizeof(*counters_));
}

bool SharedCounters::WaitUntil(size_t i, uint64_t at_least) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (counters_[i].load() < at_least) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace tamis::process
