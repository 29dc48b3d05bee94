// SPDX-License-Identifier: Apache-2.0
#include "tests/process/child.h"

#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

// In a forked child, where the stacks of the parent's threads, and what only
// they point to, look lost.
bool in_child = false;

}  // namespace

// LeakSanitizer calls this before it checks.
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

int ExitCode(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                : 128 + WTERMSIG(wait_status);
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

bool Child::HasEnded() {
  int status = 0;
  if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) Take(status);
  return ended_;
}

int Child::Wait(std::chrono::seconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!HasEnded()) {
    if (std::chrono::steady_clock::now() > until) {
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
  int status = 0;
  Require(::waitpid(pid_, &status, 0) == pid_, "waitpid failed");
  Take(status);
}

void Child::Take(int status) {
  ended_ = true;
  code_ = ExitCode(status);
}

int RunChild(const std::function<int()>& body) {
  Child child(body);
  return child.Wait();
}

void* NewSharedMemory(size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Require(memory != MAP_FAILED, "mmap failed");
  return memory;
}

void DeleteSharedMemory(void* memory, size_t bytes) { ::munmap(memory, bytes); }

bool SharedCounters::WaitUntil(size_t i, uint64_t at_least) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while ((*counters_)[i].load() < at_least) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace tamis::process
